// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;

/**
 * Virtual threads that go to and fro between their carriers. JVMs before 21 have none; platform
 * threads do it there.
 */
final class VirtualThreads {
	static final int THREADS = 200, ROUNDS = 5;
	static final CountDownLatch ended = new CountDownLatch(THREADS);
	static long onPlatform;

	static void work(int depth) {
		if (depth > 0) {
			work(depth - 1);
			return;
		}
		try {
			Thread.sleep(1);
		} catch (InterruptedException e) {
			throw new AssertionError(e);
		}
	}

	static void platform() {
		onPlatform++;
	}

	static final class Body implements Runnable {
		@Override
		public void run() {
			for (int i = 0; i < ROUNDS; i++)
				work(i);
			ended.countDown();
		}
	}

	static Method starter() {
		try {
			return Thread.class.getMethod("startVirtualThread", Runnable.class);
		} catch (NoSuchMethodException e) {
			return null;
		}
	}

	public static void main(String[] args) throws Exception {
		Method starter = Runtime.version().feature() < 21 ? null : starter();
		Body body = new Body();

		for (int i = 0; i < THREADS; i++) {
			if (starter != null)
				starter.invoke(null, body);
			else
				new Thread(body).start();
			platform();
		}
		ended.await();
		Truth.calls(VirtualThreads.class, "<clinit>()V", 1);
		Truth.calls(VirtualThreads.class, "platform()V", onPlatform);
		Truth.calls(VirtualThreads.class, "starter()Ljava/lang/reflect/Method;",
				Runtime.version().feature() < 21 ? 0 : 1);
		Truth.calls(Body.class, "<init>()V", 1);
		Truth.calls(Body.class, "run()V", THREADS);
		Truth.calls(VirtualThreads.class, "work(I)V", (long) THREADS * ROUNDS * (ROUNDS + 1) / 2);
		Truth.save(VirtualThreads.class);
	}
}
