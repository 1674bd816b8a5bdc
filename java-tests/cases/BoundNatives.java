// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain -- start=no,exclude=cases.BoundNatives$Outside
package cases;

/** Native methods that are bound, compiled even, before the recording begins, and outlive it. */
final class BoundNatives {
	static final int OFTEN = 50000;
	static long calls;

	/** The sum of all, times their place: more of each kind than any processor has registers for. */
	static native double mix(int a, double b, long c, float d, int e, double f, long g, float h,
			int i, double j, long k, float l, int m, double n, long o, float p, double q,
			double r, long s, boolean t);

	/** Has the function that it exports replaced by one that it does not: plus() adds 1. */
	static native boolean register();

	static native int plus(int to);

	/** Is not called, and so not bound, before the recording. */
	static native int late(int value);

	/** Calls plus() of itself, so often. */
	native void again(int times);

	/** A caller that gets no probes, so it need not be compiled anew. */
	static final class Outside {
		static void call() {
			for (int i = 0; i < OFTEN; i++)
				Truth.expect(plus(i) == i + 1, "plus from outside");
		}
	}

	static void all(BoundNatives self, int i) {
		double expected = i + 2 * .5 + 3L * i + 4 * .25 + 5 * 5 + 6 * .5 + 7 * 7 + 8 * .25
				+ 9 * 9 + 10 * .5 + 11 * 11 + 12 * .25 + 13 * 13 + 14 * .5 + 15 * 15
				+ 16 * .25 + 17 * .5 + 18 * .125 + 19 * 19 + 20;

		calls++;
		Truth.expect(mix(i, .5, i, .25f, 5, .5, 7, .25f, 9, .5, 11, .25f, 13, .5, 15, .25f, .5,
				.125, 19, true) == expected, "mix");
		Truth.expect(plus(i) == i + 1, "plus");
		self.again(2);
	}

	public static void main(String[] args) {
		BoundNatives self = new BoundNatives();
		String agent = System.getProperty("truth.agent");

		System.loadLibrary("cases");
		Truth.expect(register(), "register");
		for (int i = 0; i < OFTEN; i++)
			all(self, i);
		for (int i = 0; i < 10; i++)
			Outside.call();
		Truth.expect(StopProbes.call(agent, "jprof_start") == 0, "start");
		calls = 0;
		for (int i = 0; i < OFTEN; i++)
			all(self, i);
		Outside.call();
		Truth.expect(late(7) == 8, "late");
		/* Once more: nothing changes, and nothing is called twice. */
		Truth.expect(register(), "register");
		Truth.expect(plus(1) == 2, "plus");
		long recorded = calls;
		Truth.expect(StopProbes.call(agent, "jprof_stop") == 0, "stop");
		for (int i = 0; i < OFTEN; i++)
			all(self, i);
		Truth.expect(late(8) == 9, "late");
		Class<?> in = BoundNatives.class;
		Truth.calls(in, "all(L" + in.getName().replace('.', '/') + ";I)V", recorded);
		Truth.calls(in, "mix(IDJFIDJFIDJFIDJFDDJZ)D", recorded);
		Truth.calls(in, "plus(I)I", 3 * recorded + OFTEN + 1);
		Truth.calls(in, "again(I)V", recorded);
		Truth.calls(in, "late(I)I", 1);
		Truth.calls(in, "register()Z", 1);
		Truth.calls(StopProbes.class, "call(Ljava/lang/String;Ljava/lang/String;)I", 1);
		for (String method : new String[] {"mix(IDJFIDJFIDJFIDJFDDJZ)D", "plus(I)I", "again(I)V",
				"late(I)I"})
			Truth.natives(in, method);
		Truth.write();
	}
}
