// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.FileInputStream;
import java.util.Random;

/**
 * Sampled SLICES: the thread "sampled" runs three native methods of known numbers of instructions in
 * turns, as a random number has it, so many times; and then three other methods one after the other. Prints
 * "METHOD INSTRUCTIONS" of each, and "all" of the whole thread, by a counter of its own of what runs outside of
 * the kernel. That is read between the methods alone, not between the turns: reading it shows QEMU
 * overflows that it would see at the next tick.
 */
public class Sampled {
	private static final String[] NATIVES = {"spinShort", "spin", "spinLong"};
	private static final byte[] BUFFER = new byte[1 << 13];
	private static long whole;
	private static FileInputStream zero;

	/** Opens the counter of the calling thread. */
	private static native void count();

	/** Instructions of the calling thread since count(). */
	private static native long counted();

	private static native void spinShort(long turns);

	private static native void spin(long turns);

	private static native void spinLong(long turns);

	private static void compiled(int units) {
		long x = whole;
		for (int i = 0; i < units * 80; i++)
			x = x * 6364136223846793005L + (x >>> 7);
		whole = x;
	}

	/** The test has it excluded from compilation. */
	private static void interpreted(int units) {
		long x = whole;
		for (int i = 0; i < units * 4; i++)
			x = x * 31 + (i ^ x >>> 3);
		whole = x;
	}

	private static void reads(int units) throws Exception {
		for (int i = 0; i < units / 8; i++)
			whole += zero.read(BUFFER);
	}

	/** Turns of two instructions. */
	private static void turn(int which, long turns) {
		switch (which) {
		case 0:
			spinShort(turns);
			break;
		case 1:
			spin(turns);
			break;
		default:
			spinLong(turns);
		}
	}

	interface Work {
		void run(int units) throws Exception;
	}

	private static void other(String name, Work work, int slices) throws Exception {
		long begin = counted();

		for (int i = 0; i < slices; i++)
			work.run(10000);
		System.out.println(name + " " + (counted() - begin));
	}

	private static void work(int slices) throws Exception {
		long[] turns = new long[NATIVES.length];
		Random random = new Random(1);

		count();
		for (int i = 0; i < slices; i++) {
			int which = random.nextInt(NATIVES.length);
			long slice = (1 + which) * (500000L + random.nextInt(3000000));
			turn(which, slice);
			turns[which] += slice;
		}
		for (int i = 0; i < NATIVES.length; i++)
			System.out.println(NATIVES[i] + " " + 2 * turns[i]);
		other("compiled", Sampled::compiled, slices);
		other("interpreted", Sampled::interpreted, slices / 4);
		other("reads", Sampled::reads, slices);
		System.out.println("all " + counted());
	}

	public static void main(String[] args) throws Exception {
		Thread thread = new Thread(() -> {
			try {
				work(Integer.parseInt(args[0]));
			} catch (Exception failed) {
				throw new IllegalStateException(failed);
			}
		}, "sampled");

		System.loadLibrary("sampled");
		zero = new FileInputStream("/dev/zero");
		thread.start();
		thread.join();
	}
}
