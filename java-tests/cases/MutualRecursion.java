// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

/** Methods that call each other: recursion that passes through other methods. */
final class MutualRecursion {
	static long even, odd, female, male, first, second, third;

	static boolean even(int n) {
		even++;
		return n == 0 || odd(n - 1);
	}

	static boolean odd(int n) {
		odd++;
		return n != 0 && even(n - 1);
	}

	/* Hofstadter's female and male sequences. */
	static int female(int n) {
		female++;
		return n == 0 ? 1 : n - male(female(n - 1));
	}

	static int male(int n) {
		male++;
		return n == 0 ? 0 : n - female(male(n - 1));
	}

	static void first(int n) {
		first++;
		if (n > 0) {
			second(n - 1);
			third(n - 1);
		}
	}

	static void second(int n) {
		second++;
		if (n > 0)
			third(n - 1);
	}

	static void third(int n) {
		third++;
		if (n > 0)
			first(n - 1);
	}

	public static void main(String[] args) {
		even(400);
		odd(301);
		for (int i = 0; i < 20; i++)
			female(i);
		first(20);
		Truth.calls(MutualRecursion.class, "even(I)Z", even);
		Truth.calls(MutualRecursion.class, "odd(I)Z", odd);
		Truth.calls(MutualRecursion.class, "female(I)I", female);
		Truth.calls(MutualRecursion.class, "male(I)I", male);
		Truth.calls(MutualRecursion.class, "first(I)V", first);
		Truth.calls(MutualRecursion.class, "second(I)V", second);
		Truth.calls(MutualRecursion.class, "third(I)V", third);
		Truth.save(MutualRecursion.class);
	}
}
