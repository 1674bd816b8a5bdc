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

	/** pid: where the work is done. length: of half a turn: rounds, or seconds, as in "5s". */
	Turns(long pid, Work work, String length) {
		boolean seconds = length.endsWith("s");

		this.pid = pid;
		this.work = work;
		rounds = seconds ? 1 : Integer.parseInt(length);
		ns = seconds ? Long.parseLong(length.substring(0, length.length() - 1)) * 1_000_000_000L : 0;
	}

	/** A turn without lies before and behind each with a profiler. Prints "NAME SECONDS PERCENT ERROR". */
	void take(Path profilers, int times) throws Exception {
		List<Profiler> all = new ArrayList<>();

		for (String line : Files.readAllLines(profilers))
			all.add(new Profiler(line));
		double before = turn();
		for (int i = 0; i < times; i++) {
			for (Profiler profiler : all) {
				shell(profiler.on);
				double with = turn();
				shell(profiler.off);
				double after = turn();
				profiler.ratios.add(2 * with / (before + after));
				alone.add(after);
				before = after;
			}
		}
		System.out.printf("none %.3f 0 0%n", median(alone));
		for (Profiler profiler : all)
			System.out.printf("%s %.3f %.2f %.2f%n", profiler.name,
					median(alone) * median(profiler.ratios),
					100 * (median(profiler.ratios) - 1), 100 * error(profiler.ratios));
	}

	/** Seconds. The first half is not counted: it may pay for the switch. */
	private double turn() throws Exception {
		half();
		return half();
	}

	/** Seconds; where it is that long, of one round. */
	private double half() throws Exception {
		long begin = System.nanoTime(), now = begin;
		int done = 0;

		for (; done < rounds || now - begin < ns; done++) {
			work.round();
			now = System.nanoTime();
		}
		return (now - begin) / 1e9 / (ns > 0 ? done : 1);
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
