// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain -Xms32m -Xmx32m -XX:+UseSerialGC -XX:+AlwaysPreTouch -- max_memory=1m
// stderr: ^jprof: memory was short: [0-9]* % of the calls have no call path
package cases;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A million call paths, each walked once, in a megabyte of memory: no method loses a call, and the
 * process stays small.
 */
final class Paths {
	static final int DEPTH = 7; /* 1 + 10 + 100 + ... + 1,000,000 paths */
	static long calls;

	static void zero(int n) {
		calls++;
		if (n > 1) {
			zero(n - 1);
			one(n - 1);
			two(n - 1);
			three(n - 1);
			four(n - 1);
			five(n - 1);
			six(n - 1);
			seven(n - 1);
			eight(n - 1);
			nine(n - 1);
		}
	}

	static void one(int n) {
		calls++;
		if (n > 1) {
			zero(n - 1);
			one(n - 1);
			two(n - 1);
			three(n - 1);
			four(n - 1);
			five(n - 1);
			six(n - 1);
			seven(n - 1);
			eight(n - 1);
			nine(n - 1);
		}
	}

	static void two(int n) {
		calls++;
		if (n > 1) {
			zero(n - 1);
			one(n - 1);
			two(n - 1);
			three(n - 1);
			four(n - 1);
			five(n - 1);
			six(n - 1);
			seven(n - 1);
			eight(n - 1);
			nine(n - 1);
		}
	}

	static void three(int n) {
		calls++;
		if (n > 1) {
			zero(n - 1);
			one(n - 1);
			two(n - 1);
			three(n - 1);
			four(n - 1);
			five(n - 1);
			six(n - 1);
			seven(n - 1);
			eight(n - 1);
			nine(n - 1);
		}
	}

	static void four(int n) {
		calls++;
		if (n > 1) {
			zero(n - 1);
			one(n - 1);
			two(n - 1);
			three(n - 1);
			four(n - 1);
			five(n - 1);
			six(n - 1);
			seven(n - 1);
			eight(n - 1);
			nine(n - 1);
		}
	}

	static void five(int n) {
		calls++;
		if (n > 1) {
			zero(n - 1);
			one(n - 1);
			two(n - 1);
			three(n - 1);
			four(n - 1);
			five(n - 1);
			six(n - 1);
			seven(n - 1);
			eight(n - 1);
			nine(n - 1);
		}
	}

	static void six(int n) {
		calls++;
		if (n > 1) {
			zero(n - 1);
			one(n - 1);
			two(n - 1);
			three(n - 1);
			four(n - 1);
			five(n - 1);
			six(n - 1);
			seven(n - 1);
			eight(n - 1);
			nine(n - 1);
		}
	}

	static void seven(int n) {
		calls++;
		if (n > 1) {
			zero(n - 1);
			one(n - 1);
			two(n - 1);
			three(n - 1);
			four(n - 1);
			five(n - 1);
			six(n - 1);
			seven(n - 1);
			eight(n - 1);
			nine(n - 1);
		}
	}

	static void eight(int n) {
		calls++;
		if (n > 1) {
			zero(n - 1);
			one(n - 1);
			two(n - 1);
			three(n - 1);
			four(n - 1);
			five(n - 1);
			six(n - 1);
			seven(n - 1);
			eight(n - 1);
			nine(n - 1);
		}
	}

	static void nine(int n) {
		calls++;
		if (n > 1) {
			zero(n - 1);
			one(n - 1);
			two(n - 1);
			three(n - 1);
			four(n - 1);
			five(n - 1);
			six(n - 1);
			seven(n - 1);
			eight(n - 1);
			nine(n - 1);
		}
	}

	/** Kilobytes of this process that were resident at most. */
	static long peak() throws IOException {
		for (String line : Files.readAllLines(Path.of("/proc/self/status")))
			if (line.startsWith("VmHWM:"))
				return Long.parseLong(line.replaceAll("\\D", ""));
		return 0;
	}

	public static void main(String[] args) throws IOException {
		zero(2);
		long before = peak();
		zero(DEPTH);
		long grown = peak() - before;
		/* Without a bound, 1,111,110 nodes of 104 bytes would take 113,000 kB. With probes the
		 * compilers are at work, and take memory too. */
		long limit = Truth.way().equals("events") ? 24_000 : 60_000;
		Truth.expect(grown < limit, "grew by " + grown + " kB");
		/* A tenth of each level's calls is each method's: 111,111, and those of the first walk. */
		Truth.expect(calls == 1_111_122, "made " + calls + " calls");
		Truth.calls(Paths.class, "zero(I)V", 111_114);
		for (String name : "one two three four five six seven eight nine".split(" "))
			Truth.calls(Paths.class, name + "(I)V", 111_112);
		Truth.calls(Paths.class, "peak()J", 2);
		Truth.save(Paths.class);
	}
}
