// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.function.IntToLongFunction;

/** What an iteration of a loop takes of its thread, counted by the JDK. */
final class Loops {
	/** Warm-up is many short calls, so that a loop is compiled as a whole, not only from its middle on. */
	private static final long WARM = 150_000_000, WARM_CALL = 30_000; // ns
	private static final long MEASURED = 100_000_000; // ns
	private static final int TIMES = 9;

	private static final com.sun.management.ThreadMXBean threads =
			(com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
	private static volatile long sink;

	/** Of one iteration. */
	record Cost(double ns, double bytes) {
	}

	private Loops() {
	}

	static void run(IntToLongFunction loop, int iterations) {
		sink += loop.applyAsLong(iterations);
	}

	/** Nanoseconds of CPU time of so many iterations. */
	static long time(IntToLongFunction loop, int iterations) {
		long begin = threads.getCurrentThreadCpuTime();

		run(loop, iterations);
		return threads.getCurrentThreadCpuTime() - begin;
	}

	/** Calls the loop until the compilers are done with it; how many iterations take so many ns then. */
	static int warm(IntToLongFunction loop, long ns) {
		long end = threads.getCurrentThreadCpuTime() + WARM;
		int n = 1;

		while (threads.getCurrentThreadCpuTime() < end)
			if (time(loop, n) < WARM_CALL)
				n *= 2;
		double each = Math.max(0.1, time(loop, 100 * n) / (100.0 * n));
		return (int) Math.min(1_000_000_000, Math.max(1, ns / each));
	}

	/** The median of some measurements, after a warm-up. */
	static Cost cost(IntToLongFunction loop) {
		int iterations = warm(loop, MEASURED / TIMES);
		double[] ns = new double[TIMES], bytes = new double[TIMES];

		for (int i = 0; i < TIMES; i++) {
			long begin = threads.getCurrentThreadAllocatedBytes();
			ns[i] = time(loop, iterations) / (double) iterations;
			bytes[i] = (threads.getCurrentThreadAllocatedBytes() - begin) / (double) iterations;
		}
		return new Cost(median(ns), median(bytes));
	}

	static double median(double[] values) {
		Arrays.sort(values);
		return values[values.length / 2];
	}
}
