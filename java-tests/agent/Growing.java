// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A program that works in many a thread while sessions with other metrics come and go.
 *
 *   Growing          reads lines:
 *     load           begins to work without end: threads that stay, threads that end at once, and, where the JDK has them,
 *                    virtual ones, which are parked in between; and one that is deep in calls, and waits there
 *     rest           ends it. Tells the calls of Grown's methods by then: "Grown.METHOD COUNT"
 *     phase N        one thread, which was always there, does N jobs. Tells the same, of the phase alone, and "bytes" and
 *                    "cpu" that it used by Grown.work, as the JVM says
 *     quit           exits with 7
 */
final class Growing {
	private static final int OLD = 2, VIRTUAL = 20, DEPTH = 50;
	private static final com.sun.management.ThreadMXBean bean =
			(com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
	private static final CyclicBarrier begin = new CyclicBarrier(2), end = new CyclicBarrier(2);
	private static final AtomicLong jobs = new AtomicLong(), deep = new AtomicLong();
	private static final List<Thread> threads = new ArrayList<>();
	private static volatile boolean loaded;
	private static volatile int phase;
	private static volatile long bytes, cpu;
	private static CountDownLatch waits, released;

	/** What a worker does as long as there is load. */
	private static void loop(long pause) {
		long done = 0;

		for (int i = 0; loaded; i++) {
			Grown.job(i);
			done++;
			if (pause > 0)
				LockSupport.parkNanos(pause);
		}
		jobs.addAndGet(done);
	}

	/** Threads that begin and end all the time. */
	private static void crowd() {
		for (int i = 0; loaded; i++) {
			Thread thread = new Thread(() -> {
				for (int k = 0; k < 20; k++)
					Grown.job(k);
			}, "short-" + i);

			thread.start();
			join(thread);
			jobs.addAndGet(20);
		}
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	private static void start(Thread thread) {
		threads.add(thread);
		thread.start();
	}

	/** NULL: this JDK has none. */
	private static Thread virtual(Runnable work) throws ReflectiveOperationException {
		try {
			Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);

			return (Thread) start.invoke(null, work);
		} catch (NoSuchMethodException e) {
			return null;
		}
	}

	private static void load() throws Exception {
		jobs.set(0);
		deep.set(0);
		loaded = true;
		threads.clear();
		waits = new CountDownLatch(1);
		released = new CountDownLatch(1);
		start(new Thread(() -> {
			Grown.dive(DEPTH, waits, released);
			deep.addAndGet(DEPTH + 1);
		}, "deep"));
		waits.await();
		for (int i = 0; i < OLD; i++)
			start(new Thread(() -> loop(0), "old-" + i));
		start(new Thread(Growing::crowd, "crowd"));
		for (int i = 0; i < VIRTUAL; i++) {
			long pause = 50000 * i;
			Thread thread = virtual(() -> loop(pause));

			if (thread != null)
				threads.add(thread);
		}
	}

	private static void rest() {
		loaded = false;
		released.countDown();
		threads.forEach(Growing::join);
		tell(jobs.get());
		System.out.println("Grown.dive " + deep.get());
	}

	/** From the text of Grown alone. */
	private static void tell(long count) {
		System.out.println("Grown.job " + count);
		System.out.println("Grown.leaf " + 2 * count);
		System.out.println("Grown.allocate " + count);
	}

	private static void steady() {
		try {
			for (;;) {
				begin.await();
				long ran = -bean.getCurrentThreadCpuTime(), had = -allocated();
				Grown.work(phase);
				bytes = had + allocated();
				cpu = ran + bean.getCurrentThreadCpuTime();
				end.await();
			}
		} catch (Exception e) {
			throw new IllegalStateException(e);
		}
	}

	private static long allocated() {
		return bean.getThreadAllocatedBytes(Thread.currentThread().getId());
	}

	private static void phase(int count) throws Exception {
		phase = count;
		begin.await();
		end.await();
		tell(count);
		System.out.println("Grown.work 1");
		System.out.println("bytes " + bytes);
		System.out.println("cpu " + cpu);
	}

	public static void main(String[] args) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		Thread steady = new Thread(Growing::steady, "steady");

		steady.setDaemon(true);
		steady.start();
		for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
			if (line.equals("load"))
				load();
			else if (line.equals("rest"))
				rest();
			else
				phase(Integer.parseInt(line.substring("phase ".length())));
			System.out.println("done");
		}
		System.exit(7);
	}
}

/** What must be counted. */
final class Grown {
	private static volatile Object keep;
	private static int sum;

	static void work(int count) {
		for (int i = 0; i < count; i++)
			job(i);
	}

	static void job(int i) {
		sum += leaf(i) + leaf(i + 1);
		allocate(i);
	}

	private static int leaf(int i) {
		return i ^ i >>> 3;
	}

	private static void allocate(int i) {
		keep = new byte[1000 + i % 8];
	}

	static void dive(int depth, CountDownLatch waits, CountDownLatch released) {
		if (depth > 0) {
			dive(depth - 1, waits, released);
			return;
		}
		waits.countDown();
		try {
			released.await();
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}
}
