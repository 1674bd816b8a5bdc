// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

/** Synchronized methods, contended by four threads, left by return and by exception. */
final class Synchronized implements Runnable {
	static final int THREADS = 4, ROUNDS = 300;
	static long shared, throwing;
	long own;

	static synchronized void shared(int n) {
		shared++;
		if (n % 3 == 0)
			throwing(n);
	}

	static synchronized void throwing(int n) {
		throwing++;
		throw new IllegalStateException();
	}

	synchronized void own() {
		own++;
		notifyAll();
	}

	@Override
	public void run() {
		for (int i = 0; i < ROUNDS; i++) {
			try {
				shared(i);
			} catch (IllegalStateException e) {
				own();
			}
		}
	}

	public static void main(String[] args) throws InterruptedException {
		Synchronized work = new Synchronized();
		Thread[] threads = new Thread[THREADS];
		for (int i = 0; i < THREADS; i++) {
			threads[i] = new Thread(work, "contender-" + i);
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
		Truth.expect(shared == THREADS * ROUNDS, "shared " + shared);
		Truth.calls(Synchronized.class, "<init>()V", 1);
		Truth.calls(Synchronized.class, "run()V", THREADS);
		Truth.calls(Synchronized.class, "shared(I)V", shared);
		Truth.calls(Synchronized.class, "throwing(I)V", throwing);
		Truth.calls(Synchronized.class, "own()V", work.own);
		for (int i = 0; i < THREADS; i++)
			Truth.in("contender-" + i, Synchronized.class, "shared(I)V", ROUNDS);
		Truth.save(Synchronized.class);
	}
}
