// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What rewritten methods call. The agent defines it in the boot loader, and gives the native methods their functions
 * (agent/probes/method_probes.c): there is no class loader that may not ask the boot loader for a class of this
 * package, and no module that cannot read java.base.
 *
 * <p>{@link #count} is for methods whose calls are counted, not timed. The compilers inline it, down to an addition in
 * the calling thread's own block of counters:
 *
 * <pre>
 *   Thread.currentThread() -> tid -> REGISTER[tid % SIZE] == tid ? -> REGISTER[SIZE + ...], the block's address
 *                                    else: natively (agent/probes/counted_calls.c), which may register the thread
 * </pre>
 *
 * So nothing is lost, whatever runs at the same time: a block has one writer. The register is an array of Java's, not
 * native memory: then the compilers know that additions do not change it, and look up a thread's block once for all
 * methods that they inlined in one. A thread is registered before it runs; where the other branch never ran, it is
 * not compiled, and code behind the call need not be ready for whatever that might have done. Virtual threads are not
 * registered: they count natively.
 */
public final class JprofProbe {
	private static final int SIZE = 1 << 12;
	/**
	 * Numbers of threads, or -1: a thread that is being attached has no number yet, 0. And behind all of these, in the
	 * same order, where their counters begin.
	 */
	private static final long[] REGISTER = new long[2 * SIZE];
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

	public static native void exit(int method);

	public static native void unwind(int method);

	public static native void caught(int method);

	public static native void entered(int method);

	/** A method is entered: its reference (agent/methods/methods.h), whose lowest bit is not part of the id. */
	@ForceInline
	public static void count(int method) {
		long thread = UNSAFE.getLong(Thread.currentThread(), NUMBER);
		int at = (int) thread & SIZE - 1;

		if (REGISTER[at] == thread) {
			long counter = REGISTER[SIZE + at] + ((long) (method >>> 1) << 3);

			UNSAFE.putLong(null, counter, UNSAFE.getLong(null, counter) + 1);
		} else {
			countNatively(method);
		}
	}

	@DontInline
	private static void countNatively(int method) {
		counted(method, UNSAFE.getLong(Thread.currentThread(), NUMBER));
	}

	/** thread: the number of the calling one. */
	private static native void counted(int method, long thread);
}
