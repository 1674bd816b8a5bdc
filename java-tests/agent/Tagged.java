// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLongArray;

import jprof.JProf;

/**
 * Threads that do work of users and of kinds, and keep their own account of it: calls of step, bytes that allocate takes, and reads
 * of a file. Written down as "USER KIND CALLS BYTES READS READ-BYTES", "-" for none.
 *
 * <p>Tagged FILE work THREADS ROUNDS virtual|platform; Tagged FILE shares SECONDS; Tagged FILE loop RECORDINGS
 */
class Tagged {
	static final int USERS = 5, KINDS = 3, FIGURES = 4;
	static final int CALLS = 0, BYTES = 1, READS = 2, READ = 3;
	static final String[] user = {null, "alice", "bob", "çelik", "d=e f"};
	static final String[] kind = {null, "batch", "online"};
	static final AtomicLongArray account = new AtomicLongArray(USERS * KINDS * FIGURES);
	static final JProf.PreparedTag[] prepared = new JProf.PreparedTag[USERS];
	static File data;
	static volatile Object keep;
	static volatile long sink;

	static void add(int u, int k, int figure, long much) {
		account.addAndGet((u * KINDS + k) * FIGURES + figure, much);
	}

	// ---- the work ----

	static void step(int n) {
		sink = n;
	}

	static void allocate(int times) {
		for (int i = 0; i < times; i++)
			keep = new byte[100000 - 16];
	}

	static void read(RandomAccessFile file, byte[] buffer, int length) throws IOException {
		file.seek(0);
		if (file.read(buffer, 0, length) != length)
			throw new IOException("the file is too short");
	}

	static final class Failure extends RuntimeException {
		private static final long serialVersionUID = 1;

		Failure() {
			super(null, null, false, false);
		}
	}

	/** One thread's. u and k: whose work it does, by the program's own book. */
	static final class Worker {
		final Random random;
		final ExecutorService others;
		final RandomAccessFile file;
		final byte[] buffer = new byte[512];

		Worker(long seed, ExecutorService others, RandomAccessFile file) {
			random = new Random(seed);
			this.others = others;
			this.file = file;
		}

		void something(int u, int k) throws IOException {
			int steps = random.nextInt(4), arrays = random.nextInt(3), length = 1 + random.nextInt(512);

			for (int i = 0; i < steps; i++)
				step(i);
			add(u, k, CALLS, steps);
			allocate(arrays);
			add(u, k, BYTES, 100000L * arrays);
			if (random.nextInt(4) == 0) {
				synchronized (file) {
					read(file, buffer, length);
				}
				add(u, k, READS, 1);
				add(u, k, READ, length);
			}
			if (random.nextInt(20) == 0)
				pause();
		}

		void pause() {
			try {
				Thread.sleep(0, 100000);
			} catch (InterruptedException e) {
				throw new IllegalStateException(e);
			}
		}

		void work(int depth, int u, int k) throws Exception {
			something(u, k);
			if (depth == 0)
				return;
			int inner = random.nextInt(USERS), innerKind = random.nextInt(KINDS);

			switch (random.nextInt(9)) {
			case 0 -> {
				try (var tag = JProf.tag("user", user[inner])) {
					work(depth - 1, inner, k);
				}
			}
			case 1 -> {
				try (var tag = prepared[inner].open(); var other = JProf.tag("kind", kind[innerKind])) {
					work(depth - 1, inner, innerKind);
				}
			}
			case 2 -> {
				try (var tag = JProf.tag("user", user[inner])) {
					fail(depth - 1, inner, k);
				} catch (Failure e) {
					something(u, k);
				}
			}
			case 3 -> {
				// Sticky; what is behind gives it back.
				prepared[inner].set();
				work(depth - 1, inner, k);
				JProf.tagSet("user", user[u]);
			}
			case 4 -> {
				JProf.tagClear("kind");
				work(depth - 1, u, 0);
				JProf.tagSet("kind", kind[k]);
			}
			case 5 -> elsewhere(depth, u, k);
			case 6 -> {
				JProf.Tags tags = JProf.tags();

				JProf.tagSet("kind", kind[innerKind]);
				tags.run(() -> again(depth - 1, u, k));
				something(u, innerKind);
				JProf.tagSet("kind", kind[k]);
			}
			case 7 -> closedElsewhere(u, k, inner);
			default -> work(depth - 1, u, k);
			}
			something(u, k);
		}

		void again(int depth, int u, int k) {
			try {
				work(depth, u, k);
			} catch (Exception e) {
				throw new IllegalStateException(e);
			}
		}

		void fail(int depth, int u, int k) throws Exception {
			try (var tag = JProf.tag("kind", kind[1])) {
				work(depth, u, 1);
				throw new Failure();
			}
		}

		/** On another thread, with this one's tags, while this one waits. */
		void elsewhere(int depth, int u, int k) throws Exception {
			CountDownLatch done = new CountDownLatch(1);
			Executor carrying = JProf.carrying(others);
			int way = random.nextInt(3);

			if (depth < 3) {
				work(depth - 1, u, k);
				return;
			}
			// It waits for none itself.
			if (way == 0) {
				others.submit(JProf.wrap((Callable<Void>) () -> {
					again(1, u, k);
					return null;
				})).get();
			} else if (way == 1) {
				Future<?> future = others.submit(JProf.wrap(() -> again(1, u, k)));

				future.get();
			} else {
				carrying.execute(() -> {
					again(1, u, k);
					done.countDown();
				});
				done.await();
			}
			// Without: that thread has no tags of its own.
			others.submit(() -> {
				something(0, 0);
				return null;
			}).get();
		}

