// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package readings;

/** Methods whose values are read. */
class Cases {
	static class Parent {
		final long given;

		Parent(long given) {
			this.given = given;
		}

		int given() {
			return (int) given;
		}

		@Override
		public String toString() {
			return "parent";
		}
	}

	static final class Child extends Parent {
		Child(int a, double b) {
			super(a > 0 ? a : (long) b);
		}

		Child(String text) {
			this(text.length(), 0.5);
		}
	}

	interface Default {
		default String say(String text, long times) {
			return text.repeat((int) times);
		}
	}

	enum Colour {
		RED, GREEN;

		static Colour other(Colour one) {
			return one == RED ? GREEN : RED;
		}
	}

	static void nothing() {
	}

	static boolean booleans(boolean a, boolean b) {
		return a & b;
	}

	static byte bytes(byte a, byte b) {
		return (byte) (a + b);
	}

	static char chars(char a, char b) {
		return a > b ? a : b;
	}

	static short shorts(short a, short b) {
		return (short) (a + b);
	}

	static int ints(int a, int b) {
		return a + b;
	}

	static long longs(long a, int b, long c) {
		return a + b + c;
	}

	static float floats(float a, float b) {
		return a / b;
	}

	static double doubles(double a, float b, double c) {
		return a * b * c;
	}

	static Object objects(Object a, String b) {
		return a == null ? b : a;
	}

	static long[][] arrays(int[] a, long[][] b) {
		return b;
	}

	double mixed(long a, Object b, double c, int d, float e, byte f) {
		return a + c + d + e + f;
	}

	@Override
	public String toString() {
		return "cases";
	}

	Cases same() {
		return this;
	}

	/** Its loop leads back to its first instruction. */
	static int loop(int n) {
		do {
			n -= 3;
		} while (n > 0);
		return n;
	}

	static int changed(int n) {
		n = n * 2 + 1;
		return n;
	}

	static int several(int n) {
		switch (n) {
		case 0:
			return 10;
		case 1:
			return 11;
		case 5:
			return 15;
		default:
			if (n < 0)
				throw new IllegalArgumentException("below 0");
			return n > 100 ? 2 : 3;
		}
	}

	static int tried(int n) {
		try {
			return several(n);
		} catch (IllegalArgumentException e) {
			return 77;
		}
	}

	/** Whatever a probe throws is not for this handler. */
	static int guarded(int n) {
		try {
			return n + 1;
		} catch (RuntimeException e) {
			return 78;
		}
	}

	static int guardedResult() {
		try {
			return Integer.SIZE;
		} catch (RuntimeException e) {
			return 78;
		}
	}

	static int locked(Object lock, int n) {
		synchronized (lock) {
			if (n == 0)
				return 5;
			n++;
		}
		return n;
	}

	static synchronized int lockedWhole(int n) {
		return n;
	}

	static <T extends Comparable<T>> T larger(T a, T b) {
		return a.compareTo(b) > 0 ? a : b;
	}

	static long eight(int a, long b, int c, long d, int e, long f, int g, long h) {
		long sum = a + b + c + d;

		return sum + e + f + g + h;
	}

	static String strings(String... all) {
		return String.join("+", all);
	}
}
