// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls methods of each kind, and counts by itself how often. Is told what to do, a line at a time:
 * "run N" does so many rounds in 8 threads and answers how often each method was entered in these
 * rounds; "virtual N" the same in so many virtual threads, where there are any; "files N" looks for a
 * file so often.
 */
public class Entered {
	private static final int THREADS = 8;
	private static int found;

	/** What is called; each method counts itself. */
	static class Work {
		static final AtomicLong leaf = new AtomicLong(), recursive = new AtomicLong(),
				constructors = new AtomicLong(), thrower = new AtomicLong(),
				looping = new AtomicLong(), locked = new AtomicLong();
		private long sum;

		Work(int n) {
			this(Integer.toString(n));
			constructors.incrementAndGet();
		}

		Work(String text) {
			super();
			constructors.incrementAndGet();
			sum = text.length();
		}

		static int leaf(int n) {
			leaf.incrementAndGet();
			return n * 31;
		}

		int recursive(int n) {
			recursive.incrementAndGet();
			return n == 0 ? 0 : 1 + recursive(n - 1);
		}

		static void thrower(int n) {
			thrower.incrementAndGet();
			if (n % 2 == 0)
				throw new IllegalStateException();
		}

		/** Jumps back to its first instruction. */
		static int looping(int n) {
			do {
				n--;
			} while (n > 0);
			looping.incrementAndGet();
			return n;
		}

		synchronized long locked(int n) {
			locked.incrementAndGet();
			try {
				thrower(n);
			} catch (IllegalStateException e) {
				sum++;
			} finally {
				sum += 2;
			}
			return sum;
		}
	}

	/** Not chosen by any pattern. */
	static class Other {
		static int round(int n) {
			Work work = new Work(n);
			int sum = Work.leaf(n) + work.recursive(n % 10) + Work.looping(n % 50);

			return sum + (int) work.locked(n);
		}
	}

	private static void rounds(int count) {
		for (int i = 0; i < count; i++)
			Other.round(i);
	}

	private static void inThreads(int count) throws InterruptedException {
		List<Thread> threads = new ArrayList<>();

		for (int i = 0; i < THREADS; i++) {
			Thread thread = new Thread(() -> rounds(count), "worker-" + i);

			threads.add(thread);
			thread.start();
		}
		for (Thread thread : threads)
			thread.join();
	}

	/** So many at the same time, ten rounds each; each yields in the middle. */
	private static void inVirtualThreads(int count) throws Exception {
		Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
		List<Thread> threads = new ArrayList<>();

		for (int i = 0; i < count; i++)
			threads.add((Thread) start.invoke(null, (Runnable) () -> {
				rounds(5);
				Thread.yield();
				rounds(5);
			}));
		for (Thread thread : threads)
			thread.join();
	}

	/** Each calls one native method of the JDK. */
	private static void lookForFiles(int count) {
		File file = new File("/");

		for (int i = 0; i < count; i++)
			found += file.exists() ? 1 : 0;
	}

	private static TreeMap<String, Long> counts() {
		TreeMap<String, Long> counts = new TreeMap<>();

		counts.put("leaf", Work.leaf.get());
		counts.put("recursive", Work.recursive.get());
		counts.put("<init>", Work.constructors.get());
		counts.put("thrower", Work.thrower.get());
		counts.put("looping", Work.looping.get());
		counts.put("locked", Work.locked.get());
		return counts;
	}

	public static void main(String[] args) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));

		for (String line = in.readLine(); line != null && !line.equals("quit");
				line = in.readLine()) {
			String[] words = line.split(" ");
			int count = Integer.parseInt(words[1]);
			TreeMap<String, Long> before = counts();

			switch (words[0]) {
			case "run" -> inThreads(count);
			case "virtual" -> inVirtualThreads(count);
			default -> lookForFiles(count);
			}
			counts().forEach((name, number) ->
					System.out.println(name + " " + (number - before.get(name))));
			System.out.println("done");
		}
		System.exit(7);
	}
}
