// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.util.concurrent.CountDownLatch;

/** What runs in shutdown hooks is counted like the rest. */
final class ShutdownHooks extends Thread {
	static final int HOOKS = 4;
	static final CountDownLatch others = new CountDownLatch(HOOKS - 1);
	final int number;
	volatile long work;

	ShutdownHooks(int number) {
		super("hook-" + number);
		this.number = number;
	}

	void work() {
		work++;
	}

	@Override
	public void run() {
		for (int i = 0; i < 10 * number; i++)
			work();
		if (number < HOOKS - 1) {
			others.countDown();
			return;
		}
		try {
			others.await();
		} catch (InterruptedException e) {
			Truth.expect(false, "interrupted");
		}
		Truth.save(ShutdownHooks.class);
	}

	public static void main(String[] args) {
		int work = 0;
		for (int i = 0; i < HOOKS; i++) {
			Runtime.getRuntime().addShutdownHook(new ShutdownHooks(i));
			Truth.in("hook-" + i, ShutdownHooks.class, "run()V", 1);
			if (i > 0)
				Truth.in("hook-" + i, ShutdownHooks.class, "work()V", 10 * i);
			work += 10 * i;
		}
		Truth.calls(ShutdownHooks.class, "<clinit>()V", 1);
		Truth.calls(ShutdownHooks.class, "<init>(I)V", HOOKS);
		Truth.calls(ShutdownHooks.class, "run()V", HOOKS);
		Truth.calls(ShutdownHooks.class, "work()V", work);
	}
}
