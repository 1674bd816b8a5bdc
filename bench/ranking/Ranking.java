// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import jdk.jfr.Recording;
import jprof.JProf;

/**
 * A real program's work, round after round in one JVM: first for some seconds of CPU time to warm
 * up, then for some more, which are recorded: by the flight recorder's samplers, or, with the agent
 * there, between the snapshots begin and end. Prints the rounds of those, and the nanoseconds of
 * CPU that its thread used.
 *
 *   Ranking WARM_SECONDS SECONDS RECORDING|- javac LIST_OF_SOURCES OPTION...
 *   Ranking WARM_SECONDS SECONDS RECORDING|- h2 URL SCRIPT
 */
final class Ranking {
	private interface Work {
		void round() throws Exception;
	}

	private Ranking() {
	}

	private static Work javac(Path list, List<String> options) throws IOException {
		List<Path> sources = Files.readAllLines(list).stream().map(Path::of).toList();
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

		return () -> {
			try (StandardJavaFileManager files = compiler.getStandardFileManager(d -> {
			}, null, null)) {
				if (!compiler.getTask(null, files, d -> {
				}, options, null, files.getJavaFileObjectsFromPaths(sources)).call())
					throw new IllegalStateException("does not compile");
			}
		};
	}

	/** The database is made anew by each round, and its files are gone when it ends. */
	private static Work h2(String url, String script) {
		return () -> {
			org.h2.tools.RunScript.execute(url, "sa", "", script, null, false);
			try (var connection = java.sql.DriverManager.getConnection(url, "sa", "");
					var statement = connection.createStatement()) {
				statement.execute("DROP ALL OBJECTS DELETE FILES");
			}
		};
	}

	private static Work work(String[] args) throws IOException {
		List<String> all = List.of(args);

		return args[3].equals("javac")
				? javac(Path.of(args[4]), all.subList(5, all.size()))
				: h2(args[4], args[5]);
	}

	private static long cpu() {
		return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
	}

	/** By CPU time, so that a busy machine measures no colder code. */
	private static int rounds(Work work, double seconds) throws Exception {
		long end = cpu() + (long) (seconds * 1e9);
		int rounds = 0;

		do {
			work.round();
			rounds++;
		} while (cpu() < end);
		return rounds;
	}

	/** Both samplers, as often as they will; the one by CPU time is of release 25. */
	private static Recording recording() {
		Recording recording = new Recording();

		recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(1));
		recording.enable("jdk.CPUTimeSample").with("throttle", "1ms");
		recording.start();
		return recording;
	}

	private static void report(int rounds, long cpu) {
		System.out.println(rounds + " " + cpu);
	}

	private static void sample(Work work, double seconds, Path file) throws Exception {
		try (Recording recording = recording()) {
			long cpu = cpu();
			int rounds = rounds(work, seconds);

			report(rounds, cpu() - cpu);
			recording.stop();
			recording.dump(file);
		}
	}

	private static void count(Work work, double seconds) throws Exception {
		JProf.snapshot("begin");
		long cpu = cpu();
		int rounds = rounds(work, seconds);
		cpu = cpu() - cpu;
		JProf.snapshot("end");
		report(rounds, cpu);
	}

	public static void main(String[] args) throws Exception {
		Work work = work(args);
		double seconds = Double.parseDouble(args[1]);

		rounds(work, Double.parseDouble(args[0]));
		if (args[2].equals("-"))
			count(work, seconds);
		else
			sample(work, seconds, Path.of(args[2]));
	}
}