		/** What another thread closes stays. */
		void closedElsewhere(int u, int k, int inner) throws Exception {
			JProf.Tag tag = JProf.tag("user", user[inner]);
			Thread other = new Thread(tag::close);

			other.start();
			other.join();
			something(inner, k);
			tag.close();
			tag.close();
		}
	}

	static ExecutorService executor(boolean isVirtual, int threads) throws ReflectiveOperationException {
		if (!isVirtual)
			return Executors.newFixedThreadPool(threads);
		return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
	}

	static void work(int threads, int rounds, boolean isVirtual) throws Exception {
		ExecutorService workers = executor(isVirtual, threads), others = executor(isVirtual, 8);
		List<Future<?>> all = new ArrayList<>();

		try (RandomAccessFile file = new RandomAccessFile(data, "r")) {
			for (int i = 0; i < threads; i++) {
				Worker worker = new Worker(i, others, file);

				all.add(workers.submit(() -> {
					for (int round = 0; round < rounds; round++)
						worker.again(6, 0, 0);
				}));
			}
			for (Future<?> one : all)
				one.get();
			workers.shutdown();
			others.shutdown();
		}
	}

	// ---- shares of time ----

	/** By its own measure, which stands still with the thread: not in step with whatever takes samples. */
	static long burn(long times) {
		long x = 1;

		for (long i = 0; i < times; i++)
			x ^= x << 13 ^ x >>> 7 ^ i;
		return x;
	}

	static long ofAlice(long times) {
		return burn(times) + 1;
	}

	static long ofBob(long times) {
		return burn(times) + 2;
	}

	/** How much processor time each user had. Two of them have a method of their own. */
	static void shares(double seconds) throws Exception {
		Thread[] thread = new Thread[2];

		for (int t = 0; t < thread.length; t++) {
			thread[t] = new Thread(() -> {
				var bean = ManagementFactory.getThreadMXBean();
				Random random = new Random(1);
				long end = System.nanoTime() + (long) (seconds * 1e9);

				for (int i = 0; System.nanoTime() < end; i++) {
					int u = 1 + i % 3;
					long before = bean.getCurrentThreadCpuTime();

					prepared[u].set();
					long times = u * (long) random.nextInt(3000000);

					sink += u == 1 ? ofAlice(times) : u == 2 ? ofBob(times) : burn(times);
					JProf.tagClear("user");
					add(u, 0, CALLS, bean.getCurrentThreadCpuTime() - before);
				}
			});
			thread[t].start();
		}
		for (Thread one : thread)
			one.join();
	}

	// ---- many recordings ----

	static long resident() throws IOException {
		String text = new String(java.nio.file.Files.readAllBytes(java.nio.file.Path.of("/proc/self/statm")));

		return Long.parseLong(text.split(" ")[1]) * 4;
	}

	/** Each with 2,000 values, of which the last one's profile is left; a number of one is none of the next. KB of memory that are resident, now and then. */
	static void loop(int recordings, String file, PrintWriter out) throws IOException {
		JProf.Tags old = null;

		for (int i = 0; i < recordings; i++) {
			JProf.start("file=" + file + ".jprof");
			for (int v = 0; v < 2000; v++)
				JProf.tagSet("user", "user " + v * 31L + " of recording " + i);
			if (old != null)
				old.run(() -> sink = 1);
			prepared[1].set();
			old = JProf.tags();
			allocate(1);
			JProf.stop();
			if (i < recordings - 1)
				new File(file + ".jprof").delete();
			if (i % (recordings / 10) == recordings / 10 - 1)
				out.println(resident());
		}
	}

	public static void main(String[] arguments) throws Exception {
		for (int u = 0; u < USERS; u++)
			prepared[u] = JProf.prepareTag("user", user[u]);
		// No keys: nothing happens.
		for (String none : new String[] {null, "", "a=b", "a\nb", "x".repeat(65)})
			JProf.tagSet(none, "value");
		JProf.tag(null, null).close();
		data = new File(arguments[0] + ".data");
		try (PrintWriter writer = new PrintWriter(data)) {
			writer.print("0123456789".repeat(100));
		}
		try (PrintWriter out = new PrintWriter(arguments[0])) {
			if (arguments[1].equals("work"))
				work(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]), arguments[4].equals("virtual"));
			else if (arguments[1].equals("shares"))
				shares(Double.parseDouble(arguments[2]));
			else
				loop(Integer.parseInt(arguments[2]), arguments[0], out);
			for (int u = 0; u < USERS && !arguments[1].equals("loop"); u++)
				for (int k = 0; k < KINDS; k++) {
					out.print((user[u] == null ? "-" : user[u]) + "\t" + (kind[k] == null ? "-" : kind[k]));
					for (int f = 0; f < FIGURES; f++)
						out.print("\t" + account.get((u * KINDS + k) * FIGURES + f));
					out.println();
				}
		}
	}
}
