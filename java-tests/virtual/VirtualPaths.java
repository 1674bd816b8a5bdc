// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual threads that leave their carriers in every way and depth, and come back to others: their
 * call paths (Calls and what is nested in it) are told by themselves. Words: "platform" has
 * platform threads do it, "separate" gives each thread a row.
 *
 *   do CASE...     one after the other; "all" is each of the table. "done": nothing runs any more
 *   named N        N threads "named-0", "named-1"..., each of which makes calls of its own number
 */
final class VirtualPaths {
	static final int THREADS = 60;
	static final ReentrantLock lock = new ReentrantLock();
	static final Object monitor = new Object();

	interface Case {
		void run() throws Exception;
	}

	private static final Map<String, Case> cases = Map.ofEntries(
			Map.entry("executor", VirtualPaths::executor),
			Map.entry("builder", () -> many("builder-", root -> Calls.mixed(root, 5))),
			Map.entry("deep", VirtualPaths::deep),
			Map.entry("throwing", () -> many("throwing-", root -> Calls.catches(root, 20))),
			Map.entry("ended", VirtualPaths::ended),
			Map.entry("pinned", () -> many("pinned-", Calls::pinned)),
			Map.entry("compared", () -> many("compared-", Calls::compared)),
			Map.entry("initialized", VirtualPaths::initialized),
			Map.entry("waiting", VirtualPaths::waiting),
			Map.entry("contended", () -> many("contended-", root -> Calls.contended(root, 6))),
			Map.entry("yielding", () -> many("yielding-", root -> Calls.yields(root, 200))),
			Map.entry("parking", () -> many("parking-", root -> Calls.parks(root, 8))),
			Map.entry("interrupted", VirtualPaths::interrupted),
			Map.entry("future", VirtualPaths::future),
			Map.entry("ending", VirtualPaths::ending),
			Map.entry("locking", () -> many("locking-", root -> Calls.locks(root, 10))),
			Map.entry("handing", VirtualPaths::handing),
			Map.entry("nested", () -> many("nested-", root -> Calls.starts(root, 3))),
			Map.entry("once", VirtualPaths::once),
			Map.entry("silent", VirtualPaths::silent));

	private static void many(String prefix, Told.Body body) throws InterruptedException {
		Told.join(Told.start(prefix, THREADS, body));
	}

	/** Its virtual threads have no names. */
	private static void executor() {
		try (ExecutorService executor = Told.virtual ? Executors.newVirtualThreadPerTaskExecutor()
				: Executors.newThreadPerTaskExecutor(Told.builder("executor-").factory())) {
			for (int i = 0; i < THREADS; i++)
				executor.submit(Told.thread(root -> Calls.mixed(root, 6)));
		}
	}

	/** Stacks of thousands of frames, a few at a time. */
	private static void deep() throws InterruptedException {
		for (int i = 0; i < 3; i++)
			Told.join(Told.start("deep-", 4, root -> Calls.deep(root, 3000)));
	}

	/** Threads that an exception ends. */
	private static void ended() throws InterruptedException {
		Thread.Builder builder = Told.builder("ended-");
		Thread[] threads = new Thread[THREADS];

		for (int i = 0; i < THREADS; i++) {
			threads[i] = builder.unstarted(Told.thread(root -> Calls.throwsAt(root, 10)));
			threads[i].setUncaughtExceptionHandler((thread, exception) -> { });
			threads[i].start();
		}
		Told.join(threads);
	}

	/** The first of them runs the initializer, and leaves its carrier inside if it can; others wait. */
	private static void initialized() throws InterruptedException {
		Calls.Initialized.root = new Told[1];
		many("initialized-", Calls::initializes);
	}

	/** Pairs: each waits for the other's notify, again and again. */
	private static void waiting() throws InterruptedException {
		Thread.Builder builder = Told.builder("waiting-");
		Thread[] threads = new Thread[THREADS];

		for (int i = 0; i < THREADS; i += 2) {
			int[] turn = {0};

			threads[i] = builder.start(Told.thread(root -> Calls.takesTurns(root, turn, 0, 10)));
			threads[i + 1] = builder.start(Told.thread(root -> Calls.takesTurns(root, turn, 1, 10)));
		}
		Told.join(threads);
	}

	private static void interrupted() throws InterruptedException {
		Thread[] threads = Told.start("interrupted-", THREADS, root -> Calls.wakes(root, 4));

		for (Thread thread : threads)
			thread.interrupt();
		Told.join(threads);
	}

	/** Each waits for the one before it, which began before it. */
	private static void future() {
		try (ExecutorService executor = Executors.newThreadPerTaskExecutor(
				Told.builder("future-").factory())) {
			CompletableFuture<Integer> last = new CompletableFuture<>(), first = last;

			for (int i = 0; i < THREADS; i++) {
				CompletableFuture<Integer> before = last, next = new CompletableFuture<>();
				executor.submit(Told.thread(root -> Calls.joins(root, before, next)));
				last = next;
			}
			first.complete(1);
			last.join();
		}
	}

