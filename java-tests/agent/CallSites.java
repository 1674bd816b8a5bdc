// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;

/**
 * Calls the same methods from several lines, and writes down how often: "CALLER LINE METHOD CALLS". Each method that is called
 * asks the JVM's stack walker by whom, and from which line.
 *
 * <p>CallSites FILE ROUNDS THREADS virtual|platform
 */
class CallSites {
	/** Is not recorded. */
	static final class Told {
		static final TreeMap<String, Long> calls = new TreeMap<>();
		private static final StackWalker WALKER = StackWalker.getInstance();

		/** Of frames the JDK's own are passed over. */
		static void called() {
			String key = WALKER.walk(frames -> {
				var list = frames.skip(1).filter(frame -> frame.getClassName().startsWith("CallSites"))
					.limit(2).toList();
				var own = list.get(0);
				var caller = list.get(1);

				return caller.getClassName() + "." + caller.getMethodName() + " " + caller.getLineNumber() + " "
					+ own.getClassName() + "." + own.getMethodName();
			});
			synchronized (calls) {
				calls.merge(key, 1L, Long::sum);
			}
		}
	}

	static volatile int sink;

	static void leaf(int n) {
		Told.called();
		sink += n;
	}

	static int value(int n) {
		Told.called();
		return n + sink;
	}

	static void failing(int n) {
		Told.called();
		if (n % 3 == 0)
			throw new IllegalStateException("as ever");
	}

	static void twoLines(int n) {
		Told.called();
		leaf(n);
		leaf(n);
	}

	static void inLoop(int n) {
		Told.called();
		for (int i = 0; i < n; i++) {
			leaf(i);
			if (i % 2 == 0)
				leaf(i);
			else
				continue;
			leaf(-i);
		}
	}

	/** Two calls on one line are one site, and so is what is called by way of the JDK. */
	static void oneLine(int n) {
		Told.called();
		leaf(n); leaf(n + 1);
		sink += value(n) + value(
			value(n));
		List.of(1, 2, 3).forEach(CallSites::leaf);
	}

	static void lambdas(int n) {
		Told.called();
		IntConsumer first = i -> {
			Told.called();
			leaf(i);
			leaf(i);
		};
		first.accept(n);
		for (int i = 0; i < 2; i++)
			first.accept(i);
	}

	static void recursive(int n) {
		Told.called();
		if (n <= 0)
			return;
		recursive(n - 1);
		leaf(n);
		if (n % 2 == 0)
			recursive(n - 2);
	}

	static void catching(int n) {
		Told.called();
		try {
			failing(n);
			leaf(n);
		} catch (IllegalStateException e) {
			leaf(n);
		} finally {
			leaf(n);
		}
		leaf(n);
	}

	/** Left by exceptions, deep down. */
	static void through(int n) {
		Told.called();
		leaf(n);
		failing(n);
		leaf(n);
	}

	static void caught(int n) {
		Told.called();
		try {
			through(n);
		} catch (IllegalStateException e) {
			sink++;
		}
		leaf(n);
	}

	static class Made {
		final int number;

		Made(int n) {
			this(n, value(n));
			Told.called();
			leaf(n);
			leaf(n);
		}

		Made(int n, int more) {
			super();
			Told.called();
			number = more;
			leaf(n);
		}
	}

	static void constructing(int n) {
		Told.called();
		new Made(n);
		sink += new Made(n).number
			+ new Made(value(n)).number;
	}

	static void switching(int n) {
		Told.called();
		switch (n % 3) {
		case 0:
			leaf(n);
			break;
		case 1:
			leaf(n);
			// and on
		default:
			leaf(n);
		}
		sink += n % 2 == 0 ? value(n) : value(n + 1);
		String text = "n" + n + new Object() {
			@Override
			public String toString() {
				Told.called();
				leaf(n);
				return "";
			}
		};
		sink += text.length();
	}

	synchronized void locked(int n) {
		Told.called();
		synchronized (Told.calls) {
			leaf(n);
		}
		leaf(n);
	}

	static void waiting(int n) throws InterruptedException {
		Told.called();
		leaf(n);
		Thread.sleep(1);
		leaf(n);
		leaf(n);
	}

	static void round(int n) throws InterruptedException {
		Told.called();
		twoLines(n);
		twoLines(n);
		inLoop(n % 7);
		oneLine(n);
		lambdas(n);
		recursive(n % 6);
		catching(n);
		caught(n);
		constructing(n);
		switching(n);
		new CallSites().locked(n);
		if (n % 16 == 0)
			waiting(n);
	}

	static void work(int rounds, CountDownLatch begin) {
		try {
			begin.await();
			for (int n = 0; n < rounds; n++)
				round(n);
		} catch (InterruptedException e) {
			throw new AssertionError(e);
		}
	}

	static Thread thread(String kind, Runnable run) throws ReflectiveOperationException {
		if (!kind.equals("virtual"))
			return new Thread(run, "worker");
		// JDK 17 has none to compile against.
		return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, run);
	}

	public static void main(String[] args) throws ReflectiveOperationException, InterruptedException, IOException {
		int rounds = Integer.parseInt(args[1]), threads = Integer.parseInt(args[2]);
		CountDownLatch begin = new CountDownLatch(1);
		List<Thread> started = new ArrayList<>();

		for (int i = 0; i < threads; i++)
			started.add(thread(args[3], () -> work(rounds, begin)));
		for (Thread thread : started)
			if (!thread.isAlive() && !args[3].equals("virtual"))
				thread.start();
		begin.countDown();
		for (Thread thread : started)
			thread.join();
		try (PrintWriter out = new PrintWriter(new FileWriter(args[0]))) {
			Told.calls.forEach((key, calls) -> out.println(key + " " + calls));
		}
	}
}
