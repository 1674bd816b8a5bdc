// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jprof.calibration;

import java.util.Random;

/** Arrays to walk through, each place holding the next one: one that the first cache holds, and
 * one that hardly any does. */
public final class Memory {
	/** 1024 places. */
	public static int[] NEAR = circle(10);
	/** 16 MB. */
	public static int[] FAR = circle(22);
	/** By depth: paths walked. */
	public static final int[] PATHS = new int[32];

	private Memory() {
	}

	/** One circle through all places (Sattolo's algorithm), always the same. */
	private static int[] circle(int bits) {
		int[] next = new int[1 << bits];
		Random random = new Random(bits);

		for (int i = 0; i < next.length; i++)
			next[i] = i;
		for (int i = next.length - 1; i > 0; i--) {
			int other = random.nextInt(i), held = next[i];

			next[i] = next[other];
			next[other] = held;
		}
		return next;
	}
}
