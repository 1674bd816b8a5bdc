// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * What virtual threads take to come and go; prints "NS WORK" for each work, ns a unit of it.
 *
 * <pre>
 * yield      two threads, one a carrier: an unmount and a mount each time
 * hand-over  two threads that wake each other: a unit is two unmounts and two mounts
 * deep N     as hand-over, N frames down
 * short N    N threads begin, call one method and end
 * parked N   N threads, all of them parked at once, then woken
 * </pre>
 */
final class Mounts {
	static int sink;

	static void step() {
		sink++;
	}

	static void yields(int count) {
		for (int i = 0; i < count; i++)
			Thread.yield();
	}

	static void wake(Thread[] both, int me, int count) {
		for (int i = 0; i < count; i++) {
			if (me == 0)
				LockSupport.park();
			LockSupport.unpark(both[1 - me]);
			if (me == 1)
				LockSupport.park();
		}
	}

	/** The frames below are recorded ones. */
	static void down(int depth, Runnable bottom) {
		step();
		if (depth > 1)
			down(depth - 1, bottom);
		else
			bottom.run();
		step();
	}

	static long both(Runnable[] work) throws InterruptedException {
		Thread[] threads = new Thread[2];
		long begin = System.nanoTime();

		for (int i = 0; i < 2; i++)
			threads[i] = Thread.ofVirtual().start(work[i]);
		for (Thread thread : threads)
			thread.join();
		return System.nanoTime() - begin;
	}

	static long handOver(int depth, int count) throws InterruptedException {
		Thread[] both = new Thread[2];
		long begin;

		for (int i = 0; i < 2; i++) {
			int me = i;
			both[i] = Thread.ofVirtual().unstarted(() -> down(depth, () -> wake(both, me, count)));
		}
		begin = System.nanoTime();
		for (Thread thread : both)
			thread.start();
		for (Thread thread : both)
			thread.join();
		return System.nanoTime() - begin;
	}

	static long shortOnes(int count) throws InterruptedException {
		CountDownLatch ended = new CountDownLatch(count);
		long begin = System.nanoTime();

		for (int i = 0; i < count; i++)
			Thread.startVirtualThread(() -> {
				step();
				ended.countDown();
			});
		ended.await();
		return System.nanoTime() - begin;
	}

	static long parkedOnes(int count) throws InterruptedException {
		CountDownLatch gate = new CountDownLatch(1), ended = new CountDownLatch(count);
		long begin = System.nanoTime();

		for (int i = 0; i < count; i++)
			Thread.startVirtualThread(() -> {
				step();
				try {
					gate.await();
				} catch (InterruptedException e) {
					throw new AssertionError(e);
				}
				ended.countDown();
			});
		gate.countDown();
		ended.await();
		return System.nanoTime() - begin;
	}

	static long once(String work, int n) throws InterruptedException {
		switch (work) {
		case "yield":
			return both(new Runnable[] {() -> down(1, () -> yields(n)), () -> down(1, () -> yields(n))}) / 2;
		case "hand-over":
			return handOver(1, n);
		case "deep":
			return handOver(1000, n);
		case "short":
			return shortOnes(n);
		case "parked":
			return parkedOnes(n);
		default:
			throw new IllegalArgumentException(work);
		}
	}

	/** WORK N ROUNDS: the fastest round counts, or with one round that one. */
	public static void main(String[] args) throws Exception {
		int n = Integer.parseInt(args[1]), rounds = Integer.parseInt(args[2]);
		long best = Long.MAX_VALUE;

		for (int i = 0; i < rounds; i++)
			best = Math.min(best, once(args[0], n));
		System.out.printf("%.1f%n", (double) best / n);
	}
}
