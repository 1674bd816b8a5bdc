// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.Arrays;

/** Nothing but calls: prints the median over its rounds of the nanoseconds one call takes. */
final class Fib {
	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	public static void main(String[] args) {
		int n = Integer.parseInt(args[0]), rounds = Integer.parseInt(args[1]);
		double[] cost = new double[rounds];
		double calls = 2.0 * fib(n + 1) - 1;

		for (int i = 0; i < 5; i++)
			fib(n);
		for (int i = 0; i < rounds; i++) {
			long begin = System.nanoTime();
			fib(n);
			cost[i] = (System.nanoTime() - begin) / calls;
		}
		Arrays.sort(cost);
		System.out.printf(java.util.Locale.ROOT, "%.3f%n", cost[rounds / 2]);
	}
}
