// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
// exit: 1
// stderr: ^Exception in thread "main" java.lang.IllegalStateException: on purpose$
// stderr: ^\s+at cases\.(UncaughtMain|Attach)\.
package cases;

/** An exception that leaves main. */
final class UncaughtMain {
	static long fail;

	static void fail(int n) {
		fail++;
		if (n > 0)
			fail(n - 1);
		Truth.calls(UncaughtMain.class, "fail(I)V", fail);
		Truth.save(UncaughtMain.class);
		throw new IllegalStateException("on purpose");
	}

	public static void main(String[] args) {
		fail(5);
	}
}
