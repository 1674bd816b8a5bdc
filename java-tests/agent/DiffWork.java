// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.FileOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * A program whose work is what its arguments say, NAME=NUMBER: so that two recordings of it differ by
 * what is known. steady and changing are called so often and work so long each time; leaf is called by
 * left and by right; so many bytes are written to a file, 1000 at a time, and so many allocated.
 */
public class DiffWork {
	static long sink;
	static byte[] kept;

	static long work(int rounds) {
		long x = rounds;

		for (int i = 0; i < rounds; i++)
			x = x * 6364136223846793005L + 1442695040888963407L;
		return x;
	}

	static void steady(int rounds) {
		sink += work(rounds);
	}

	static void changing(int rounds) {
		long x = rounds;

		for (int i = 0; i < rounds; i++)
			x = x * 2862933555777941757L + 3037000493L;
		sink += x;
	}

	static void leaf() {
		sink++;
	}

	static void left(int times) {
		for (int i = 0; i < times; i++)
			leaf();
	}

	static void right(int times) {
		for (int i = 0; i < times; i++)
			leaf();
	}

	static void allocate(int bytes) {
		for (; bytes > 0; bytes -= 1016)
			kept = new byte[1000];
	}

	static void write(String path, int bytes) throws IOException {
		byte[] block = new byte[1000];

		try (FileOutputStream file = new FileOutputStream(path)) {
			for (; bytes > 0; bytes -= block.length)
				file.write(block, 0, Math.min(bytes, block.length));
		}
	}

	public static void main(String[] words) throws IOException {
		Map<String, Integer> number = new HashMap<>();
		String path = null;

		for (String word : words) {
			String[] parts = word.split("=", 2);

			if (parts[0].equals("file"))
				path = parts[1];
			else
				number.put(parts[0], Integer.parseInt(parts[1]));
		}
		int steadies = number.getOrDefault("steadies", 0), rounds = number.getOrDefault("rounds", 1);
		int changes = number.getOrDefault("changes", 0), work = number.getOrDefault("work", 1);

		for (int i = 0; i < Math.max(steadies, changes); i++) {
			if (i < steadies)
				steady(rounds);
			if (i < changes)
				changing(work);
		}
		left(number.getOrDefault("lefts", 0));
		right(number.getOrDefault("rights", 0));
		allocate(number.getOrDefault("alloc", 0));
		if (path != null)
			write(path, number.getOrDefault("bytes", 0));
	}
}
