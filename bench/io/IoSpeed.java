// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Locale;

/**
 * What an I/O operation takes: a byte from /dev/zero, or to /dev/null, where the kernel has next
 * to nothing to do; or a file opened and closed. Prints, for each, its name and the nanoseconds
 * of one in the fastest of the rounds.
 *
 * <p>Between rounds it pauses, so that who records each operation can keep up.
 */
final class IoSpeed {
	private static final int PER_ROUND = 10_000;

	interface Operations {
		void run(int count) throws IOException;
	}

	static void time(String name, int rounds, int pause, int perRound, Operations operations)
			throws IOException, InterruptedException {
		long best = Long.MAX_VALUE;
		for (int i = 0; i < rounds; i++) {
			long begin = System.nanoTime();
			operations.run(perRound);
			best = Math.min(best, System.nanoTime() - begin);
			Thread.sleep(pause);
		}
		System.out.printf(Locale.ROOT, "%s %.1f%n", name, (double) best / perRound);
	}

	static void read(FileInputStream in, int count) throws IOException {
		byte[] bytes = new byte[1];
		for (int i = 0; i < count; i++)
			in.read(bytes);
	}

	static void write(FileOutputStream out, int count) throws IOException {
		byte[] bytes = new byte[1];
		for (int i = 0; i < count; i++)
			out.write(bytes);
	}

	static void openAndClose(int count) throws IOException {
		for (int i = 0; i < count; i++)
			new FileInputStream("/dev/null").close();
	}

	public static void main(String[] args) throws Exception {
		int rounds = Integer.parseInt(args[0]), pause = Integer.parseInt(args[1]);

		try (FileInputStream in = new FileInputStream("/dev/zero");
				FileOutputStream out = new FileOutputStream("/dev/null")) {
			time("read", rounds, pause, PER_ROUND, count -> read(in, count));
			time("write", rounds, pause, PER_ROUND, count -> write(out, count));
			time("open+close", rounds * 4, pause / 2, PER_ROUND / 4, IoSpeed::openAndClose);
		}
	}
}
