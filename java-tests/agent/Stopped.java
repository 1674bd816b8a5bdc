// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.util.concurrent.CountDownLatch;

/**
 * Threads that collections stop, and threads that wait all the time: for a time, for another thread, for a lock. The one that
 * allocates ends it, after so many collections that it has asked for.
 */
public class Stopped {
	private static final Object lock = new Object();
	private static final CountDownLatch over = new CountDownLatch(1), ready = new CountDownLatch(1);
	private static volatile boolean ended;
	private static volatile long sum;
	private static volatile Object last;

	/** Until the thread is where it is to be. */
	private static void await(Thread thread, Thread.State state) {
		while (thread.getState() != state)
			Thread.yield();
	}

	private static void allocates(int collections) {
		for (int i = 0; i < collections; i++) {
			for (int j = 0; j < 2000; j++)
				last = new byte[1000];
			System.gc();
		}
		ended = true;
	}

	private static void computes() {
		long x = 1;

		ready.countDown();
		while (!ended)
			for (int i = 0; i < 1000; i++)
				x = x * 31 + i;
		sum = x;
	}

	private static void sleeps() throws InterruptedException {
		Thread.sleep(1_000_000);
	}

	private static void waits() throws InterruptedException {
		over.await();
	}

	private static void blocks() {
		synchronized (lock) {
			sum++;
		}
	}

	private interface Work {
		void run() throws InterruptedException;
	}

	private static Thread start(String name, Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			} catch (InterruptedException e) {
				return;
			}
		}, name);

		thread.start();
		return thread;
	}

	public static void main(String[] arguments) throws InterruptedException {
		int collections = Integer.parseInt(arguments[0]);

		synchronized (lock) {
			Thread sleeper = start("sleeper", Stopped::sleeps), computer = start("computer", Stopped::computes);
			Thread blocked = start("blocked", Stopped::blocks), waiter = start("waiter", Stopped::waits);
			Thread main = Thread.currentThread();

			ready.await();
			Thread allocator = start("allocator", () -> {
				await(blocked, Thread.State.BLOCKED);
				await(sleeper, Thread.State.TIMED_WAITING);
				await(waiter, Thread.State.WAITING);
				await(main, Thread.State.WAITING);
				allocates(collections);
			});
			allocator.join();
			computer.join();
			sleeper.interrupt();
		}
		over.countDown();
	}
}
