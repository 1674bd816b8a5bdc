// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package agent;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** What a trace of events has to tell right: recursion, exceptions that pass many frames, threads, virtual ones, I/O, long calls.
 *  Words: "mixed THREADS ROUNDS", "virtual THREADS ROUNDS", "storm THREADS SECONDS", "slow MS...", "lines" (told line by line). */
public class Eventful {
	static volatile int sink;

	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static int fall(int depth) {
		if (depth == 0)
			throw new IllegalStateException();
		return fall(depth - 1) + 1;
	}

	static void leaf() {
		sink++;
	}

	static void caught(int depth) {
		try {
			fall(depth);
		} catch (IllegalStateException e) {
			leaf();
		} finally {
			leaf();
		}
	}

	static int deep(int depth) {
		return depth == 0 ? 0 : deep(depth - 1) + 1;
	}

	static void mixed(int rounds, int number) {
		for (int i = 0; i < rounds; i++) {
			sink += fib(8 + i % 3);
			caught(i % 30);
			if (i % 50 == number % 50)
				sink += deep(1500);
		}
	}

	static void parts(int rounds) throws Exception {
		for (int i = 0; i < rounds; i++) {
			sink += fib(5);
			part(i);
			caught(i % 5);
		}
	}

	static void part(int i) throws Exception {
		leaf();
		Thread.sleep(1 + i % 2);
		leaf();
	}

	static void slow(long ms) throws Exception {
		leaf();
		pause(ms);
		leaf();
	}

	static void pause(long ms) throws Exception {
		Thread.sleep(ms);
	}

	static void storm(long until) {
		while (System.nanoTime() < until)
			sink += fib(15);
	}

	interface Work {
		void run(int number) throws Exception;
	}

	static void threads(int count, boolean virtual, Work work) throws Exception {
		CountDownLatch begin = new CountDownLatch(1);
		Thread[] threads = new Thread[count];
		for (int i = 0; i < count; i++) {
			int number = i;
			Runnable run = () -> {
				try {
					begin.await();
					work.run(number);
				} catch (Exception e) {
					throw new IllegalStateException(e);
				}
			};
			if (virtual)
				threads[i] = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, run);
			else
				(threads[i] = new Thread(run, "mixed-" + i)).start();
		}
		begin.countDown();
		for (Thread thread : threads)
			thread.join();
	}

	static void read(Path path) throws Exception {
		sink += Files.readAllBytes(path).length;
	}

	public static void main(String[] words) throws Exception {
		int count = words.length > 1 ? Integer.parseInt(words[1]) : 0;
		switch (words[0]) {
		case "mixed":
			threads(count, false, number -> mixed(Integer.parseInt(words[2]), number));
			break;
		case "virtual":
			threads(count, true, number -> parts(Integer.parseInt(words[2])));
			break;
		case "storm":
			long until = System.nanoTime() + Long.parseLong(words[2]) * 1_000_000_000L;
			threads(count, false, number -> storm(until));
			break;
		case "slow":
			for (int i = 1; i < words.length; i++)
				slow(Long.parseLong(words[i]));
			break;
		case "read":
			read(Path.of(words[2]));
			break;
		default:
			throw new IllegalArgumentException(words[0]);
		}
	}
}
