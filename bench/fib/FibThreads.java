// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.Locale;

/** Calls in many threads: prints how many it made, and the processor's nanoseconds for each. */
final class FibThreads {
	public static void main(String[] args) throws InterruptedException {
		int count = Integer.parseInt(args[0]), n = Integer.parseInt(args[1]);
		int rounds = Integer.parseInt(args[2]);
		long calls = callsOfFib(n) * count * rounds;
		Thread[] threads = new Thread[count];
		long begin = processorTime();

		for (int i = 0; i < count; i++) {
			threads[i] = new Thread(() -> run(n, rounds));
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
		System.out.printf(Locale.ROOT, "%d %.1f%n", calls,
				(double) (processorTime() - begin) / calls);
	}

	/** Of all threads, in nanoseconds: what other programs take away is not in it. */
	private static long processorTime() {
		return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
	}

	private static void run(int n, int rounds) {
		for (int i = 0; i < rounds; i++)
			Fib.fib(n);
	}

	/** Without a call of it. */
	private static long callsOfFib(int n) {
		long before = 1, last = 1;

		for (int i = 2; i <= n; i++) {
			long next = 1 + last + before;
			before = last;
			last = next;
		}
		return last;
	}
}
