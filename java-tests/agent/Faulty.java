// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package agent;

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Does as fast as it can what traces tell of, and counts each thing before it does it, in a file, so that the counts are there even if it is
 * killed. On platform threads and, where there are such, virtual ones.
 *
 *   Faulty FOLDER      reads lines, and answers each with "done":
 *     run MS           does it for so long
 *     hold, release    a thread that is deep in calls, and goes on
 *     quit             exits with 7
 */
final class Faulty {
	/** What is counted, a long each in FOLDER/counts, in this order. */
	enum What {
		FIB, THROWN, THINGS, WRITES, WAITS, PARKS, WATCHED, LOADS, STARTS, COLLECTIONS;

		private static final VarHandle longs =
			MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
		private static ByteBuffer counts;

		static void open(Path file) throws Exception {
			try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE,
					StandardOpenOption.READ, StandardOpenOption.WRITE)) {
				counts = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8L * values().length);
			}
		}

		void add(long more) {
			longs.getAndAdd(counts, 8 * ordinal(), more);
		}
	}

	static final class Expected extends RuntimeException {
	}

	static final class Thing {
	}

	static final class Monitor {
	}

	static final class Blocker {
	}

	/** Loaded again and again. */
	static final class Loaded {
		static final Object made = new Object();
	}

	static final int HELD = 100; // calls of leaf by the thread that is held
	private static final int FIB = 10, FIB_CALLS = 177;
	private static volatile long until;
	private static volatile int sink;
	private static volatile Object kept;
	private static volatile Throwable failure;
	private static Path folder;
	private static CountDownLatch held, released;
	private static Thread holder;

	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static int fail(int depth) {
		if (depth == 0)
			throw new Expected();
		return fail(depth - 1) + 1;
	}

	static void leaf() {
		sink++;
	}

	static void watched(int n) {
		leaf();
		sink += n;
	}

	static void pause(int i, Monitor monitor, Blocker blocker) throws Exception {
		if (i % 64 == 0) {
			synchronized (monitor) {
				What.WAITS.add(1);
				monitor.wait(1);
			}
		}
		if (i % 64 == 32) {
			What.PARKS.add(1);
			LockSupport.parkNanos(blocker, 1000);
		}
	}

	static void once(int i, FileOutputStream out) throws Exception {
		What.FIB.add(FIB_CALLS);
		sink += fib(FIB);
		What.THINGS.add(1);
		kept = new Thing();
		What.THROWN.add(1);
		try {
			fail(i % 5);
		} catch (Expected expected) {
			sink++;
		}
		if (i % 4 == 0) {
			What.WRITES.add(1);
			out.write(1);
		}
		if (i % 16 == 0) {
			What.WATCHED.add(1);
			watched(i);
		}
	}

	static void work(int number) throws Exception {
		Monitor monitor = new Monitor();
		Blocker blocker = new Blocker();

		try (FileOutputStream out = new FileOutputStream(folder.resolve("written-" + number).toFile())) {
			int i = 0;
			do {
				once(i, out);
				pause(i++, monitor, blocker);
			} while (System.nanoTime() < until);
		}
	}

	static void load(int number) throws Exception {
		URL[] from = {Faulty.class.getProtectionDomain().getCodeSource().getLocation()};
		long collect = 0;

		do {
			try (URLClassLoader loader = new URLClassLoader(from, null)) {
				What.LOADS.add(1);
				Class.forName("agent.Faulty$Loaded", true, loader);
			}
			What.STARTS.add(1);
			Thread beginner = new Thread(() -> { }, "short");
			beginner.start();
			beginner.join();
			if (System.nanoTime() > collect) {
				What.COLLECTIONS.add(1);
				System.gc();
				collect = System.nanoTime() + 100_000_000;
			}
		} while (System.nanoTime() < until);
	}

	interface Work {
		void run(int number) throws Exception;
	}

	static Thread begin(boolean virtual, Work work, int number) throws Exception {
		Runnable run = () -> {
			try {
				work.run(number);
			} catch (Throwable wrong) {
				failure = wrong;
			}
		};
		Thread thread;
		try {
			if (virtual) {
				Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
				return (Thread) start.invoke(null, run);
			}
		} catch (NoSuchMethodException old) {
			// a platform thread
		}
		thread = new Thread(run, "worker-" + number);
		thread.start();
		return thread;
	}

	static void run(long ms) throws Exception {
		List<Thread> threads = new ArrayList<>();

		until = System.nanoTime() + ms * 1_000_000;
		for (int i = 0; i < 4; i++)
			threads.add(begin(i % 2 == 1, Faulty::work, i));
		threads.add(begin(false, Faulty::load, 4));
		for (Thread thread : threads)
			thread.join();
	}

	static void down(int depth) throws Exception {
		if (depth > 0) {
			down(depth - 1);
			return;
		}
		held.countDown();
		released.await();
		for (int i = 0; i < HELD; i++)
			leaf();
	}

	static void hold() throws Exception {
		held = new CountDownLatch(1);
		released = new CountDownLatch(1);
		holder = begin(false, number -> down(number), 8);
		held.await();
	}

	static void release() throws Exception {
		released.countDown();
		holder.join();
	}

	public static void main(String[] args) throws Exception {
		folder = Path.of(args[0]);
		What.open(folder.resolve("counts"));
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		for (String line; (line = in.readLine()) != null && !line.equals("quit");) {
			String[] order = line.split(" ");
			switch (order[0]) {
			case "run":
				run(Long.parseLong(order[1]));
				break;
			case "hold":
				hold();
				break;
			case "release":
				release();
				break;
			}
			if (failure != null) {
				failure.printStackTrace();
				System.exit(8);
			}
			System.out.println("done");
		}
		System.exit(7);
	}
}
