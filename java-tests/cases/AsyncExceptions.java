// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
// may-be-above-0: repaired
// may-be-above-0[events]: unmatched
package cases;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Exceptions that another thread throws into this one, at any instruction: by the JVM's tool
 * interface, and by Thread.stop where it still does that. An exit may go by unseen, and is repaired;
 * no call is lost, and the level is right again where the exception is caught.
 */
final class AsyncExceptions extends Thread {
	static final int THREADS = 3, STOPS = 40;
	final AtomicInteger working = new AtomicInteger();
	final int number;
	long outer, inner, probe;

	static final class Stop extends Error {
		private static final long serialVersionUID = 1;
	}

	AsyncExceptions(int number) {
		super("struck-" + number);
		this.number = number;
	}

	/** The tool interface's StopThread. */
	static native void stop(Thread thread, Throwable exception);

	void inner(int n) {
		inner++;
		if (n > 0)
			inner(n - 1);
	}

	void outer() {
		outer++;
		try {
			inner(number);
		} finally {
			inner(0);
		}
	}

	void probe() {
		probe++;
	}

	/** Until it is struck; only inside this the others strike. */
	void work(int round) {
		working.set(round);
		for (;;)
			outer();
	}

	@Override
	public void run() {
		for (int i = 1; i <= STOPS; i++) {
			try {
				work(i);
			} catch (Stop | ThreadDeath e) {
				probe();
			}
		}
	}

	/** Thread.stop, or null where it does nothing (JDK 20 and later). */
	static Method stopMethod() throws NoSuchMethodException {
		return Runtime.version().feature() < 20 ? Thread.class.getMethod("stop") : null;
	}

	static void strikeOnce(AsyncExceptions thread, int round, Method stop) throws Exception {
		while (thread.working.get() < round)
			Thread.onSpinWait();
		Thread.sleep(0, 100_000 * (round % 7));
		if (stop != null && round % 2 == 0)
			stop.invoke(thread);
		else
			stop(thread, new Stop());
	}

	public static void main(String[] args) throws Exception {
		AsyncExceptions[] threads = new AsyncExceptions[THREADS];
		Class<?> in = AsyncExceptions.class;
		Method stop = stopMethod();
		long outer = 0, inner = 0, strikes = 0;

		System.loadLibrary("cases");
		for (int i = 0; i < THREADS; i++) {
			threads[i] = new AsyncExceptions(i);
			threads[i].start();
		}
		for (int round = 1; round <= STOPS; round++) {
			for (AsyncExceptions thread : threads) {
				strikeOnce(thread, round, stop);
				strikes += stop == null || round % 2 != 0 ? 1 : 0;
			}
		}
		for (AsyncExceptions thread : threads) {
			thread.join();
			outer += thread.outer;
			inner += thread.inner;
			Truth.expect(thread.probe == STOPS, "caught " + thread.probe);
			Truth.in(thread.getName(), in, "work(I)V", STOPS);
			Truth.at(thread.getName(), 2, 0, in, "probe()V", STOPS);
		}
		/* A call may be struck between its entry and the statement that counts it. */
		long struck = (long) THREADS * STOPS;
		Truth.least(in, "outer()V", outer);
		Truth.most(in, "outer()V", outer + struck);
		Truth.least(in, "inner(I)V", inner);
		Truth.most(in, "inner(I)V", inner + struck);
		Truth.calls(in, "probe()V", struck);
		Truth.calls(in, "work(I)V", struck);
		Truth.calls(in, "run()V", THREADS);
		Truth.calls(in, "<init>(I)V", THREADS);
		Truth.calls(in, "stopMethod()Ljava/lang/reflect/Method;", 1);
		Truth.calls(in, "strikeOnce(Lcases/AsyncExceptions;ILjava/lang/reflect/Method;)V", struck);
		Truth.calls(in, "stop(Ljava/lang/Thread;Ljava/lang/Throwable;)V", strikes);
		Truth.calls(Stop.class, "<init>()V", strikes);
		Truth.save(in);
	}
}
