/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
import java.io.FileWriter;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Eight methods that call one another in ever new orders, in so many threads: hardly a
 * path comes twice. Each knows how often it was called and what it allocated.
 *
 *   Folded [virtual|together] THREADS ROUNDS FILE      a round is a path of ten calls
 *
 * virtual: the threads are; together: none ends before all have been through their rounds.
 * FILE gets a line "METHOD CALLS BYTES" for each method, of all threads.
 */
public class Folded {
	static final int DEPTH = 10;
	static volatile byte[] kept;
	static CountDownLatch together;

	abstract static class Step {
		abstract void go(Walk walk, int depth);
	}

	static final class Step0 extends Step {
		@Override
		void go(Walk walk, int depth) {
			walk.count(0);
			if (depth > 1)
				walk.next().go(walk, depth - 1);
		}
	}

	static final class Step1 extends Step {
		@Override
		void go(Walk walk, int depth) {
			walk.count(1);
			if (depth > 1)
				walk.next().go(walk, depth - 1);
		}
	}

	static final class Step2 extends Step {
		@Override
		void go(Walk walk, int depth) {
			walk.count(2);
			if (depth > 1)
				walk.next().go(walk, depth - 1);
		}
	}

	static final class Step3 extends Step {
		@Override
		void go(Walk walk, int depth) {
			walk.count(3);
			if (depth > 1)
				walk.next().go(walk, depth - 1);
		}
	}

	static final class Step4 extends Step {
		@Override
		void go(Walk walk, int depth) {
			walk.count(4);
			if (depth > 1)
				walk.next().go(walk, depth - 1);
		}
	}

	static final class Step5 extends Step {
		@Override
		void go(Walk walk, int depth) {
			walk.count(5);
			if (depth > 1)
				walk.next().go(walk, depth - 1);
		}
	}

	static final class Step6 extends Step {
		@Override
		void go(Walk walk, int depth) {
			walk.count(6);
			if (depth > 1)
				walk.next().go(walk, depth - 1);
		}
	}

	static final class Step7 extends Step {
		@Override
		void go(Walk walk, int depth) {
			walk.count(7);
			if (depth > 1)
				walk.next().go(walk, depth - 1);
		}
	}

	static final Step[] STEPS = {new Step0(), new Step1(), new Step2(), new Step3(),
		new Step4(), new Step5(), new Step6(), new Step7()};

	static final class Walk implements Runnable {
		final long[] calls = new long[STEPS.length];
		final int rounds;
		long state;

		Walk(int seed, int rounds) {
			this.state = seed * 0x9e3779b97f4a7c15L + 1;
			this.rounds = rounds;
		}

		Step next() {
			state ^= state << 13;
			state ^= state >>> 7;
			state ^= state << 17;
			return STEPS[(int)(state >>> 40) & 7];
		}

		void count(int step) {
			calls[step]++;
			kept = new byte[bytes(step) - 16];
		}

		@Override
		public void run() {
			for (int i = 0; i < rounds; i++)
				next().go(this, DEPTH);
			if (together == null)
				return;
			together.countDown();
			try {
				together.await();
			} catch (InterruptedException e) {
				throw new IllegalStateException(e);
			}
		}
	}

	static int bytes(int step) {
		return 32 + 8 * step;
	}

	/* Unknown to JDK 17. */
	static Thread start(Walk walk, int number, boolean isVirtual) throws Exception {
		Thread thread;

		if (isVirtual) {
			Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
			return (Thread)start.invoke(null, walk);
		}
		thread = new Thread(walk, "walk-" + number);
		thread.start();
		return thread;
	}

	public static void main(String[] arguments) throws Exception {
		boolean isVirtual = arguments[0].equals("virtual");
		boolean isTogether = arguments[0].equals("together");
		int at = isVirtual || isTogether ? 1 : 0;
		int threads = Integer.parseInt(arguments[at]);
		int rounds = Integer.parseInt(arguments[at + 1]);
		if (isTogether)
			together = new CountDownLatch(threads);
		List<Thread> started = new ArrayList<>();
		List<Walk> walks = new ArrayList<>();

		for (int i = 0; i < threads; i++) {
			walks.add(new Walk(i + 1, rounds));
			started.add(start(walks.get(i), i, isVirtual));
		}
		for (Thread thread : started)
			thread.join();
		try (PrintWriter out = new PrintWriter(new FileWriter(arguments[at + 2]))) {
			for (int step = 0; step < STEPS.length; step++) {
				long calls = 0;
				for (Walk walk : walks)
					calls += walk.calls[step];
				out.println("Folded$Step" + step + " " + calls + " " + calls * bytes(step));
			}
		}
	}
}
