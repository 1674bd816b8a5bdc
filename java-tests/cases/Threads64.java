// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.util.concurrent.CyclicBarrier;

/** Sixty-four threads at once; each counts for itself. */
final class Threads64 extends Thread {
	static final int THREADS = 64;
	static final CyclicBarrier barrier = new CyclicBarrier(THREADS);
	long calls;
	final int size;

	Threads64(int number) {
		super("racer-" + number);
		size = 10 + number % 3;
	}

	int fib(int n) {
		calls++;
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	@Override
	public void run() {
		try {
			barrier.await();
		} catch (Exception e) {
			Truth.expect(false, e.toString());
		}
		for (int i = 0; i < 5; i++)
			fib(size);
	}

	public static void main(String[] args) throws InterruptedException {
		Threads64[] threads = new Threads64[THREADS];
		for (int i = 0; i < THREADS; i++)
			threads[i] = new Threads64(i);
		for (Thread thread : threads)
			thread.start();
		long calls = 0;
		for (Threads64 thread : threads) {
			thread.join();
			calls += thread.calls;
			Truth.in(thread.getName(), Threads64.class, "fib(I)I", thread.calls);
		}
		Truth.calls(Threads64.class, "fib(I)I", calls);
		Truth.calls(Threads64.class, "<init>(I)V", THREADS);
		Truth.calls(Threads64.class, "run()V", THREADS);
		Truth.calls(Threads64.class, "<clinit>()V", 1);
		Truth.save(Threads64.class);
	}
}
