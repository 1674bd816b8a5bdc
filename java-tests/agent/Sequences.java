// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package agent;

import java.io.IOException;
import java.util.Random;

/**
 * Sequences STEPS FILE: calls static, other and native methods in a random order that is the same in
 * every run, and writes what was between which of them. Java's own are all called "java".
 */
final class Sequences {
	private int left;
	private Random random;

	static native void nativeStatic();

	native void nativeInstance();

	static void fails() {
		SequenceLog.enter("java static");
		SequenceLog.unwind();
		throw new IllegalStateException();
	}

	static void catches() {
		SequenceLog.enter("java static");
		try {
			fails();
		} catch (IllegalStateException expected) {
			/* Goes on. */
		}
		SequenceLog.exit();
	}

	static void walkStatic(Sequences walk, int depth) {
		SequenceLog.enter("java static");
		walk.step(depth);
		SequenceLog.exit();
	}

	void step(int depth) {
		SequenceLog.enter("java");
		while (depth < 12 && left > 0 && random.nextInt(3) > 0) {
			left--;
			switch (random.nextInt(5)) {
			case 0 -> walkStatic(this, depth + 1);
			case 1 -> step(depth + 1);
			case 2 -> catches();
			case 3 -> {
				SequenceLog.enter("native");
				nativeInstance();
				SequenceLog.exit();
			}
			default -> {
				SequenceLog.enter("native static");
				nativeStatic();
				SequenceLog.exit();
			}
			}
		}
		SequenceLog.exit();
	}

	static void run(Sequences walk) {
		SequenceLog.enter("java static");
		while (walk.left > 0)
			walk.step(0);
		SequenceLog.exit();
	}

	/* It is entered by the JVM, and left when all has been written. */
	public static void main(String[] args) throws IOException {
		SequenceLog.enter("java static");
		System.loadLibrary("cases");
		SequenceLog.enter("java"); /* the constructor */
		SequenceLog.exit();
		Sequences walk = new Sequences();
		walk.left = Integer.parseInt(args[0]);
		walk.random = new Random(17);
		run(walk);
		SequenceLog.exit();
		SequenceLog.save(args[1]);
	}
}
