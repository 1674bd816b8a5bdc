// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import org.h2.tools.RunScript;

/** H2's tool in the thread main, and the milliseconds that it took. */
final class Pinned {
	private Pinned() {
	}

	public static void main(String[] args) throws Exception {
		long begin = System.nanoTime();

		RunScript.main(args);
		System.out.println((System.nanoTime() - begin) / 1_000_000);
	}
}
