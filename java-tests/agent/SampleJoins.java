// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

/** Runs for some seconds before the first call that is recorded. */
public final class SampleJoins {
	static volatile long steps;

	private SampleJoins() {
	}

	static void spin(long milliseconds) {
		long end = System.nanoTime() + milliseconds * 1_000_000;

		while (System.nanoTime() < end)
			steps++;
	}

	public static void main(String[] args) {
		spin(6000);
		for (int i = 0; i < 1000; i++) {
			Called.call();
			spin(50);
		}
	}
}

final class Called {
	static long calls;

	private Called() {
	}

	static void call() {
		calls++;
	}
}
