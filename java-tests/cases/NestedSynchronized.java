// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

/**
 * Synchronized blocks in synchronized methods, entered again, left by return, exception and wait;
 * afterwards no lock is held. And methods whose bytecode does not give its locks back.
 */
final class NestedSynchronized {
	static final int ROUNDS = 100, DEPTH = 5;
	static final Object[] locks = {new Object(), new Object(), new Object()};
	static long nested, again, probe, thrown, waited, step, misused;

	static void probe() {
		probe++;
		for (Object lock : locks)
			Truth.expect(!Thread.holdsLock(lock), "a lock is held");
		Truth.expect(!Thread.holdsLock(NestedSynchronized.class), "the class is locked");
	}

	static void step(int kind) {
		step++;
		Truth.expect(Thread.holdsLock(locks[2]), "no lock is held");
		if (kind == 1)
			throw new IllegalStateException();
	}

	static synchronized int nested(int kind) {
		nested++;
		synchronized (locks[0]) {
			synchronized (locks[1]) {
				synchronized (locks[2]) {
					step(kind);
					if (kind == 2)
						return 1;
				}
				try {
					synchronized (locks[2]) {
						step(kind == 3 ? 1 : 0);
					}
				} catch (IllegalStateException e) {
					thrown++;
				}
			}
			return 2;
		}
	}

	static synchronized void again(int depth) {
		again++;
		synchronized (NestedSynchronized.class) {
			synchronized (locks[0]) {
				synchronized (locks[0]) {
					if (depth > 0)
						again(depth - 1);
				}
			}
		}
	}

	static synchronized void waits() throws InterruptedException {
		waited++;
		synchronized (locks[1]) {
			locks[1].wait(1);
		}
	}

	static void all() throws InterruptedException {
		for (int kind = 0; kind < 4; kind++) {
			try {
				nested(kind);
			} catch (IllegalStateException e) {
				thrown++;
			}
			probe();
		}
		again(DEPTH);
		probe();
	}

	/** Both throw an IllegalMonitorStateException; the first when it returns. */
	static void misuse(int kind) {
		misused++;
		try {
			if (kind == 0)
				LockCode.kept(locks[0]);
			else
				LockCode.givenTwice(locks[0]);
			Truth.expect(false, "nothing was thrown by kind " + kind);
		} catch (IllegalMonitorStateException e) {
			probe();
		}
	}

	public static void main(String[] args) throws InterruptedException {
		for (int i = 0; i < ROUNDS; i++)
			all();
		for (int i = 0; i < 5; i++) {
			waits();
			misuse(0);
			misuse(1);
		}
		Class<?> in = NestedSynchronized.class;
		Truth.calls(in, "<clinit>()V", 1);
		Truth.calls(in, "all()V", ROUNDS);
		Truth.calls(in, "nested(I)I", nested);
		Truth.calls(in, "again(I)V", again);
		Truth.calls(in, "step(I)V", step);
		Truth.calls(in, "probe()V", probe);
		Truth.calls(in, "waits()V", waited);
		Truth.calls(in, "misuse(I)V", misused);
		Truth.calls(LockCode.class, "kept(Ljava/lang/Object;)I", 5);
		Truth.calls(LockCode.class, "givenTwice(Ljava/lang/Object;)I", 5);
		Truth.expect(thrown == 2 * ROUNDS, "thrown " + thrown);
		for (int depth = 0; depth <= DEPTH; depth++)
			Truth.at("main", 3 + depth, depth, in, "again(I)V", ROUNDS);
		Truth.at("main", 3, 0, in, "probe()V", probe);
		Truth.save(in);
	}
}