	/** Threads that end at once when they have changed their carrier, while others begin. */
	private static void ending() throws InterruptedException {
		for (int i = 0; i < 20; i++)
			Told.join(Told.start("ending-", 50, Calls::endsAfterYield));
	}

	private static void handing() throws InterruptedException {
		SynchronousQueue<Integer> queue = new SynchronousQueue<>();
		Thread[] puts = Told.start("putting-", THREADS, root -> Calls.puts(root, queue, 10));

		many("taking-", root -> Calls.takes(root, queue, 10));
		Told.join(puts);
	}

	static void nest(int more) throws InterruptedException {
		Told.join(Told.start("nested-", 1, root -> Calls.starts(root, more)));
	}

	/** One after the other, so that none waits for anything: each is mounted once. */
	private static void once() throws InterruptedException {
		for (int i = 0; i < THREADS; i++)
			Told.join(Told.builder().name("once-" + i).start(Told.thread(root -> Calls.fib(root, 6))));
		Told.fact("mounts", "{\"once-*\": " + THREADS + "}");
	}

	private static void silent() throws InterruptedException {
		for (int i = 0; i < THREADS; i++)
			Told.join(Told.builder("silent-").start(Thread::yield));
		Told.fact("silent", THREADS);
	}

	private static void named(int threads) throws InterruptedException {
		Thread[] started = new Thread[threads];

		for (int i = 0; i < threads; i++) {
			int number = i;
			started[i] = Told.builder().name("named-" + i)
					.start(Told.thread(root -> Calls.numbered(root, number)));
		}
		Told.join(started);
	}

	private static void all(String[] words) throws Exception {
		String[] names = words[1].equals("all") ? cases.keySet().stream().sorted().toArray(String[]::new)
				: Arrays.copyOfRange(words, 1, words.length);

		for (String name : names)
			cases.get(name).run();
	}

	public static void main(String[] args) throws Exception {
		Told.settings(args);
		Told.serve(Map.of(
				"do", VirtualPaths::all,
				"named", words -> named(Integer.parseInt(words[1]))));
	}
}

/** All that is recorded. Each method counts its call on its path, and hands the path on. */
final class Calls {
	private static volatile int sink;

	private Calls() {
	}

	static int leaf(Told at, int i) {
		at.call("Calls.leaf");
		return i * 31 ^ i >>> 2;
	}

	static int fib(Told at, int n) {
		at = at.call("Calls.fib");
		return n < 2 ? n : fib(at, n - 1) + fib(at, n - 2);
	}

	static void mixed(Told at, int n) throws InterruptedException {
		at = at.call("Calls.mixed");
		sink += fib(at, n);
		Thread.sleep(1);
		if (n > 0)
			mixed(at, n - 1);
		Thread.yield();
		sink += leaf(at, n);
	}

	/** Leaves its carrier at several depths, on the way down and on the way up. */
	static int deep(Told at, int depth) throws InterruptedException {
		at = at.call("Calls.deep");
		if (depth % 500 == 0)
			Thread.yield();
		int below = depth > 0 ? deep(at, depth - 1) : 0;
		if (depth % 700 == 0)
			Thread.sleep(1);
		if (depth % 50 == 0)
			below += leaf(at, depth);
		return below;
	}

	/** The exception comes through frames that were elsewhere when they were entered. */
	static void throwsAt(Told at, int depth) {
		at = at.call("Calls.throwsAt");
		if (depth % 4 == 0)
			Thread.yield();
		if (depth == 0)
			throw new IllegalArgumentException();
		throwsAt(at, depth - 1);
	}

	static void catches(Told at, int times) {
		at = at.call("Calls.catches");
		for (int i = 0; i < times; i++) {
			try {
				throwsAt(at, i);
			} catch (IllegalArgumentException e) {
				sink += leaf(at, i);
				Thread.yield();
			}
		}
		sink += leaf(at, times);
	}

	static void pinned(Told at) {
		Told node = at.call("Calls.pinned");

		for (int i = 0; i < 5; i++) {
			Native.through(new Yields(node));
			synchronized (new Object()) {
				Thread.yield();
				sink += fib(node, 3);
			}
			LockSupport.parkNanos(1000);
		}
	}

	/** Called by a native method. */
	static final class Yields implements Runnable {
		private final Told at;

		Yields(Told at) {
			at.call("Calls$Yields.<init>");
			this.at = at;
		}

		@Override
		public void run() {
			Told node = at.call("Calls$Yields.run");

			Thread.yield();
			LockSupport.parkNanos(1000);
			sink += leaf(node, 1);
		}
	}

