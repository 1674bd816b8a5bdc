// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;

/**
 * Calls the same methods inside the scopes Entry.service and Entry.other and outside of them.
 *
 *   Scoped FOLDER    reads lines, and answers each with "done":
 *     walk N         each of the threads main, old-0, old-1, new-0, new-1 walks N times, and
 *                    sleeps for 0.3 s outside
 *     follow N       starts threads in Entry.spawn that work when it has returned, and one outside
 *     write N        writes N lines inside and N lines outside to FOLDER/both; N outside to
 *                    FOLDER/outside; FOLDER/opened is opened inside and written outside
 *     threads        prints "NAME ID" of the threads that were always there
 *     quit           exits with 7
 */
final class Scoped {
	private static final CyclicBarrier begin = new CyclicBarrier(3), end = new CyclicBarrier(3);
	private static final byte[] LINE = new byte[100];
	private static volatile int rounds;

	private static void walk(int count) {
		for (int i = 0; i < count; i++) {
			Inside.a();
			Outside.step();
			Entry.service(0);
			Entry.service(3);
			try {
				Entry.service(-3);
			} catch (IllegalStateException expected) {
				Outside.step();
			}
			Entry.other();
			Outside.calls();
		}
		try {
			Thread.sleep(300);
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	private static void oldThread() {
		try {
			for (;;) {
				begin.await();
				walk(rounds);
				end.await();
			}
		} catch (Exception e) {
			throw new IllegalStateException(e);
		}
	}

	private static void walkAll(int count) throws Exception {
		List<Thread> threads = new ArrayList<>();

		rounds = count;
		begin.await();
		for (int i = 0; i < 2; i++) {
			threads.add(new Thread(() -> walk(count), "new-" + i));
			threads.get(i).start();
		}
		walk(count);
		for (Thread thread : threads)
			thread.join();
		end.await();
	}

	private static void follow(int count) throws InterruptedException {
		CountDownLatch returned = new CountDownLatch(1);
		Thread grandchild = new Thread(() -> repeat(count, Inside::b), "grandchild");
		Thread child = new Thread(() -> {
			await(returned);
			grandchild.start();
			repeat(count, Inside::a);
		}, "child");
		Thread stranger = new Thread(() -> repeat(count, Inside::a), "stranger");

		stranger.start();
		Entry.spawn(child);
		returned.countDown();
		child.join();
		grandchild.join();
		stranger.join();
	}

	private static void repeat(int count, Runnable work) {
		for (int i = 0; i < count; i++)
			work.run();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	private static void write(String folder, int count) throws IOException {
		try (OutputStream both = new FileOutputStream(folder + "/both");
				OutputStream outside = new FileOutputStream(folder + "/outside");
				OutputStream opened = Entry.open(folder + "/opened")) {
			for (int i = 0; i < count; i++) {
				Entry.write(both, LINE);
				Outside.write(both, LINE);
				Outside.write(outside, LINE);
				Outside.write(opened, LINE);
			}
		}
	}

	private static void tellThreads() {
		for (Thread thread : Thread.getAllStackTraces().keySet())
			if (thread.getName().startsWith("old-"))
				System.out.println(thread.getName() + " " + thread.getId());
	}

	private static void act(String[] words, String folder) throws Exception {
		switch (words[0]) {
		case "walk" -> walkAll(Integer.parseInt(words[1]));
		case "follow" -> follow(Integer.parseInt(words[1]));
		case "write" -> write(folder, Integer.parseInt(words[1]));
		case "threads" -> tellThreads();
		default -> throw new IllegalArgumentException(words[0]);
		}
	}

	public static void main(String[] args) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));

		for (int i = 0; i < 2; i++) {
			Thread thread = new Thread(Scoped::oldThread, "old-" + i);
			thread.setDaemon(true);
			thread.start();
		}
		for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
			act(line.split(" "), args[0]);
			System.out.println("done");
		}
		System.exit(7);
	}
}

/** Where the scopes begin. */
final class Entry {
	/** Calls itself that often more; below 0 it and its callers end by an exception. */
	static void service(int depth) {
		Inside.a();
		if (depth == -1)
			Inside.fail();
		if (depth != 0)
			service(depth > 0 ? depth - 1 : depth + 1);
		Inside.b();
	}

	static void other() {
		Inside.c();
		service(0);
		Inside.c();
	}

	static void spawn(Thread thread) {
		thread.start();
	}

	static OutputStream open(String path) throws IOException {
		return new FileOutputStream(path);
	}

	static void write(OutputStream file, byte[] line) throws IOException {
		file.write(line);
	}
}

final class Inside {
	private static volatile int sum;

	static void a() {
		sum++;
	}

	static void b() {
		a();
	}

	static void c() {
		sum++;
	}

	static void fail() {
		throw new IllegalStateException();
	}
}

final class Outside {
	private static volatile int sum;

	static void step() {
		sum++;
	}

	static void calls() {
		Entry.service(0);
	}

	static void write(OutputStream file, byte[] line) throws IOException {
		file.write(line);
	}
}
