// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain -Xss64m
package cases;

/** A stack of 10,000 frames, three times over, and one that unwinds by an exception. */
final class DeepStack {
	static final int DEPTH = 10_000;
	static long down, dive, bottom;

	static int down(int n) {
		down++;
		return n == 1 ? bottom() : down(n - 1) + 1;
	}

	static int bottom() {
		bottom++;
		return 1;
	}

	static void dive(int n) {
		dive++;
		if (n == 1)
			throw new IllegalStateException();
		dive(n - 1);
	}

	public static void main(String[] args) {
		for (int i = 0; i < 3; i++)
			down(DEPTH);
		try {
			dive(DEPTH);
		} catch (IllegalStateException e) {
			bottom();
		}
		Truth.calls(DeepStack.class, "down(I)I", down);
		Truth.calls(DeepStack.class, "dive(I)V", dive);
		Truth.calls(DeepStack.class, "bottom()I", bottom);
		Truth.at("main", DEPTH + 2, 0, DeepStack.class, "bottom()I", 3);
		Truth.at("main", 2, 0, DeepStack.class, "bottom()I", 1);
		Truth.save(DeepStack.class);
	}
}
