// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jprof.selftest;

import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.Map;
import jprof.JProf;

/** Runs loops, and reads what this thread has used by metric: first of all its CPU time and what it
 * allocated, as the JVM tells them, then the recording's metrics. */
final class Meter {
	static final int TIME = 0, BYTES = 1, FIRST = 2;
	/** The JIT compilers are told to be early. Loops are compiled for having been called often, too, so
	 * they are; then, in some more rounds, code settles. */
	private static final int WARM_CALLS = 150, WARM_ROUNDS = 15, WARM = 700, UNMEASURED = 2;
	private static final int ROUNDS_LEAST = 100, ROUNDS_MOST = 1_000_000;

	private final String[] metrics;
	private final long batch;
	private final com.sun.management.ThreadMXBean threads =
			(com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
	private final Map<Loop, Integer> rounds = new EnumMap<>(Loop.class);
	private final long[] before, after;
	/** What the loops come to, so that nobody leaves them out. */
	int result;

	/** batch: ns of a loop. */
	Meter(String[] metrics, long batch) {
		this.metrics = metrics;
		this.batch = batch;
		before = new long[count()];
		after = new long[count()];
	}

	/** Metrics, with the first two. */
	int count() {
		return FIRST + metrics.length;
	}

	String[] metrics() {
		return metrics;
	}

	private static boolean compiles() {
		return !System.getProperty("java.vm.info", "").contains("interpreted mode");
	}

	private void compile(Loop loop) {
		for (int call = 0; call < WARM_CALLS; call++)
			result += loop.run(WARM_ROUNDS, result);
	}

	/** Has all compiled, whatever probes have come or gone. */
	void warm() {
		int count = compiles() ? WARM : WARM_ROUNDS;

		for (Loop loop : Loop.values()) {
			if (compiles())
				compile(loop);
			result += loop.run(count, result);
			long begin = threads.getCurrentThreadCpuTime();
			result += loop.run(count, result);
			long took = Math.max(1, threads.getCurrentThreadCpuTime() - begin);
			rounds.put(loop, (int) Math.max(ROUNDS_LEAST,
					Math.min(ROUNDS_MOST, batch * count / took)));
		}
		for (int i = 0; compiles() && i < UNMEASURED; i++)
			for (Loop loop : Loop.values())
				result += loop.run(rounds.get(loop), result);
	}

	private void read(long[] values) {
		values[BYTES] = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
		for (int i = 0; i < metrics.length; i++)
			values[FIRST + i] = JProf.threadValue(metrics[i]);
		values[TIME] = threads.getCurrentThreadCpuTime();
	}

	/** A batch of rounds: what one took goes to values[metric][place]. */
	void measure(Loop loop, double[][] values, int place) {
		int count = rounds.get(loop);

		read(before);
		result += loop.run(count, result);
		read(after);
		for (int i = 0; i < values.length; i++)
			values[i][place] = (after[i] - before[i]) / (double) count;
	}
}
