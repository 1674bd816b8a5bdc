// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package agent;

import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Seconds LOG SECONDS: does another amount of work in each second, of two kinds in turn, and notes by the clock what it
 * has done: lines "NS even EVEN odd ODD bytes BYTES". The first is of when it told the profile so, "MARK NS".
 */
final class Seconds {
	private static long sink;
	private long even, odd, bytes;

	private static void even() {
		sink++;
	}

	private static void odd() {
		sink += 2;
	}

	private void work(int second, OutputStream out) throws Exception {
		for (int i = 0; i < 20 * (second + 1); i++) {
			if (second % 2 == 0) {
				even();
				even++;
			} else {
				odd();
				odd++;
			}
		}
		byte[] block = new byte[100];
		out.write(block);
		bytes += block.length;
	}

	private void run(String log, int seconds) throws Exception {
		List<String> notes = new ArrayList<>();
		long begin = System.nanoTime();

		jprof.JProf.mark("begin");
		notes.add("MARK " + begin);
		try (OutputStream out = new FileOutputStream(log + ".data")) {
			for (long now; (now = System.nanoTime() - begin) < seconds * 1000000000L;) {
				work((int) (now / 1000000000L), out);
				notes.add(System.nanoTime() + " even " + even + " odd " + odd + " bytes " + bytes);
				Thread.sleep(4);
			}
		}
		try (PrintWriter writer = new PrintWriter(log)) {
			notes.forEach(writer::println);
		}
	}

	public static void main(String[] arguments) throws Exception {
		/* Who attaches does so now. */
		if (arguments.length > 2) {
			System.out.println("ready");
			System.in.read();
		}
		new Seconds().run(arguments[0], Integer.parseInt(arguments[1]));
		System.out.println("done");
	}
}
