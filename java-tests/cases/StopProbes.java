// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
// stderr: ^jprof: nothing is being recorded: start a recording first$
package cases;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * jprof_stop() in the middle of it all: called by native code, from inside an instrumented method,
 * while other threads are deep in theirs. What was called before is in the profile, and the
 * program goes on.
 */
final class StopProbes extends Thread {
	static final int THREADS = 4, DEPTH = 6;
	static final AtomicLongArray steps = new AtomicLongArray(THREADS + 1);
	static final CountDownLatch running = new CountDownLatch(THREADS);
	static volatile boolean end;
	final int number;
	long rounds;

	StopProbes(int number) {
		super("worker-" + number);
		this.number = number;
	}

	/** A function of the agent library at this path, which is loaded: what it returns. */
	static native int call(String agent, String function);

	static int step(int number, int depth) {
		steps.incrementAndGet(number);
		return depth == 0 ? 1 : step(number, depth - 1) + 1;
	}

	@Override
	public void run() {
		for (; !end; rounds++) {
			Truth.expect(step(number, DEPTH) == DEPTH + 1, "wrong sum");
			if (rounds == 100)
				running.countDown();
		}
	}

	/** At the bottom of a recursion. */
	static void stopAt(int depth) {
		if (depth > 0) {
			stopAt(depth - 1);
			return;
		}
		long before = 0;
		for (int i = 0; i <= THREADS; i++)
			before += steps.get(i);
		Truth.least(StopProbes.class, "step(II)I", before);
		Truth.expect(call(System.getProperty("truth.agent"), "jprof_stop") == 0, "stop");
		Truth.expect(call(System.getProperty("truth.agent"), "jprof_stop") == -1, "stopped twice");
	}

	public static void main(String[] args) throws InterruptedException {
		StopProbes[] threads = new StopProbes[THREADS];

		System.loadLibrary("cases");
		for (int i = 0; i < THREADS; i++) {
			threads[i] = new StopProbes(i);
			threads[i].start();
		}
		running.await();
		step(THREADS, 10);
		stopAt(10);
		long stopped = 0, total = 0;
		for (int i = 0; i < THREADS; i++)
			stopped += steps.get(i);
		Thread.sleep(200);
		end = true;
		for (StopProbes thread : threads) {
			thread.join();
			Truth.expect(steps.get(thread.number) == thread.rounds * (DEPTH + 1), "lost steps");
			total += steps.get(thread.number);
		}
		step(THREADS, 10);
		Truth.expect(total > stopped, "the threads did not go on");
		Class<?> in = StopProbes.class;
		/* What came while the stop was on its way may be in the profile, or not. */
		Truth.most(in, "step(II)I", stopped + 11);
		Truth.calls(in, "<clinit>()V", 1);
		Truth.calls(in, "<init>(I)V", THREADS);
		Truth.calls(in, "run()V", THREADS);
		Truth.calls(in, "stopAt(I)V", 11);
		Truth.calls(in, "call(Ljava/lang/String;Ljava/lang/String;)I", 1);
		Truth.save(in);
	}
}
