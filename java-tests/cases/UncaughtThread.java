// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
// stderr: ^Exception in thread "doomed" java.lang.IllegalStateException: on purpose$
// stderr: ^\s+at (cases\.UncaughtThread|java\.base/)
package cases;

/** An exception that ends another thread; one that its handler takes. */
final class UncaughtThread implements Runnable {
	static long fail, handled;

	static void fail(int n) {
		fail++;
		if (n > 0)
			fail(n - 1);
		throw new IllegalStateException("on purpose");
	}

	@Override
	public void run() {
		fail(5);
	}

	static final class Handler implements Thread.UncaughtExceptionHandler {
		@Override
		public void uncaughtException(Thread thread, Throwable e) {
			handled++;
		}
	}

	public static void main(String[] args) throws InterruptedException {
		Thread doomed = new Thread(new UncaughtThread(), "doomed");
		doomed.start();
		doomed.join();
		Thread handled = new Thread(new UncaughtThread(), "handled");
		handled.setUncaughtExceptionHandler(new Handler());
		handled.start();
		handled.join();
		Truth.calls(UncaughtThread.class, "<init>()V", 2);
		Truth.calls(UncaughtThread.class, "run()V", 2);
		Truth.calls(UncaughtThread.class, "fail(I)V", fail);
		Truth.calls(Handler.class, "<init>()V", 1);
		Truth.calls(Handler.class, "uncaughtException(Ljava/lang/Thread;Ljava/lang/Throwable;)V",
				UncaughtThread.handled);
		Truth.at("handled", 1, 0, Handler.class,
				"uncaughtException(Ljava/lang/Thread;Ljava/lang/Throwable;)V", 1);
		Truth.save(UncaughtThread.class);
	}
}
