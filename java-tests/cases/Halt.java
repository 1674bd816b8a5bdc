// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
// exit: 4
package cases;

/** Runtime.halt: no hooks, no unwinding, and yet a whole profile. */
final class Halt {
	static long down;

	static void down(int n) {
		down++;
		if (n > 0) {
			down(n - 1);
			return;
		}
		Truth.calls(Halt.class, "down(I)V", down);
		Truth.save(Halt.class);
		Runtime.getRuntime().halt(4);
	}

	public static void main(String[] args) {
		down(10);
	}
}
