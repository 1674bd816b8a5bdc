// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

/** Five thousand threads, fifty at a time, that live for a few calls. */
final class ThreadsByThousands extends Thread {
	static final int THREADS = 5000, AT_ONCE = 50;
	long calls;

	ThreadsByThousands(int number) {
		super("work-" + number);
	}

	void work(int n) {
		calls++;
		if (n > 0)
			work(n - 1);
	}

	@Override
	public void run() {
		work(3);
		work(1);
	}

	public static void main(String[] args) throws InterruptedException {
		ThreadsByThousands[] threads = new ThreadsByThousands[AT_ONCE];
		long calls = 0;
		for (int round = 0; round < THREADS / AT_ONCE; round++) {
			for (int i = 0; i < AT_ONCE; i++) {
				threads[i] = new ThreadsByThousands(round * AT_ONCE + i);
				threads[i].start();
			}
			for (ThreadsByThousands thread : threads) {
				thread.join();
				calls += thread.calls;
			}
		}
		Truth.calls(ThreadsByThousands.class, "<init>(I)V", THREADS);
		Truth.calls(ThreadsByThousands.class, "run()V", THREADS);
		Truth.calls(ThreadsByThousands.class, "work(I)V", calls);
		Truth.rows(THREADS - 1); /* ended threads are folded by name */
		Truth.save(ThreadsByThousands.class);
	}
}
