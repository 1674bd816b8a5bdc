// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run[attach]: plain
// attaches: itself
package cases;

import java.util.concurrent.CountDownLatch;

/**
 * Probes that come while threads are inside methods: those calls have begun before, and are not
 * recorded; what they call from then on is, below the root. One thread waits, in methods that get
 * probes; another spins in compiled code, with the callee inlined.
 */
final class LateProbes {
	static final int DEPTH = 5, CALLS = 1000;
	static final CountDownLatch inside = new CountDownLatch(1), attached = new CountDownLatch(1);
	static volatile long spins;
	static volatile boolean end;
	static long after;

	static void after(int depth) {
		after++;
		if (depth > 0)
			after(depth - 1);
	}

	/** Frames of it are on the stack when the probes come. */
	static void outer(int depth) throws InterruptedException {
		if (depth > 0) {
			outer(depth - 1);
			after(0);
			return;
		}
		inside.countDown();
		attached.await();
		for (int i = 0; i < CALLS; i++)
			after(1);
		try {
			failing(3);
		} catch (IllegalStateException e) {
			after(0);
		}
	}

	static void failing(int depth) {
		if (depth == 0)
			throw new IllegalStateException();
		failing(depth - 1);
	}

	static void spun() {
		spins++;
	}

	static void spin() {
		while (!end)
			spun();
	}

	static Thread start(String name, Runnable work) {
		Thread thread = new Thread(work, name);
		thread.start();
		return thread;
	}

	static void waiter() {
		try {
			outer(DEPTH);
			outer(0);
		} catch (InterruptedException e) {
			Truth.expect(false, "interrupted");
		}
	}

	public static void main(String[] args) throws Exception {
		Thread waiter = start("waiter", LateProbes::waiter);
		Thread spinner = start("spinner", LateProbes::spin);
		Class<?> in = LateProbes.class;

		inside.await();
		while (spins < 2_000_000)
			Thread.sleep(1);
		long before = spins;
		Attach.await();
		long since = spins;
		attached.countDown();
		waiter.join();
		while (spins < since + 2_000_000)
			Thread.sleep(1);
		end = true;
		spinner.join();
		Truth.least(in, "spun()V", spins - since);
		Truth.most(in, "spun()V", spins - before);
		Truth.at("waiter", 1, 0, in, "after(I)V", CALLS + 1 + DEPTH);
		/* outer(0) is called once more, now with probes. */
		Truth.at("waiter", 2, 1, in, "after(I)V", CALLS);
		Truth.at("waiter", 2, 0, in, "after(I)V", CALLS + 1);
		Truth.at("waiter", 3, 1, in, "after(I)V", CALLS);
		Truth.calls(in, "after(I)V", after);
		Truth.calls(in, "outer(I)V", 1);
		Truth.in("waiter", in, "outer(I)V", 1);
		Truth.calls(in, "failing(I)V", 8);
		Truth.unwound(8);
		Truth.write();
	}
}
