// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;

import jprof.JProf;

/**
 * Does units of work, each by a recipe that makes a known number of calls, and keeps its own account of them: of each kind of thread (those
 * that are always there, a pool's, brief ones by thousands, virtual ones), for which user (a tag), inside of Entry.serve or not. A
 * unit is counted before it begins, and again when it is done; so at any time what was done is known from below and from above,
 * and, when the program rests, to the unit.
 *
 *   Ledger FOLDER    reads lines, and answers each with lines and "done":
 *     recipes        "RECIPE WHAT NUMBER": what a unit of each makes
 *     phase N        every kind of thread does a multiple of N units of each recipe; nothing of it runs when "done" is printed
 *     go             begins to work without end, as seconds go by
 *     rest           no unit is under way when "done" is printed, nor begins before the next "go"
 *     book           "KIND USER in|out RECIPE BEGUN DONE"
 *     naps           "INNER OUTER": ns that Body.nap slept, as it measured them inside of itself and around
 *     quit           exits with 7
 */
final class Ledger {
	private static final String[] KINDS = {"old", "pool", "brief", "virtual"};
	private static final String[] USERS = {"-", "alice", "bob"};
	private static final String[] RECIPES = {"compute", "careful", "fill", "save", "load", "lock", "mix", "nap"};
	private static final int OLD = 3, POOL = 4, INSIDE = 2, BATCH = 20;

	private static final ReentrantReadWriteLock gate = new ReentrantReadWriteLock(true);
	private static final AtomicLongArray begun = new AtomicLongArray(KINDS.length * USERS.length * INSIDE * RECIPES.length);
	private static final AtomicLongArray done = new AtomicLongArray(begun.length());
	private static final JProf.PreparedTag[] tag = new JProf.PreparedTag[USERS.length];
	private static final CyclicBarrier begin = new CyclicBarrier(OLD + 1), end = new CyclicBarrier(OLD + 1);
	private static final ExecutorService pool = Executors.newFixedThreadPool(POOL, named("pool-"));
	private static final ThreadFactory brief = named("brief-"), virtual = virtuals();
	private static volatile int units;

	private static ThreadFactory named(String name) {
		AtomicInteger number = new AtomicInteger();

		return task -> {
			Thread thread = new Thread(task, name + number.getAndIncrement());
			thread.setDaemon(true);
			return thread;
		};
	}

	/** null: this JVM has none. */
	private static ThreadFactory virtuals() {
		try {
			Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
			Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");

			builder = type.getMethod("name", String.class, long.class).invoke(builder, "virtual-", 0L);
			return (ThreadFactory) type.getMethod("factory").invoke(builder);
		} catch (ReflectiveOperationException e) {
			return null;
		}
	}

	// ---- units ----

	/** The number says for whom it is, and where. */
	private static void unit(int kind, int recipe, int number) {
		int user = number % USERS.length, inside = number / USERS.length % INSIDE;
		int row = ((kind * USERS.length + user) * INSIDE + inside) * RECIPES.length + recipe;

		begun.getAndIncrement(row);
		if (user > 0)
			tag[user].set();
		if (inside > 0)
			Entry.serve(USERS[user], RECIPES[recipe], recipe);
		else
			Body.run(recipe);
		if (user > 0)
			JProf.tagClear("user");
		done.getAndIncrement(row);
	}

	/** So many of each recipe, for each user, inside and outside. */
	private static void some(int kind, int count) {
		for (int i = 0; i < count * USERS.length * INSIDE; i++)
			for (int recipe = 0; recipe < RECIPES.length; recipe++)
				if (recipe < RECIPES.length - 1 || i % 20 == 0)
					gated(kind, recipe, i);
	}

	private static void gated(int kind, int recipe, int number) {
		gate.readLock().lock();
		try {
			unit(kind, recipe, number);
		} finally {
			gate.readLock().unlock();
		}
	}

	// ---- a phase ----

	private static void oldThread() {
		try {
			for (;;) {
				begin.await();
				some(0, units);
				end.await();
			}
		} catch (Exception e) {
			throw new IllegalStateException(e);
		}
	}

	private static void phase(int count) throws Exception {
		List<Future<?>> tasks = new ArrayList<>();

		units = count;
		begin.await();
		for (int i = 0; i < 2 * POOL; i++)
			tasks.add(pool.submit(() -> some(1, count)));
		batch(2, brief, 10 * count, () -> some(2, 1));
		batch(3, virtual, 10 * count, () -> some(3, 1));
		for (Future<?> task : tasks)
			task.get();
		end.await();
	}

