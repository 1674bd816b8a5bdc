// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A program that has been running for long: it does, a phase at a time, a number of jobs that
 * make a known number of calls, in threads that were always there and in new ones.
 *
 *   Phases FILE      reads lines:
 *     phase N        every thread does N jobs and writes N lines to FILE. Tells the calls that
 *                    were made, "Jobs.METHOD COUNT"; "bytes" that Jobs.allocate allocated;
 *                    "writes" and their bytes. Nothing of it runs when "done" is printed
 *     quit           exits with 7
 *
 * Meanwhile a thread calls Noise.step() without end.
 */
final class Phases {
	private static final int OLD = 3, NEW = 2;
	private static final com.sun.management.ThreadMXBean bean =
			(com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
	private static final CyclicBarrier begin = new CyclicBarrier(OLD + 1);
	private static final CyclicBarrier end = new CyclicBarrier(OLD + 1);
	private static final AtomicLong bytes = new AtomicLong();
	private static volatile int jobs;
	private static OutputStream file;

	static long allocated() {
		return bean.getThreadAllocatedBytes(Thread.currentThread().getId());
	}

	/** What one thread does in a phase. */
	private static void work(int count) {
		try {
			Jobs jobs = new Jobs();
			for (int i = 0; i < count; i++)
				jobs.job(i);
			allocated();
			long cost = -allocated() + allocated();
			bytes.addAndGet(Jobs.allocate(count) + cost);
			for (int i = 0; i < count; i++)
				Jobs.write(file, i);
		} catch (IOException e) {
			throw new IllegalStateException(e);
		}
	}

	private static void oldThread() {
		try {
			for (;;) {
				begin.await();
				work(jobs);
				end.await();
			}
		} catch (Exception e) {
			throw new IllegalStateException(e);
		}
	}

	private static void phase(int count) throws Exception {
		List<Thread> threads = new ArrayList<>();

		bytes.set(0);
		jobs = count;
		begin.await();
		for (int i = 0; i < NEW; i++) {
			Thread thread = new Thread(() -> work(count), "new-" + i);
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads)
			thread.join();
		end.await();
		tell((long) count, OLD + NEW);
	}

	/** From the text of Jobs alone. */
	private static void tell(long count, long threads) {
		long all = count * threads, caught = (count + 3) / 4 * threads;
		Map<String, Long> calls = new TreeMap<>(Map.of("job", all, "leaf", 2 * all, "fib", 177 * all,
				"locked", all, "careful", caught, "dive", (Jobs.DEPTH + 1) * caught,
				"allocate", threads, "write", all, "<init>", threads));

		calls.forEach((method, number) -> {
			if (number > 0)
				System.out.println("Jobs." + method + " " + number);
		});
		System.out.println("bytes " + bytes.get());
		System.out.println("writes " + all + " " + 100 * all);
	}

	public static void main(String[] args) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		Thread noise = new Thread(Noise::run, "noise");

		file = new FileOutputStream(args[0]);
		noise.setDaemon(true);
		noise.start();
		for (int i = 0; i < OLD; i++) {
			Thread thread = new Thread(Phases::oldThread, "old-" + i);
			thread.setDaemon(true);
			thread.start();
		}
		for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
			phase(Integer.parseInt(line.substring("phase ".length())));
			System.out.println("done");
		}
		System.exit(7);
	}
}

/** Calls in many a way: what must be counted. */
final class Jobs {
	static final int DEPTH = 5;
	private static final byte[] LINE = new byte[100];
	private static Object keep;
	private int sum;

	void job(int i) throws IOException {
		sum += leaf(i) + fib(10) + locked(i);
		if (i % 4 == 0)
			sum += careful(i);
	}

	static int leaf(int i) {
		return i ^ i >>> 3;
	}

	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	private synchronized int locked(int i) {
		return leaf(sum) + i;
	}

	private static int careful(int i) {
		try {
			return dive(DEPTH, i);
		} catch (IllegalArgumentException e) {
			return 1;
		}
	}

	/** DEPTH + 1 calls, all of which end by the exception. */
	private static int dive(int depth, int i) {
		if (depth == 0)
			throw new IllegalArgumentException();
		return dive(depth - 1, i) + 1;
	}

	/** Returns how much its thread allocated meanwhile, without what a reading costs. */
	static long allocate(int count) {
		long from = Phases.allocated();

		for (int i = 0; i < count; i++)
			keep = new byte[i % 3000];
		return Phases.allocated() - from;
	}

	static void write(OutputStream file, int i) throws IOException {
		file.write(LINE, 0, LINE.length);
	}
}

/** Runs all the time, jitted, while sessions begin and end. */
final class Noise {
	private static volatile long steps;

	private static void step() {
		steps++;
	}

	private static void round() {
		for (int i = 0; i < 1000; i++)
			step();
	}

	static void run() {
		for (;;)
			round();
	}
}
