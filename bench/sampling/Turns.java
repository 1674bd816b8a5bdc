// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The same work in turns in one JVM, as it is and with each of some profilers switched on: so all have the same
 * compiled code, which differs from JVM to JVM by more than what is measured. The profilers are lines of a file,
 * "NAME|COMMAND that switches it on|COMMAND that switches it off", for the shell, with the process in $PID.
 */
final class Turns {
	interface Work {
		void round() throws Exception;
	}

	private static final class Profiler {
		final String name, on, off;
		final List<Double> ratios = new ArrayList<>();
		final List<Double> cpuRatios = new ArrayList<>();

		Profiler(String line) {
			String[] parts = line.split("\\|");

			name = parts[0];
			on = parts[1];
			off = parts[2];
		}
	}

	private final long pid;
	private final Work work;
	private final int rounds;
	private final long ns;
	private final List<Double> alone = new ArrayList<>();

	/** Of a half turn: seconds, and those of processor time of the process, in which the kernel counts by 10 ms. */
	private static final class Time {
		final double wall, cpu;

		Time(double wall, double cpu) {
			this.wall = wall;
			this.cpu = cpu;
		}
	}

	/** pid: where the work is done. length: of half a turn: rounds, or seconds, as in "5s". */
	Turns(long pid, Work work, String length) {
		boolean seconds = length.endsWith("s");

		this.pid = pid;
		this.work = work;
		rounds = seconds ? 1 : Integer.parseInt(length);
		ns = seconds ? Long.parseLong(length.substring(0, length.length() - 1)) * 1_000_000_000L : 0;
	}

	/**
	 * A turn without lies before and behind each with a profiler. Prints "NAME SECONDS PERCENT ERROR PERCENT ERROR", the
	 * last two of processor time.
	 */
	void take(Path profilers, int times) throws Exception {
		List<Profiler> all = new ArrayList<>();

		for (String line : Files.readAllLines(profilers))
			all.add(new Profiler(line));
		Time before = turn();
		for (int i = 0; i < times; i++) {
			for (Profiler profiler : all) {
				shell(profiler.on);
				Time with = turn();
				shell(profiler.off);
				Time after = turn();
				profiler.ratios.add(2 * with.wall / (before.wall + after.wall));
				profiler.cpuRatios.add(2 * with.cpu / (before.cpu + after.cpu));
				alone.add(after.wall);
				before = after;
			}
		}
		System.out.printf("none %.3f 0 0 0 0%n", median(alone));
		for (Profiler profiler : all)
			System.out.printf("%s %.3f %.2f %.2f %.2f %.2f%n", profiler.name,
					median(alone) * median(profiler.ratios),
					100 * (median(profiler.ratios) - 1), 100 * error(profiler.ratios),
					100 * (median(profiler.cpuRatios) - 1), 100 * error(profiler.cpuRatios));
	}

	/** The first half is not counted: it may pay for the switch. */
	private Time turn() throws Exception {
		half();
		return half();
	}

	/** Where seconds were asked for, of one round. */
	private Time half() throws Exception {
		double cpu = cpu();
		long begin = System.nanoTime(), now = begin;
		int done = 0;

		for (; done < rounds || now - begin < ns; done++) {
			work.round();
			now = System.nanoTime();
		}
		int parts = ns > 0 ? done : 1;
		return new Time((now - begin) / 1e9 / parts, (cpu() - cpu) / parts);
	}

	/** Seconds of the process: utime and stime of proc(5). */
	private double cpu() throws IOException {
		String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
		String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");

		return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
	}

	private void shell(String command) throws IOException, InterruptedException {
		ProcessBuilder shell = new ProcessBuilder("sh", "-c", command);

		shell.environment().put("PID", Long.toString(pid));
		shell.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD);
		if (shell.start().waitFor() != 0)
			throw new IOException(command + " failed");
	}

	private static double median(List<Double> values) {
		double[] sorted = values.stream().mapToDouble(value -> value).sorted().toArray();

		return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
	}

	/** Of the median: 1.25 standard errors of the mean, the deviation by the middle half of the values. */
	private static double error(List<Double> values) {
		double[] sorted = values.stream().mapToDouble(value -> value).sorted().toArray();
		double half = sorted[sorted.length * 3 / 4] - sorted[sorted.length / 4];

		return 1.25 * half / 1.35 / Math.sqrt(sorted.length);
	}
}
