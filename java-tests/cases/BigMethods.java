// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain -Xss16m
package cases;

/**
 * Methods at the limits of the class file. What leaves no room for probes runs as it is, and the
 * summary says so; what it calls hangs below its caller.
 */
final class BigMethods {
	static final int ROUNDS = 20;
	static long steps;

	/** BigCode's large and full call it once each. */
	static void step() {
		steps++;
	}

	static void all(int n) {
		Truth.expect(BigCode.locals(n) == 255 * 128 + n, "locals");
		/* (65,535 - 19 - 5) / 3 and (65,535 - 5) / 3 increments */
		Truth.expect(BigCode.large(n) == n + 21837, "large");
		Truth.expect(BigCode.full(n) == n + 21843, "full");
		Truth.expect(BigCode.pass() == 254, "pass");
		Truth.expect(DeepCode.deep(n) == n, "deep");
		Truth.expect(FullPool.call(n) == n, "pool");
	}

	public static void main(String[] args) {
		boolean events = Truth.way().equals("events"), counted = Truth.counted();
		int whole = events ? ROUNDS : 0;

		for (int i = 0; i < ROUNDS; i++)
			all(i);
		Truth.calls(BigMethods.class, "all(I)V", ROUNDS);
		Truth.calls(BigMethods.class, "step()V", steps);
		Truth.expect(steps == 2 * ROUNDS, "steps " + steps);
		Truth.at("main", 4, 0, BigMethods.class, "step()V", ROUNDS + whole);
		Truth.calls(BigCode.class, "locals(I)I", ROUNDS);
		Truth.calls(BigCode.class, "large(I)I", ROUNDS);
		Truth.calls(BigCode.class, "full(I)I", whole);
		Truth.calls(BigCode.class, "pass()I", ROUNDS);
		Truth.calls(BigCode.class, "parameters(" + "I".repeat(255) + ")I", ROUNDS);
		Truth.calls(DeepCode.class, "deep(I)I", counted ? ROUNDS : whole);
		Truth.calls(FullPool.class, "call(I)I", whole);
		if (!events) {
			/* From full, which is no node. */
			Truth.at("main", 3, 0, BigMethods.class, "step()V", ROUNDS);
			Truth.untouched("cases.BigCode.full", "the code would be longer than 65,535 bytes");
			if (!counted)
				Truth.untouched("cases.DeepCode.deep", "the operand stack would be too deep");
			Truth.untouched("cases.FullPool.call", "the constant pool is full");
		}
		Truth.save(BigMethods.class);
	}
}
