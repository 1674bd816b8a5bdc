// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

/** Binary recursion: the count of calls, and their count at every level. */
final class Recursion {
	static long calls;
	static final long[] level = new long[32];

	static int fib(int n, int depth) {
		calls++;
		level[depth]++;
		return n < 2 ? n : fib(n - 1, depth + 1) + fib(n - 2, depth + 1);
	}

	public static void main(String[] args) {
		fib(18, 0);
		Truth.calls(Recursion.class, "fib(II)I", calls);
		Truth.calls(Recursion.class, "<clinit>()V", 1);
		for (int i = 0; i < level.length; i++)
			if (level[i] > 0)
				Truth.at("main", i + 2, i, Recursion.class, "fib(II)I", level[i]);
		Truth.save(Recursion.class);
	}
}
