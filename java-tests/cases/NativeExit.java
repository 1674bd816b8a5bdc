// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain -XX:-CheckJNICalls
// exit: 5
package cases;

/**
 * Native code calls exit(3): the JVM hears nothing of it, and yet a whole profile. Without
 * -Xcheck:jni: a JVM under it looks at its signal handlers now and then, compares them with memory
 * that exit(3) freed in libjvm's destructors, and reports them as modified, with no agent as well.
 */
final class NativeExit {
	static long down;

	static native void exit(int status);

	static void down(int n) {
		down++;
		if (n > 0) {
			down(n - 1);
			return;
		}
		Truth.calls(NativeExit.class, "down(I)V", down);
		Truth.calls(NativeExit.class, "exit(I)V", 1);
		Truth.natives(NativeExit.class, "exit(I)V");
		Truth.save(NativeExit.class);
		exit(5);
	}

	public static void main(String[] args) {
		System.loadLibrary("cases");
		down(10);
	}
}
