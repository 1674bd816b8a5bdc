// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
// run[instrument]: compiled -Xcomp -XX:TieredStopAtLevel=1
package cases;

/**
 * Every way to leave a method but the ordinary one. probe() is called after each: were one exit
 * missed, its level in the tree would be wrong.
 */
final class Exceptions {
	/* The JVM's events make it interpret; with probes the compilers are to come in: implicit
	 * exceptions are made by compiled code of its own, later even without a stack trace. */
	static final int ROUNDS = Truth.way().equals("events") ? 50 : 4000;
	static final int KINDS = 8;
	static long probe, same, thrower, middle, catcher, implicit, rethrow, last, override;
	static long nested, inFinally, inCatch, boom, sink, implicitSame, deep;

	static final class Boom extends RuntimeException {
		private static final long serialVersionUID = 1;

		Boom(String text) {
			super(text);
			boom++;
		}
	}

	static void probe() {
		probe++;
	}

	static void same() {
		same++;
		try {
			throw new Boom("same");
		} catch (Boom e) {
			sink++;
		}
	}

	static void thrower() {
		thrower++;
		throw new Boom("through");
	}

	static void middle(int frames) {
		middle++;
		if (frames == 1)
			thrower();
		else
			middle(frames - 1);
	}

	static void catcher() {
		catcher++;
		try {
			middle(10);
		} catch (Boom e) {
			sink++;
		}
	}

	static void implicit(int kind, Object nothing, int[] numbers) {
		implicit++;
		switch (kind) {
		case 0 -> sink += nothing.hashCode();
		case 1 -> sink += numbers[3];
		case 2 -> sink += ((String) (Object) numbers).length();
		case 3 -> sink += numbers[0] / (kind - 3);
		case 4 -> sink += new int[kind - 5].length;
		case 5 -> ((Object[]) new String[1])[0] = numbers;
		case 6 -> sink += nothing.toString().length();
		default -> throw null;
		}
	}

	/** The same, caught where they happen. */
	static void implicitSame(int kind, Object nothing, int[] numbers) {
		implicitSame++;
		try {
			switch (kind) {
			case 0 -> sink += nothing.hashCode();
			case 1 -> sink += numbers[3];
			case 2 -> sink += ((String) (Object) numbers).length();
			case 3 -> sink += numbers[0] / (kind - 3);
			case 4 -> sink += new int[kind - 5].length;
			case 5 -> ((Object[]) new String[1])[0] = numbers;
			case 6 -> sink += nothing.toString().length();
			default -> throw null;
			}
			Truth.expect(false, "nothing thrown by kind " + kind);
		} catch (RuntimeException e) {
			sink++;
		}
	}

	/** Through so many frames. */
	static void deep(int frames, int kind) {
		deep++;
		if (frames == 1)
			implicit(kind, null, new int[] {1, 2});
		else
			deep(frames - 1, kind);
	}

	static void rethrow() {
		rethrow++;
		try {
			thrower();
		} catch (Boom e) {
			throw e;
		}
	}

	static void last() {
		last++;
		try {
			thrower();
		} finally {
			sink++;
		}
	}

	@SuppressWarnings("finally")
	static int override() {
		override++;
		try {
			thrower();
			return 1;
		} finally {
			return 2;
		}
	}

	static void nested() {
		nested++;
		try {
			try {
				thrower();
			} catch (Boom e) {
				inCatch();
			}
		} catch (IllegalStateException e) {
			sink++;
		}
	}

	static void inCatch() {
		inCatch++;
		throw new IllegalStateException();
	}

	static void inFinally() {
		inFinally++;
		try {
			thrower();
		} finally {
			inCatch();
		}
	}

	static void all() {
		same();
		probe();
		catcher();
		probe();
		for (int kind = 0; kind < KINDS; kind++) {
			try {
				implicit(kind, null, new int[] {1, 2});
				Truth.expect(false, "nothing thrown by kind " + kind);
			} catch (RuntimeException e) {
				sink++;
			}
			probe();
			implicitSame(kind, null, new int[] {1, 2});
			probe();
			try {
				deep(10, kind);
			} catch (RuntimeException e) {
				probe();
			}
		}
		try {
			rethrow();
		} catch (Boom e) {
			probe();
		}
		try {
			last();
		} catch (Boom e) {
			probe();
		}
		override();
		probe();
		nested();
		probe();
		try {
			inFinally();
		} catch (IllegalStateException e) {
			probe();
		}
		try {
			System.arraycopy(new int[2], 0, new int[2], 1, 2);
		} catch (IndexOutOfBoundsException e) {
			probe();
		}
	}

	public static void main(String[] args) {
		for (int i = 0; i < ROUNDS; i++)
			all();
		Class<?> in = Exceptions.class;
		Truth.calls(in, "all()V", ROUNDS);
		Truth.calls(in, "probe()V", probe);
		Truth.calls(in, "same()V", same);
		Truth.calls(in, "thrower()V", thrower);
		Truth.calls(in, "middle(I)V", middle);
		Truth.calls(in, "catcher()V", catcher);
		Truth.calls(in, "implicit(ILjava/lang/Object;[I)V", implicit);
		Truth.calls(in, "implicitSame(ILjava/lang/Object;[I)V", implicitSame);
		Truth.calls(in, "deep(II)V", deep);
		Truth.calls(in, "rethrow()V", rethrow);
		Truth.calls(in, "last()V", last);
		Truth.calls(in, "override()I", override);
		Truth.calls(in, "nested()V", nested);
		Truth.calls(in, "inCatch()V", inCatch);
		Truth.calls(in, "inFinally()V", inFinally);
		Truth.calls(Boom.class, "<init>(Ljava/lang/String;)V", boom);
		Truth.calls(in, "<clinit>()V", 1);
		Truth.unwound(thrower + middle + implicit + deep + rethrow + last + inCatch + inFinally);
		Truth.at("main", 3, 0, in, "probe()V", ROUNDS * (8L + 3 * KINDS));
		Truth.save(in);
	}
}