	/** Threads, and their end. */
	private static void batch(int kind, ThreadFactory factory, int count, Runnable work) throws InterruptedException {
		List<Thread> threads = new ArrayList<>();

		if (factory == null)
			return;
		for (int i = 0; i < count; i++) {
			Thread thread = factory.newThread(work);
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads)
			thread.join();
	}

	// ---- work without end ----

	/** Each unit is another one. There is time for others, too. */
	private static void endless(int kind, int first) {
		for (int i = first;; i++) {
			gated(kind, pick(i), i / RECIPES.length);
			if (i % 5 == 0)
				LockSupport.parkNanos(5_000_000);
		}
	}

	/** Naps are rare. */
	private static int pick(int i) {
		int recipe = i % RECIPES.length;

		return recipe == RECIPES.length - 1 && i % 31 != 0 ? 0 : recipe;
	}

	private static void endlessBatches(int kind, ThreadFactory factory) {
		AtomicInteger number = new AtomicInteger();

		try {
			for (;;)
				pausing(kind, factory, () -> {
					int first = number.getAndAdd(7);

					for (int i = first; i < first + 7; i++)
						gated(kind, pick(i), i / RECIPES.length);
				});
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	private static void pausing(int kind, ThreadFactory factory, Runnable work) throws InterruptedException {
		batch(kind, factory, BATCH, work);
		Thread.sleep(100);
	}

	private static void startAll() {
		for (int i = 0; i < OLD; i++) {
			int first = i;
			start("old-endless-" + i, () -> endless(0, first));
		}
		for (int i = 0; i < POOL; i++) {
			int first = 3 * i;
			start("pool-endless-" + i, () -> endless(1, first));
		}
		start("starts-brief", () -> endlessBatches(2, brief));
		if (virtual != null)
			start("starts-virtual", () -> endlessBatches(3, virtual));
	}

	private static void start(String name, Runnable work) {
		Thread thread = new Thread(work, name);
		thread.setDaemon(true);
		thread.start();
	}

	// ---- what is told ----

	private static void tellBook() {
		int row = 0;
		StringBuilder text = new StringBuilder();

		for (String kind : KINDS)
			for (String user : USERS)
				for (int inside = 0; inside < INSIDE; inside++)
					for (String recipe : RECIPES) {
						// In this order: what was done was begun.
						long ended = done.get(row);
						text.append(kind).append(' ').append(user).append(inside > 0 ? " in " : " out ").append(recipe)
								.append(' ').append(begun.get(row++)).append(' ').append(ended).append('\n');
					}
		System.out.print(text);
	}

	private static boolean isWorking;

	private static void act(String[] words) throws Exception {
		switch (words[0]) {
		case "recipes" -> Body.tell();
		case "phase" -> phase(Integer.parseInt(words[1]));
		case "go" -> {
			if (gate.isWriteLockedByCurrentThread())
				gate.writeLock().unlock();
			if (!isWorking)
				startAll();
			isWorking = true;
		}
		case "rest" -> gate.writeLock().lock();
		case "book" -> tellBook();
		case "naps" -> System.out.println(Body.inner.get() + " " + Body.outer.get());
		default -> throw new IllegalArgumentException(words[0]);
		}
	}

	public static void main(String[] args) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));

		for (int u = 1; u < USERS.length; u++)
			tag[u] = JProf.prepareTag("user", USERS[u]);
		Body.open(args[0]);
		for (int i = 0; i < OLD; i++)
			start("old-" + i, Ledger::oldThread);
		for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
			act(line.split(" "));
			System.out.println("done");
		}
		System.exit(7);
	}
}

/** Where a scope begins. */
final class Entry {
	static void serve(String user, String what, int recipe) {
		Body.run(recipe);
	}
}

/** What recipes come to, but for Entry.serve. */
final class Body {
	static final int DEPTH = 4;
	static final AtomicLong inner = new AtomicLong(), outer = new AtomicLong();
	private static final byte[] line = new byte[100];
	private static final ThreadLocal<byte[]> buffer = ThreadLocal.withInitial(() -> new byte[64]);
	private static FileOutputStream saved;
	private static RandomAccessFile loaded;

	static void open(String folder) throws IOException {
		saved = new FileOutputStream(folder + "/saved");
		loaded = new RandomAccessFile(folder + "/loaded", "rw");
		loaded.write(line);
	}

