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
		int run(int rounds, int x);
	}

	private final Code code;

	Loop(Code code) {
		this.code = code;
	}

	int run(int rounds, int x) {
		return code.run(rounds, x);
	}

	private static int own(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.own22(0, x);
		return x;
	}

	private static int wide(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.wide8(0, x);
		return x;
	}

	private static int memory(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.memory7(0, x);
		return x;
	}

	private static int calls(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.calls5(0, x);
		return x;
	}

	private static int tiny(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.tiny15(0, x);
		return x;
	}

	private static int recursion(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.recursion8(Shares.RECURSION, x);
		return x;
	}

	private static int deep(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.deepA3(Shares.CHAIN, x);
		return x;
	}

	private static int mixes(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.mixes2(0, x);
		return x;
	}

	private static int interpreted(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.interpreted4(0, x);
		return x;
	}

	private static int answers2(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.answers2(0, x);
		return x;
	}

	private static int nativeLeaf(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.native3(0, x);
		return x;
	}

	private static int nativeCalls(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.nativeCalls2(1, x);
		return x;
	}

	private static int answers1(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.answers1(0, x);
		return x;
	}

	private static int arrays(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.arrays6(0, x);
		return x;
	}

	private static int objects(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.objects3(0, x);
		return x;
	}

	private static int empty(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.empty(0, x);
		return x;
	}

	private static int interpretedEmpty(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.interpretedEmpty(0, x);
		return x;
	}

	private static int nativeEmpty(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.nativeEmpty(2, x);
		return x;
	}

	private static int once(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.once(0, x);
		return x;
	}

	private static int five(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.five(0, x);
		return x;
	}

	private static int onceInterpreted(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.onceInterpreted(0, x);
		return x;
	}

	private static int fiveInterpreted(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.fiveInterpreted(0, x);
		return x;
	}

	private static int onceNative(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.onceNative(0, x);
		return x;
	}

	private static int fiveNative(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.fiveNative(0, x);
		return x;
	}

	private static int interpretedOnce(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.interpretedOnce(0, x);
		return x;
	}

	private static int interpretedFive(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.interpretedFive(0, x);
		return x;
	}

	private static int nativeOnce(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.nativeOnce(3, x);
		return x;
	}

	private static int nativeFive(int n, int x) {
		for (int i = 0; i < n; i++)
			x = Shares.nativeFive(4, x);
		return x;
	}
}
