// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Threads that open, hold, close and reopen descriptors of the same numbers, for some seconds.
 * Every file holds bytes of its own value, so that who reads knows which file it was, whatever
 * it was opened as. Leaves lines of: path, bytes, slack, opens, closes. The slack is bytes that
 * were read of another file than the handle's: the number was closed and reopened in the midst
 * of the read, and nobody outside the kernel can tell when.
 *
 * Arguments: the folder, seconds, the file for the facts.
 */
public class IoRace {
	/** What files are used for; 32 files each. */
	private static final int OWN = 0, PASSED = 32, SHARED = 64, RAW = 96, FILES = 128;
	private static final int THREADS = 8, SIZE = 3000;
	private static final Path[] paths = new Path[FILES];
	private static final AtomicReferenceArray<Closeable> passed = new AtomicReferenceArray<>(4);
	private static final AtomicReference<Shared> shared = new AtomicReference<>();
	private static final List<Object> kept = new ArrayList<>();
	private static final ExecutorService others = Executors.newFixedThreadPool(THREADS);
	private static Constructor<FileDescriptor> make;
	private static Field number;

	/** What a thread did. */
	static final class Count {
		final long[] bytes = new long[FILES], slack = new long[FILES];
		final long[] opens = new long[FILES], closes = new long[FILES];
		long rounds, reopened, closedUnder;

		void add(Count other) {
			for (int i = 0; i < FILES; i++) {
				bytes[i] += other.bytes[i];
				slack[i] += other.slack[i];
				opens[i] += other.opens[i];
				closes[i] += other.closes[i];
			}
			rounds += other.rounds;
			reopened += other.reopened;
			closedUnder += other.closedUnder;
		}

		/** Bytes were read by a handle of the file. */
		void read(int file, byte[] in, int count) {
			if (count <= 0)
				return;
			int of = in[0];
			if (of < 0 || of >= FILES) { // the number is one of the JVM's now
				slack[file] += count;
				return;
			}
			for (int i = 1; i < count; i++)
				if (in[i] != of)
					throw new IllegalStateException(of + " and " + in[i]);
			bytes[of] += count;
			if (of != file) {
				slack[of] += count;
				slack[file] += count;
			}
		}
	}

	record Shared(int file, FileInputStream one, FileInputStream two) {
	}

	private static int any(int group) {
		return group + ThreadLocalRandom.current().nextInt(32);
	}

	private static FileInputStream open(int file, Count count) throws IOException {
		FileInputStream in = new FileInputStream(paths[file].toFile());

		count.opens[file]++;
		return in;
	}

	private static void readAll(int file, InputStream in, Count count) throws IOException {
		byte[] part = new byte[ThreadLocalRandom.current().nextInt(200, 2000)];

		for (int n; (n = in.read(part)) > 0;)
			count.read(file, part, n);
	}

	/** Opened, read and closed by one thread, by any API. */
	private static void own(Count count) throws IOException {
		int file = any(OWN);
		byte[] part = new byte[700];

		switch (file % 4) {
		case 0:
			try (RandomAccessFile in = new RandomAccessFile(paths[file].toFile(), "r")) {
				in.seek(1000);
				count.read(file, part, in.read(part));
			}
			break;
		case 1:
			try (FileChannel in = FileChannel.open(paths[file])) {
				count.read(file, part, in.read(ByteBuffer.wrap(part)));
				count.read(file, part, in.read(ByteBuffer.wrap(part), 2500));
			}
			break;
		case 2:
			try (InputStream in = Files.newInputStream(paths[file])) {
				readAll(file, in, count);
			}
			break;
		default:
			try (FileInputStream in = new FileInputStream(paths[file].toFile())) {
				readAll(file, in, count);
			}
		}
		count.opens[file]++;
		count.closes[file]++;
	}

