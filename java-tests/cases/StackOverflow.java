// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run[events]: plain -Xss512k
// run[instrument attach]: plain -Xss256k
package cases;

/**
 * Stacks that overflow and are caught. A call that overflows before its first bytecode has no
 * entry event, so a counter in the first statement counts exactly the calls that began.
 */
final class StackOverflow {
	static long plain, wide, guarded, locked, after, caught;

	static int plain(int n) {
		plain++;
		return plain(n + 1) + 1;
	}

	static long wide(long a, long b, long c, double d, double e, Object f) {
		wide++;
		long g = a + b;
		long h = b + c;
		return wide(g, h, a, e, d, f) + g + h;
	}

	static int guarded(int n) {
		guarded++;
		try {
			return guarded(n + 1);
		} finally {
			n++;
		}
	}

	static synchronized int locked(int n) {
		locked++;
		return locked(n + 1) + 1;
	}

	static void after() {
		after++;
	}

	static void overflow(int kind) {
		try {
			switch (kind) {
			case 0 -> plain(0);
			case 1 -> wide(1, 2, 3, 4, 5, "");
			case 2 -> guarded(0);
			default -> locked(0);
			}
		} catch (StackOverflowError e) {
			caught++;
			after();
		}
	}

	public static void main(String[] args) throws InterruptedException {
		for (int i = 0; i < 12; i++)
			overflow(i % 4);
		Thread thread = new Thread(null, StackOverflow::inThread, "small-stack", 200 * 1024);
		thread.start();
		thread.join();
		Truth.expect(caught == 24, "caught " + caught);
		Truth.calls(StackOverflow.class, "plain(I)I", plain);
		Truth.calls(StackOverflow.class, "wide(JJJDDLjava/lang/Object;)J", wide);
		Truth.calls(StackOverflow.class, "guarded(I)I", guarded);
		Truth.calls(StackOverflow.class, "locked(I)I", locked);
		Truth.calls(StackOverflow.class, "after()V", after);
		Truth.calls(StackOverflow.class, "overflow(I)V", 24);
		Truth.calls(StackOverflow.class, "inThread()V", 1);
		Truth.calls("cases.StackOverflow$$Lambda", "<init>()V", 1);
		Truth.calls("cases.StackOverflow$$Lambda", "run()V", 1);
		/* The stack is right again after each overflow. */
		Truth.at("main", 3, 0, StackOverflow.class, "after()V", 12);
		Truth.at("small-stack", 3 + Truth.hiddenLevels(), 0, StackOverflow.class, "after()V", 12);
		Truth.save(StackOverflow.class);
	}

	static void inThread() {
		for (int i = 0; i < 12; i++)
			overflow(i % 4);
	}
}
