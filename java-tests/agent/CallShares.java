// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Spends the processor's time in one method that it calls from three lines, of which the first has a sixth of all loops, the
 * second two, and the last, by way of the JDK, three: "LINE LOOPS".
 *
 * <p>CallShares FILE SECONDS
 */
class CallShares {
	static volatile long sink;

	static void burn(int loops) {
		long sum = sink;

		for (int i = 0; i < loops * 1000; i++)
			sum = sum * 31 + i;
		sink = sum;
	}

	static int line() {
		return StackWalker.getInstance().walk(frames -> frames.skip(1).findFirst().get().getLineNumber());
	}

	static void caller(int[] lines) {
		lines[0] = line(); burn(100);
		lines[1] = line(); burn(200);
		lines[2] = line(); java.util.stream.IntStream.of(300).forEach(CallShares::burn);
	}

	public static void main(String[] args) throws IOException {
		long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000_000;
		int[] lines = new int[3];

		while (System.nanoTime() < end)
			caller(lines);
		Files.writeString(Path.of(args[0]), String.format("%d 1%n%d 2%n%d 3%n", lines[0], lines[1], lines[2]));
	}
}
