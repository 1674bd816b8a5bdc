// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.ArrayList;
import java.util.List;

import jprof.JProf;

/**
 * Makes one method of a tree slower at a time, by some units of work: its own time has to grow by
 * what they take without probes, and that of no other method.
 *
 * The agent is there, but does not record (start=no). Prints one JSON object a line for each
 * setting: the method that is slower and by how many units, which snapshots are around the plain
 * and the slower tree, how often each was called between them, and by how many ns a call took
 * longer without probes, before and after.
 */
final class SlowDown {
	private static final long RECORDED = 70_000_000, MEASURED = 30_000_000; // ns
	private static final int TIMES = 9;
	/** About 1 and 10 us of work. */
	private static final int[] SLOWER = {1700, 17000};
	private static final List<String> METHODS = List.of("root", "a", "b", "c", "d", "e", "f", "g");
	private static final int ROOT = 0, A = 1, B = 2, C = 3, D = 4, E = 5, F = 6, G = 7;

	/** How much each method has to do: no constant for the compilers. */
	private static final int[] units = {60, 80, 50, 300, 120, 20, 100, 40};

	/** The methods have probes, and `work`, which is outside, is charged to them. */
	static final class Tree {
		static long root(long x) {
			return b(a(work(x, ROOT)));
		}

		static long a(long x) {
			return d(c(work(x, A)));
		}

		static long b(long x) {
			return f(work(f(e(x)), B));
		}

		static long c(long x) {
			return work(x, C);
		}

		static long d(long x) {
			return work(x, D);
		}

		static long e(long x) {
			return work(x, E);
		}

		static long f(long x) {
			return g(work(x, F));
		}

		static long g(long x) {
			return work(x, G);
		}
	}

	/** A method that is slower, and by how many units. */
	record Setting(int method, int slower) {
		/** Calls the tree so. */
		long run(int n) {
			units[method] += slower;
			long x = plain(n);
			units[method] -= slower;
			return x;
		}

		/** How much longer a call takes than one of the plain tree, which takes turns with it. */
		double cost(int iterations) {
			double[] more = new double[TIMES];

			for (int i = 0; i < TIMES; i++)
				more[i] = Loops.time(this::run, iterations) - Loops.time(SlowDown::plain, iterations);
			return Loops.median(more) / iterations;
		}

		String snapshot(String end) {
			return METHODS.get(method) + "-" + slower + "-" + end;
		}

		void record(int iterations) {
			JProf.snapshot(snapshot("plain"));
			Loops.run(SlowDown::plain, iterations);
			JProf.snapshot(snapshot("slower"));
			Loops.run(this::run, iterations);
			JProf.snapshot(snapshot("end"));
		}

		void print(int iterations, double before, double after) {
			System.out.printf("{\"slowed\": \"%s\", \"units\": %d, \"plain\": \"%s..%s\", "
					+ "\"slower\": \"%s..%s\", \"iterations\": %d, \"before\": %.4f, \"after\": %.4f}%n",
					METHODS.get(method), slower, snapshot("plain"), snapshot("slower"), snapshot("slower"),
					snapshot("end"), iterations, before, after);
		}
	}

	private SlowDown() {
	}

	static long work(long x, int method) {
		for (int i = 0; i < units[method]; i++)
			x = x * 31 + 7;
		return x;
	}

	static long plain(int n) {
		long x = n;
		for (int i = 0; i < n; i++)
			x = Tree.root(x) ^ i;
		return x;
	}

	private static List<Setting> settings() {
		List<Setting> settings = new ArrayList<>();

		for (int slower : SLOWER)
			for (int method = 0; method < METHODS.size(); method++)
				settings.add(new Setting(method, slower));
		return settings;
	}

	private static double[] costs(List<Setting> settings) {
		int iterations = Loops.warm(SlowDown::plain, MEASURED / TIMES);

		return settings.stream().mapToDouble(setting -> setting.cost(iterations)).toArray();
	}

	private static int record(List<Setting> settings) {
		JProf.start();
		int iterations = Loops.warm(SlowDown::plain, RECORDED);
		for (Setting setting : settings)
			setting.record(iterations);
		JProf.stop();
		return iterations;
	}

	public static void main(String[] arguments) {
		List<Setting> settings = settings();
		double[] before = costs(settings);
		int iterations = record(settings);
		double[] after = costs(settings);

		for (int i = 0; i < before.length; i++)
			settings.get(i).print(iterations, before[i], after[i]);
	}
}
