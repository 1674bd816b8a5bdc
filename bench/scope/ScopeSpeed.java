// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/**
 * Nanoseconds a call of a small method: to each line that it reads, after a second of warming up,
 * it prints the best of 40 rounds. The line "inside" has it done inside of entry(), any other
 * outside.
 */
final class ScopeSpeed {
	private static final int N = 25, ROUNDS = 40;
	private static final long WARM_UP = 1_000_000_000L; // ns
	private static long calls;

	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	/** How often fib(n) calls it. */
	private static long callsOf(int n) {
		return n < 2 ? 1 : 1 + callsOf(n - 1) + callsOf(n - 2);
	}

	private static double best() {
		long best = Long.MAX_VALUE, begin = System.nanoTime();

		while (System.nanoTime() - begin < WARM_UP)
			fib(N);
		for (int i = 0; i < ROUNDS; i++) {
			long from = System.nanoTime();
			fib(N);
			best = Math.min(best, System.nanoTime() - from);
		}
		return (double) best / calls;
	}

	private static double entry() {
		return best();
	}

	public static void main(String[] args) throws IOException {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));

		calls = callsOf(N);
		for (String line = in.readLine(); line != null; line = in.readLine())
			System.out.println(Math.round((line.equals("inside") ? entry() : best()) * 100) / 100.0);
	}
}
