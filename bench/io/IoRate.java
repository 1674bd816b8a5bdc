// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.FileOutputStream;
import java.io.IOException;

/** Threads that write so many bytes a second, one by one, for so long: THREADS RATE SECONDS. */
final class IoRate {
	static void write(FileOutputStream out, long count) throws IOException {
		byte[] bytes = new byte[1];
		for (long i = 0; i < count; i++)
			out.write(bytes);
	}

	/** In time: what is due is written, then it sleeps. */
	static void run(long rate, long all) {
		try (FileOutputStream out = new FileOutputStream("/dev/null")) {
			long begin = System.nanoTime();
			for (long done = 0; done < all; Thread.sleep(1)) {
				long due = Math.min(all, (System.nanoTime() - begin) * rate / 1_000_000_000);
				write(out, due - done);
				done = due;
			}
		} catch (IOException | InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	public static void main(String[] args) throws InterruptedException {
		int threads = Integer.parseInt(args[0]);
		long rate = Long.parseLong(args[1]) / threads, all = rate * Integer.parseInt(args[2]);
		Thread[] thread = new Thread[threads];
		long begin = System.nanoTime();

		for (int i = 0; i < threads; i++) {
			thread[i] = new Thread(() -> run(rate, all));
			thread[i].start();
		}
		for (Thread t : thread)
			t.join();
		System.out.println(all * threads + " " + (System.nanoTime() - begin) / 1_000_000);
	}
}
