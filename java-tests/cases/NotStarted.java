// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain -- start=no
package cases;

/** start=no: armed, and nothing recorded. */
final class NotStarted {
	static void call() {
	}

	public static void main(String[] args) throws InterruptedException {
		for (int i = 0; i < 1000; i++)
			call();
		Thread thread = new Thread("other") {
			@Override
			public void run() {
				call();
			}
		};
		thread.start();
		thread.join();
		Truth.nothing();
		Truth.write();
	}
}
