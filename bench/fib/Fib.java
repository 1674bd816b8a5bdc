// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.Locale;

/** Nothing but calls: prints the nanoseconds one call takes, in the best of its rounds. */
final class Fib {
	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	public static void main(String[] args) {
		int n = Integer.parseInt(args[0]), rounds = Integer.parseInt(args[1]);
		double best = Double.MAX_VALUE;
		double calls = 2.0 * fib(n + 1) - 1;

		for (int i = 0; i < 5; i++)
			fib(n);
		for (int i = 0; i < rounds; i++) {
			long begin = System.nanoTime();
			fib(n);
			best = Math.min(best, (System.nanoTime() - begin) / calls);
		}
		System.out.printf(Locale.ROOT, "%.3f%n", best);
	}
}
