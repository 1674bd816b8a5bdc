// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

/**
 * Counters THREADS TIMES: that many threads at once, named counter-0, counter-1, ..., each
 * call the native method {@code spin}, which runs 20,000,000 instructions, so often.
 */
public class Counters {
	private static native void spin();

	public static void main(String[] args) throws InterruptedException {
		Thread[] threads = new Thread[Integer.parseInt(args[0])];
		int times = Integer.parseInt(args[1]);

		System.loadLibrary("counters");
		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(() -> work(times), "counter-" + i);
			threads[i].start();
		}
		for (Thread thread : threads) {
			thread.join();
		}
	}

	private static void work(int times) {
		for (int i = 0; i < times; i++) {
			spin();
		}
	}
}
