// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jprof.selftest;

import selftest.Shares;

/** Loops around methods, outside of what has probes: so many rounds, beginning with x. Each is code
 * of its own, so that it is compiled for what it calls. */
enum Loop {
	OWN(Loop::own), WIDE(Loop::wide), MEMORY(Loop::memory), CALLS(Loop::calls), TINY(Loop::tiny),
	RECURSION(Loop::recursion), DEEP(Loop::deep), MIXES(Loop::mixes),
	INTERPRETED(Loop::interpreted), ANSWERS2(Loop::answers2), NATIVE(Loop::nativeLeaf),
	NATIVE_CALLS(Loop::nativeCalls), ANSWERS1(Loop::answers1), ARRAYS(Loop::arrays),
	OBJECTS(Loop::objects),
	/* Of each kind of method an empty one. */
	EMPTY(Loop::empty), INTERPRETED_EMPTY(Loop::interpretedEmpty), NATIVE_EMPTY(Loop::nativeEmpty),
	/* One call and five, by kinds of caller and callee. */
	ONCE(Loop::once), FIVE(Loop::five),
	ONCE_INTERPRETED(Loop::onceInterpreted), FIVE_INTERPRETED(Loop::fiveInterpreted),
	ONCE_NATIVE(Loop::onceNative), FIVE_NATIVE(Loop::fiveNative),
	INTERPRETED_ONCE(Loop::interpretedOnce), INTERPRETED_FIVE(Loop::interpretedFive),
	NATIVE_ONCE(Loop::nativeOnce), NATIVE_FIVE(Loop::nativeFive);

	interface Code {
		int run(Shares shares, int rounds, int x);
	}

	private final Code code;

	Loop(Code code) {
		this.code = code;
	}

	int run(int rounds, int x) {
		return code.run(Shares.SELF, rounds, x);
	}

	private static int own(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.own22(0, x);
		return x;
	}

	private static int wide(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.wide8(0, x);
		return x;
	}

	private static int memory(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.memory7(0, x);
		return x;
	}

	private static int calls(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.calls5(0, x);
		return x;
	}

	private static int tiny(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.tiny15(0, x);
		return x;
	}

	private static int recursion(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.recursion8(Shares.RECURSION, x);
		return x;
	}

	private static int deep(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.deepA3(Shares.CHAIN, x);
		return x;
	}

	private static int mixes(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.mixes2(0, x);
		return x;
	}

	private static int interpreted(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.interpreted4(0, x);
		return x;
	}

	private static int answers2(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.answers2(0, x);
		return x;
	}

	private static int nativeLeaf(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.native3(0, x);
		return x;
	}

	private static int nativeCalls(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.nativeCalls2(1, x);
		return x;
	}

	private static int answers1(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.answers1(0, x);
		return x;
	}

	private static int arrays(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.arrays6(0, x);
		return x;
	}

	private static int objects(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.objects3(0, x);
		return x;
	}

	private static int empty(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.empty(0, x);
		return x;
	}

	private static int interpretedEmpty(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.interpretedEmpty(0, x);
		return x;
	}

	private static int nativeEmpty(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.nativeEmpty(2, x);
		return x;
	}

	private static int once(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.once(0, x);
		return x;
	}

	private static int five(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.five(0, x);
		return x;
	}

	private static int onceInterpreted(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.onceInterpreted(0, x);
		return x;
	}

	private static int fiveInterpreted(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.fiveInterpreted(0, x);
		return x;
	}

	private static int onceNative(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.onceNative(0, x);
		return x;
	}

	private static int fiveNative(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.fiveNative(0, x);
		return x;
	}

	private static int interpretedOnce(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.interpretedOnce(0, x);
		return x;
	}

	private static int interpretedFive(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = shares.interpretedFive(0, x);
		return x;
	}

	private static int nativeOnce(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.nativeOnce(3, x);
		return x;
	}

	private static int nativeFive(Shares shares, int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.nativeFive(4, x);
		return x;
	}
}
