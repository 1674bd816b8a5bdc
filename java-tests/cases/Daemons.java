// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.util.concurrent.CountDownLatch;

/** Daemon threads that still run, wait or spin when the JVM ends. */
final class Daemons extends Thread {
	static final int WAITING = 5;
	static final CountDownLatch ready = new CountDownLatch(WAITING + 1);
	static final CountDownLatch never = new CountDownLatch(1);
	static volatile long spins;
	long work;

	Daemons(String name) {
		super(name);
		setDaemon(true);
	}

	void work(int n) {
		work++;
		if (n > 0)
			work(n - 1);
	}

	void hold() {
		ready.countDown();
		try {
			never.await();
		} catch (InterruptedException e) {
			Truth.expect(false, "interrupted");
		}
	}

	static void spin() {
		spins++;
	}

	@Override
	public void run() {
		if (getName().equals("spinner")) {
			ready.countDown();
			for (;;)
				spin();
		}
		for (int i = 0; i < 100; i++)
			work(5);
		hold();
	}

	public static void main(String[] args) throws InterruptedException {
		Daemons[] daemons = new Daemons[WAITING];
		for (int i = 0; i < WAITING; i++) {
			daemons[i] = new Daemons("waiter-" + i);
			daemons[i].start();
		}
		new Daemons("spinner").start();
		ready.await();
		Thread.sleep(50);
		long work = 0;
		for (Daemons daemon : daemons) {
			work += daemon.work;
			Truth.in(daemon.getName(), Daemons.class, "work(I)V", daemon.work);
			Truth.in(daemon.getName(), Daemons.class, "hold()V", 1);
		}
		Truth.calls(Daemons.class, "<clinit>()V", 1);
		Truth.calls(Daemons.class, "<init>(Ljava/lang/String;)V", WAITING + 1);
		Truth.calls(Daemons.class, "run()V", WAITING + 1);
		Truth.calls(Daemons.class, "work(I)V", work);
		Truth.calls(Daemons.class, "hold()V", WAITING);
		Truth.least(Daemons.class, "spin()V", spins);
		Truth.save(Daemons.class);
	}
}
