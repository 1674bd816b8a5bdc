// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package agent;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;

/**
 * A program for the tests of the agent's life.
 *
 *   Workload count N          calls step() N times, prints a line, exits with 7
 *   Workload steps MS FILE    calls step() for so long; every 10 ms a line "ns calls" to FILE
 *   Workload paths MS         walks new call paths for so long
 */
final class Workload {
	static long steps;

	static void step() {
		steps++;
	}

	static void count(int times) {
		for (int i = 0; i < times; i++)
			step();
		System.out.println("steps " + steps);
		System.err.println("done");
		System.exit(7);
	}

	/* The lines go to the system at once: what is in the file was done before a kill. */
	static void steps(long milliseconds, String file) throws IOException {
		long begin = System.nanoTime(), next = begin;

		try (OutputStream out = new FileOutputStream(file)) {
			for (long now = begin; now - begin < milliseconds * 1_000_000;) {
				for (int i = 0; i < 200; i++)
					step();
				/* Many of these run beside other tests. */
				LockSupport.parkNanos(500_000);
				now = System.nanoTime();
				if (now < next)
					continue;
				next = now + 10_000_000;
				out.write((now + " " + steps + "\n").getBytes(StandardCharsets.US_ASCII));
			}
		}
	}

	static void left(long bits, int n) {
		if (n > 0)
			walk(bits, n - 1);
	}

	static void right(long bits, int n) {
		if (n > 0)
			walk(bits, n - 1);
	}

	static void walk(long bits, int n) {
		if ((bits >> n & 1) == 0)
			left(bits, n);
		else
			right(bits, n);
	}

	static void paths(long milliseconds) {
		long begin = System.nanoTime();

		for (long bits = 0; System.nanoTime() - begin < milliseconds * 1_000_000; bits++)
			walk(Long.reverse(bits) >>> 34, 29);
		System.out.println("walked");
	}

	public static void main(String[] args) throws IOException {
		switch (args[0]) {
		case "count" -> count(Integer.parseInt(args[1]));
		case "steps" -> steps(Long.parseLong(args[1]), args[2]);
		case "paths" -> paths(Long.parseLong(args[1]));
		default -> throw new IllegalArgumentException(args[0]);
		}
	}
}