	/** Opened and read by one thread; closed by another, or by two at the same time. */
	private static void pass(Count count) throws IOException {
		int file = any(PASSED);
		FileInputStream in = open(file, count);

		readAll(file, in, count);
		Closeable before = passed.getAndSet(file % passed.length(), in);
		count.closes[file]++;
		if (before != null)
			before.close();
		if (file % 8 < 4)
			in.close();
	}

	/** Two streams of one descriptor: both are read until others close it. */
	private static void share(Count count) throws IOException {
		Shared now = shared.get();

		if (now == null || ThreadLocalRandom.current().nextInt(4) == 0) {
			int file = any(SHARED);
			FileInputStream in = open(file, count);
			count.closes[file]++;
			now = shared.getAndSet(new Shared(file, in, new FileInputStream(in.getFD())));
			if (now != null)
				(now.file % 2 == 0 ? now.one : now.two).close();
			return;
		}
		byte[] part = new byte[100];
		for (int i = 0; i < 10; i++)
			try {
				InputStream in = i % 2 == 0 ? now.one : now.two;
				count.read(now.file, part, in.read(part));
			} catch (IOException e) {
				count.closedUnder++;
				return;
			}
	}

	/** Another thread reads by the number of a file that is closed, and closes the file that has
	 * the number now. */
	private static void raw(Count count) throws Exception {
		int before = any(RAW), file = any(RAW);
		FileInputStream one = open(before, count);
		FileDescriptor old = make.newInstance(number.getInt(one.getFD()));

		one.close();
		count.closes[before]++;
		FileInputStream two = open(file, count);
		count.closes[file]++;
		if (number.getInt(two.getFD()) != number.getInt(old)) {
			two.close();
			return;
		}
		count.reopened++;
		FileInputStream other = new FileInputStream(old);
		Future<Count> done = others.submit(() -> {
			Count its = new Count();
			readAll(file, other, its);
			return its;
		});
		readAll(file, two, count);
		count.add(done.get());
		/* The number is not this stream's any more: it must never be closed by it. */
		synchronized (kept) {
			kept.add(two);
		}
		other.close();
	}

	private static Count work(long until) {
		Count count = new Count();

		try {
			for (; System.nanoTime() < until; count.rounds++) {
				own(count);
				pass(count);
				share(count);
				share(count);
				raw(count);
			}
		} catch (Throwable e) {
			e.printStackTrace();
		}
		return count;
	}

	private static void makeFiles(Path folder) throws Exception {
		byte[] bytes = new byte[SIZE];

		for (int i = 0; i < FILES; i++) {
			Arrays.fill(bytes, (byte) i);
			paths[i] = folder.resolve("race-" + i);
			Files.write(folder.resolve("making"), bytes);
			Files.move(folder.resolve("making"), paths[i]);
		}
		make = FileDescriptor.class.getDeclaredConstructor(int.class);
		make.setAccessible(true);
		number = FileDescriptor.class.getDeclaredField("fd");
		number.setAccessible(true);
	}

	public static void main(String[] args) throws Exception {
		long until = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000_000L;
		Count all = new Count();
		List<Thread> threads = new ArrayList<>();

		makeFiles(Path.of(args[0]));
		for (int t = 0; t < THREADS; t++) {
			Thread thread = new Thread(() -> {
				Count count = work(until);
				synchronized (all) {
					all.add(count);
				}
			});
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads)
			thread.join();
		others.shutdown();
		for (int i = 0; i < passed.length(); i++)
			if (passed.get(i) != null)
				passed.get(i).close();
		shared.get().one.close();
		try (PrintStream out = new PrintStream(args[2])) {
			for (int i = 0; i < FILES; i++)
				out.printf("%s\t%d\t%d\t%d\t%d%n", paths[i], all.bytes[i], all.slack[i], all.opens[i],
						all.closes[i]);
		}
		System.out.println(all.rounds + " rounds, " + all.reopened + " reopened, " + all.closedUnder +
				" closed under, " + Arrays.stream(all.slack).sum() / 2 + " bytes of others");
	}
}
