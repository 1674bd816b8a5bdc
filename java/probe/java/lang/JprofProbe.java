// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/**
 * What rewritten methods call. The agent defines it in the boot loader, and gives the native methods their functions
 * (agent/probes/method_probes.c): there is no class loader that may not ask the boot loader for a class of this
 * package, and no module that cannot read java.base.
 *
 * <p>{@link #count} is for methods whose calls are counted, not timed. The compilers inline it, down to an addition in
 * the calling thread's own block of counters (agent/trace/counts.h), which is found by the thread's number:
 *
 * <pre>
 *   Thread.currentThread() -> tid -> BLOCKS + tid % THREADS * (bytes of a block) + 8 * (id of the method)
 * </pre>
 *
 * So nothing is lost, whatever runs at the same time: a block has one writer. There is nothing that could branch: even a
 * branch that is never taken has the compilers keep ready whatever the interpreter would need there. That is right as long as
 * no virtual thread counts, which would have too many blocks, and no number of a thread that lives is the same modulo THREADS.
 * Otherwise, and where threads are to have no block, the class is redefined to be CHECKED:
 *
 * <pre>
 *   REGISTER[tid % SIZE] == tid ? as above : natively (agent/probes/counted_calls.c), which may register the thread
 * </pre>
 *
 * The register is an array of Java's, not native memory: then the compilers know that additions do not change it.
 */
public final class JprofProbe {
	/** The class is compiled once as it stands here, and once with false: see agent/probes/CMakeLists.txt. */
	private static final boolean CHECKED = true;
	private static final int THREADS = 1 << 16;
	private static final int BLOCK_SHIFT = 21;
	/** Not final: the compilers would make a constant of each counter's place, instead of one of a thread's block. */
	private static long BLOCKS = blocks();
	private static final int SIZE = 1 << 12;
	/** Numbers of threads, or -1: a thread that is being attached has no number yet, 0. */
	private static final long[] REGISTER = new long[SIZE];
	private static final Unsafe UNSAFE = unsafe();
	/** Where a thread's number is in it; below 0 in a JDK that has it elsewhere: nothing is counted then, but timed. */
	private static final long NUMBER = number();

	static {
		for (int i = 0; i < SIZE; i++)
			REGISTER[i] = -1;
	}

	private JprofProbe() {
	}

	private static Unsafe unsafe() {
		try {
			return Unsafe.getUnsafe();
		} catch (Throwable e) {
			return null;
		}
	}

	private static long number() {
		try {
			return UNSAFE.objectFieldOffset(Thread.class, "tid");
		} catch (Throwable e) {
			return -1;
		}
	}

	public static native void enter(int method);

	/** In the place of enter, where each call is told of. */
	public static native void watched(int method);

	public static native void exit(int method);

	public static native void unwind(int method);

	public static native void caught(int method);

	public static native void entered(int method);

	/** A line is reached whose calls are kept apart from those of others: the number of a site (agent/trace/tree_labels.h). */
	public static native void reach(int site);

	/**
	 * What a method was entered with: an argument, or the object that it is called on; behind enter, if the method has that. The
	 * number says which value of which method (agent/probes/parameter_probes.h). boolean, byte, short, char and int
	 * are handed over as long, float as double.
	 */
	public static native void value(Object value, int number);

	public static native void value(long value, int number);

	public static native void value(double value, int number);

	/** What a method returns; in front of exit. The same types and numbers; nothing where it throws. */
	public static native void result(Object value, int number);

	public static native void result(long value, int number);

	public static native void result(double value, int number);

	/**
	 * A method is entered: its reference (agent/methods/methods.h), whose lowest bit is not part of the id.
	 * The compilers inline it where that is called often: elsewhere, and in what is not yet optimised, a call costs less than
	 * the larger code.
	 */
	public static void count(int method) {
		long thread = UNSAFE.getLong(Thread.currentThread(), NUMBER);

		if (!CHECKED || REGISTER[(int) thread & SIZE - 1] == thread) {
			long counter = BLOCKS + ((thread & THREADS - 1) << BLOCK_SHIFT) + ((long) (method >>> 1) << 3);

			UNSAFE.putLong(null, counter, UNSAFE.getLong(null, counter) + 1);
		} else {
			countNatively(method);
		}
	}

	@DontInline
	private static void countNatively(int method) {
		counted(method, UNSAFE.getLong(Thread.currentThread(), NUMBER));
	}

	/** Where the first block is; 0: there are none, and REGISTER stays empty. */
	private static native long blocks();

	/** thread: the number of the calling one. */
	private static native void counted(int method, long thread);
}