	static void run(int recipe) {
		try {
			switch (recipe) {
			case 0 -> Alpha.compute();
			case 1 -> Gamma.careful();
			case 2 -> Beta.fill();
			case 3 -> Delta.save(saved, line);
			case 4 -> Delta.load(loaded, buffer.get());
			case 5 -> Gamma.lock();
			case 6 -> Alpha.mix(saved, line);
			default -> {
				long from = System.nanoTime();
				Delta.nap();
				outer.addAndGet(System.nanoTime() - from);
			}
			}
		} catch (IOException | InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	/** From the text of the recipes alone. */
	static void tell() {
		tell("compute", Map.of("Alpha.compute", 1, "Alpha.fib", 25, "Alpha.leaf", 3, "Alpha.even", 3, "Alpha.odd", 3));
		tell("careful", Map.of("Gamma.careful", 1, "Gamma.dive", DEPTH + 1, "thrown", 1));
		tell("fill", Map.of("Beta.fill", 1, "Beta.allocate", 4, "bytes", 4000, "filled", 4000));
		tell("save", Map.of("Delta.save", 1, "Delta.write", 2, "writes", 2, "written", 200));
		tell("load", Map.of("Delta.load", 1, "Delta.read", 1, "reads", 1, "read", 64));
		tell("lock", Map.of("Gamma.lock", 1, "Gamma.locked", 1, "Alpha.leaf", 1));
		tell("mix", Map.of("Alpha.mix", 1, "Beta.pass", 1, "Gamma.pass", 2, "Alpha.leaf", 2, "Beta.allocate", 1, "Delta.write", 1,
				"bytes", 1000, "writes", 1, "written", 100));
		tell("nap", Map.of("Delta.nap", 1));
	}

	private static void tell(String recipe, Map<String, Integer> made) {
		System.out.println(recipe + " Body.run 1");
		made.forEach((what, number) -> System.out.println(recipe + " " + what + " " + number));
	}
}

final class Alpha {
	private static volatile int sum;

	static void compute() {
		sum = fib(6) + leaf(1) + leaf(2) + leaf(3) + (even(5) ? 1 : 0);
	}

	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static int leaf(int i) {
		return i ^ i >>> 3;
	}

	static boolean even(int n) {
		return n == 0 || odd(n - 1);
	}

	static boolean odd(int n) {
		return n != 0 && even(n - 1);
	}

	static void mix(FileOutputStream file, byte[] line) throws IOException {
		Beta.pass(file, line);
		sum = leaf(sum);
	}
}

final class Beta {
	private static volatile Object keep;

	static void fill() {
		for (int i = 0; i < 4; i++)
			allocate();
	}

	/** With its header, 1000 bytes. */
	static void allocate() {
		keep = new byte[1000 - 16];
	}

	static void pass(FileOutputStream file, byte[] line) throws IOException {
		Gamma.pass(file, line, 1);
		allocate();
	}
}

final class Gamma {
	static final class Broken extends RuntimeException {
		private static final long serialVersionUID = 1;
	}

	private static final Object monitor = new Object();
	private static volatile int sum;

	static void careful() {
		try {
			dive(Body.DEPTH);
		} catch (Broken e) {
			sum++;
		}
	}

	/** It and its callers end by the exception. */
	private static int dive(int depth) {
		if (depth == 0)
			throw new Broken();
		return dive(depth - 1) + 1;
	}

	static void lock() {
		synchronized (monitor) {
			locked();
		}
	}

	private static void locked() {
		sum = Alpha.leaf(sum);
	}

	static void pass(FileOutputStream file, byte[] line, int more) throws IOException {
		if (more > 0) {
			pass(file, line, more - 1);
			sum = Alpha.leaf(sum);
		} else {
			Delta.write(file, line);
		}
	}
}

final class Delta {
	static void save(FileOutputStream file, byte[] line) throws IOException {
		write(file, line);
		write(file, line);
	}

	static void write(FileOutputStream file, byte[] line) throws IOException {
		file.write(line, 0, line.length);
	}

	static void load(RandomAccessFile file, byte[] buffer) throws IOException {
		synchronized (file) {
			file.seek(0);
			read(file, buffer);
		}
	}

	static void read(RandomAccessFile file, byte[] buffer) throws IOException {
		if (file.read(buffer, 0, buffer.length) != buffer.length)
			throw new IOException("the file is too short");
	}

	static void nap() throws InterruptedException {
		long from = System.nanoTime();
		Thread.sleep(1);
		Body.inner.addAndGet(System.nanoTime() - from);
	}
}
