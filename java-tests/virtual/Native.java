// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

/** Native frames between Java's: a thread that has one on its stack stays on its carrier. */
final class Native {
	static {
		load();
	}

	private Native() {
	}

	@SuppressWarnings("restricted")
	private static void load() {
		System.loadLibrary("virtual");
	}

	/** Runs it. */
	static native void through(Runnable body);
}
