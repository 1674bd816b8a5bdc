// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
// exit: 3
package cases;

/** System.exit ten frames deep, while another thread is in the middle of its work. */
final class ExitNested {
	static long down;

	static void down(int n) {
		down++;
		if (n > 0) {
			down(n - 1);
			return;
		}
		Truth.calls(ExitNested.class, "down(I)V", down);
		Truth.save(ExitNested.class);
		System.exit(3);
	}

	public static void main(String[] args) {
		down(10);
	}
}
