// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
// run[count instrument]: constructor -- include=+java.lang.Thread
package cases;

/**
 * Native threads that attach themselves, call Java, detach, and do it again. Their Thread's constructor runs in the thread
 * itself, before it has a number.
 */
final class AttachedThreads {
	static long entered;

	/** Starts so many native threads one after the other; each attaches twice under the same
	 * name and calls enter(calls) once each time. */
	static native void attach(int threads, int calls);

	static void enter(int calls) {
		entered++;
		for (int i = 0; i < calls; i++)
			work();
	}

	static void work() {
	}

	public static void main(String[] args) {
		System.loadLibrary("cases");
		attach(3, 11);
		Truth.calls(AttachedThreads.class, "attach(II)V", 1);
		Truth.calls(AttachedThreads.class, "enter(I)V", entered);
		Truth.calls(AttachedThreads.class, "work()V", 11 * entered);
		Truth.expect(entered == 6, "entered " + entered);
		for (int i = 0; i < 3; i++) {
			Truth.in("native-" + i, AttachedThreads.class, "enter(I)V", 2);
			Truth.in("native-" + i, AttachedThreads.class, "work()V", 22);
		}
		Truth.loose("java.lang.Thread");
		Truth.save(AttachedThreads.class);
	}
}
