// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

/** Calls small methods all the time, for so many milliseconds. */
class SampleCounted {
	static int small(int n) {
		return n < 2 ? n : small(n - 1) + small(n - 2);
	}

	public static void main(String[] arguments) {
		long end = System.nanoTime() + Integer.parseInt(arguments[0]) * 1_000_000L;
		int sum = 0;

		while (System.nanoTime() < end)
			sum += small(25);
		System.out.println(sum != 0);
	}
}