	static void compared(Told at) {
		Told node = at.call("Calls.compared");
		Integer[] numbers = {5, 3, 8, 1, 9, 2, 7};

		Arrays.sort(numbers, new Compares(node));
		sink += leaf(node, numbers[0]);
	}

	/** Leaves its carrier in the midst of the JDK's sorting. */
	static final class Compares implements Comparator<Object> {
		private final Told at;

		Compares(Told at) {
			at.call("Calls$Compares.<init>");
			this.at = at;
		}

		@Override
		public int compare(Object a, Object b) {
			Told node = at.call("Calls$Compares.compare");

			Thread.yield();
			sink += leaf(node, 1);
			return (Integer) a - (Integer) b;
		}
	}

	/** Its initializer runs in whichever thread comes first, below that one's path. */
	static final class Initialized {
		static Told[] root;

		static final class Late {
			static int value;

			static {
				Told node = root[0].call("Calls$Initialized$Late.<clinit>");

				Thread.yield();
				LockSupport.parkNanos(1000000);
				value = fib(node, 5);
			}

			private Late() {
			}
		}

		private Initialized() {
		}
	}

	/** All come by the same path, so that it matters to none who is first. */
	static void initializes(Told at) {
		at = at.call("Calls.initializes");
		Initialized.root[0] = at;
		sink += leaf(at, Initialized.Late.value);
	}

	static void takesTurns(Told at, int[] turn, int mine, int times) throws InterruptedException {
		at = at.call("Calls.takesTurns");
		for (int i = 0; i < times; i++) {
			synchronized (turn) {
				while (turn[0] != mine)
					turn.wait();
				turn[0] = leaf(at, 0) + 1 - mine;
				turn.notifyAll();
			}
			sink += fib(at, 2);
		}
	}

	static void contended(Told at, int n) {
		at = at.call("Calls.contended");
		synchronized (VirtualPaths.monitor) {
			Thread.yield();
			sink += fib(at, 3);
			if (n > 0)
				contended(at, n - 1);
			Thread.yield();
		}
		sink += leaf(at, n);
	}

	static void yields(Told at, int times) {
		at = at.call("Calls.yields");
		for (int i = 0; i < times; i++) {
			Thread.yield();
			sink += i % 3 == 0 ? fib(at, 2) : leaf(at, i);
		}
	}

	static void parks(Told at, int n) {
		at = at.call("Calls.parks");
		LockSupport.parkNanos(1000 * n);
		sink += leaf(at, n);
		if (n > 0)
			parks(at, n - 1);
		LockSupport.parkNanos(10000);
		sink += leaf(at, n);
	}

	static void wakes(Told at, int n) {
		at = at.call("Calls.wakes");
		try {
			sleepsLong(at, n);
		} catch (InterruptedException e) {
			sink += leaf(at, n);
		}
		sink += fib(at, 3);
	}

	static void sleepsLong(Told at, int n) throws InterruptedException {
		at = at.call("Calls.sleepsLong");
		if (n > 0)
			sleepsLong(at, n - 1);
		Thread.sleep(100000);
	}

	static void joins(Told at, CompletableFuture<Integer> before, CompletableFuture<Integer> mine) {
		at = at.call("Calls.joins");
		int sum = leaf(at, before.join());

		mine.complete(sum + leaf(at, sum));
	}

	static void endsAfterYield(Told at) {
		at = at.call("Calls.endsAfterYield");
		sink += leaf(at, 1);
		Thread.yield();
	}

	static void locks(Told at, int times) {
		at = at.call("Calls.locks");
		for (int i = 0; i < times; i++) {
			at.jdk("java.util.concurrent.locks.ReentrantLock.lock");
			VirtualPaths.lock.lock();
			try {
				Thread.yield();
				sink += fib(at, 2);
			} finally {
				at.jdk("java.util.concurrent.locks.ReentrantLock.unlock");
				VirtualPaths.lock.unlock();
			}
		}
	}

	static void puts(Told at, SynchronousQueue<Integer> queue, int times) throws InterruptedException {
		at = at.call("Calls.puts");
		for (int i = 0; i < times; i++)
			queue.put(leaf(at, i));
	}

	static void takes(Told at, SynchronousQueue<Integer> queue, int times) throws InterruptedException {
		at = at.call("Calls.takes");
		for (int i = 0; i < times; i++)
			sink += leaf(at, queue.take());
	}

	/** Each starts another, whose record begins anew, and waits for it. */
	static void starts(Told at, int n) throws InterruptedException {
		at = at.call("Calls.starts");
		sink += leaf(at, n);
		if (n > 0)
			VirtualPaths.nest(n - 1);
		sink += fib(at, 3);
	}

	static void numbered(Told at, int number) throws InterruptedException {
		at = at.call("Calls.numbered");
		for (int i = 0; i <= number; i++) {
			sink += leaf(at, i);
			if (i % 100 == 0)
				Thread.sleep(1);
		}
	}
}
