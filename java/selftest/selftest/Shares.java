// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package selftest;

/**
 * Methods that are named by their share of the processor's time, in percent. In shapes that are
 * hard for profilers: work of one's own and by many tiny methods, recursion, deep chains of calls,
 * interpreted and native methods among compiled ones, allocation.
 *
 * <p>All have the same parameters, those of natives that the agent provides (see
 * jprof.calibration.Natives): a slot or the depth, and what the call before came to, which makes
 * each wait for the last. No method is inlined, by an option of the JVM; what begins with
 * `interpreted` is not compiled.
 *
 * <p>Work has to be the same with probes and without, and to be done where it is written. A compiler
 * moves arithmetic past the call of a probe, where all that it needs is known before, and makes
 * large constants anew after each call, or once before a probe that is the caller's, where processors
 * have no instructions with such (arm64). So there are none, also no address of a constant object: each
 * loop's length is read from a field of `this`, which no compiler does before a call that might
 * change it, and which nobody has to compare with null.
 */
public final class Shares {
	/** How deep recursion8 goes, and the chain from deepA3 on: so many frames and one. */
	public static final int RECURSION = 29, CHAIN = 23;
	/** How often calls5 calls tiny15. */
	public static final int TINY = 20;
	/** See Natives.bind. */
	public static final String NATIVES = """
			0 native3 250
			1 nativeCalls2 60 answers1 0
			2 nativeEmpty 0
			3 nativeOnce 0 empty 0
			4 nativeFive 0 empty 0 empty 0 empty 0 empty 0 empty 0
			""";
	/** On which all are called. */
	public static final Shares SELF = new Shares();

	/** The others never change; but compilers do not know. */
	private int ownSteps = 300, wideSteps = 200, hops = 200, tinySteps = 16, recursionSteps = 20,
			deepSteps = 20, interpretedSteps = 60, arraySteps = 150;
	/** Steps of work, found so that methods that call each other get their shares. */
	public int callsSteps = 100, mixesSteps = 100, answers2Steps = 100, answers1Steps = 100;

	/** What methods with little work work on: what they have to keep while a probe is called is then
	 * no more than what empty ones keep. */
	private int state = 1;

	/** 4 KB, which the first cache holds: one circle through all places. */
	private int[] near = new int[1024];
	private Object[] kept = new Object[16];
	private byte[] keptBytes;

	{
		for (int i = 0; i < near.length; i++)
			near[i] = i * 5 + 1 & near.length - 1;
	}

	private Shares() {
	}

	/* ---- by itself ---- */

	public int own22(int slot, int x) {
		for (int i = ownSteps; i > 0; i--) {
			x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
		}
		return x;
	}

	/** Four strands that do not wait for one another. */
	public int wide8(int slot, int x) {
		int a = x, b = x ^ 5, c = x + 9, d = x ^ 77;
		for (int i = wideSteps; i > 0; i--) {
			a = a + (a << 3) ^ i;
			b = b + (b << 5) ^ i;
			c = c + (c << 7) ^ i;
			d = d + (d << 9) ^ i;
		}
		return a ^ b ^ c ^ d;
	}

	public int memory7(int slot, int x) {
		int[] array = near;
		int place = x & array.length - 1;
		for (int i = hops; i > 0; i--)
			place = array[place];
		return x + place;
	}

	/* ---- by others ---- */

	public int calls5(int slot, int x) {
		for (int i = callsSteps; i > 0; i--) {
			x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
		}
		x = tiny15(0, x); x = tiny15(0, x); x = tiny15(0, x); x = tiny15(0, x);
		x = tiny15(0, x); x = tiny15(0, x); x = tiny15(0, x); x = tiny15(0, x);
		x = tiny15(0, x); x = tiny15(0, x); x = tiny15(0, x); x = tiny15(0, x);
		x = tiny15(0, x); x = tiny15(0, x); x = tiny15(0, x); x = tiny15(0, x);
		x = tiny15(0, x); x = tiny15(0, x); x = tiny15(0, x); x = tiny15(0, x);
		return x;
	}

	public int tiny15(int slot, int x) {
		int y = state;
		for (int i = tinySteps; i > 0; i--) {
			y ^= y << 13; y ^= y >>> 17; y ^= y << 5;
		}
		state = y;
		return y;
	}

	public int recursion8(int depth, int x) {
		for (int i = recursionSteps; i > 0; i--) {
			x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
		}
		return depth == 0 ? x : recursion8(depth - 1, x) + 1;
	}

	/* ---- a chain of frames, a little work in each ---- */

	public int deepA3(int depth, int x) {
		int y = state;
		for (int i = deepSteps; i > 0; i--) {
			y ^= y << 13; y ^= y >>> 17; y ^= y << 5;
		}
		state = y;
		return depth == 0 ? y : deepB3(depth - 1, y);
	}

	public int deepB3(int depth, int x) {
		int y = state;
		for (int i = deepSteps; i > 0; i--) {
			y ^= y << 13; y ^= y >>> 17; y ^= y << 5;
		}
		state = y;
		return depth == 0 ? y : deepC3(depth - 1, y);
	}

	public int deepC3(int depth, int x) {
		int y = state;
		for (int i = deepSteps; i > 0; i--) {
			y ^= y << 13; y ^= y >>> 17; y ^= y << 5;
		}
		state = y;
		return depth == 0 ? y : deepD3(depth - 1, y);
	}

	public int deepD3(int depth, int x) {
		int y = state;
		for (int i = deepSteps; i > 0; i--) {
			y ^= y << 13; y ^= y >>> 17; y ^= y << 5;
		}
		state = y;
		return depth == 0 ? y : deepA3(depth - 1, y);
	}

	/* ---- states ---- */

	public int mixes2(int slot, int x) {
		for (int i = mixesSteps; i > 0; i--) {
			x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
		}
		return interpreted4(0, x);
	}

	public int interpreted4(int slot, int x) {
		for (int i = interpretedSteps; i > 0; i--) {
			x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
		}
		return answers2(0, x);
	}

	public int answers2(int slot, int x) {
		for (int i = answers2Steps; i > 0; i--) {
			x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
		}
		return x;
	}

	/** Works. */
	public static native int native3(int slot, int x);

	/** Works, calls answers1, and works as much again. */
	public static native int nativeCalls2(int slot, int x);

	public int answers1(int slot, int x) {
		for (int i = answers1Steps; i > 0; i--) {
			x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
		}
		return x;
	}

	/* ---- memory ---- */

	public int arrays6(int slot, int x) {
		keptBytes = new byte[2000];
		for (int i = arraySteps; i > 0; i--) {
			x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
		}
		return x + keptBytes[0];
	}

	public int objects3(int slot, int x) {
		for (int i = 0; i < 20; i++) {
			kept[i & kept.length - 1] = new Object();
			for (int k = tinySteps; k > 0; k--) {
				x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
			}
		}
		return x;
	}

	/* ---- what calls cost: five less one, divided by four ---- */

	public int empty(int slot, int x) {
		return x + 1;
	}

	public int interpretedEmpty(int slot, int x) {
		return x + 1;
	}

	public static native int nativeEmpty(int slot, int x);

	public int once(int slot, int x) {
		x = empty(0, x);
		return x;
	}

	public int five(int slot, int x) {
		x = empty(0, x); x = empty(0, x); x = empty(0, x); x = empty(0, x); x = empty(0, x);
		return x;
	}

	public int onceInterpreted(int slot, int x) {
		x = interpretedEmpty(0, x);
		return x;
	}

	public int fiveInterpreted(int slot, int x) {
		x = interpretedEmpty(0, x); x = interpretedEmpty(0, x); x = interpretedEmpty(0, x);
		x = interpretedEmpty(0, x); x = interpretedEmpty(0, x);
		return x;
	}

	public int onceNative(int slot, int x) {
		x = nativeEmpty(2, x);
		return x;
	}

	public int fiveNative(int slot, int x) {
		x = nativeEmpty(2, x); x = nativeEmpty(2, x); x = nativeEmpty(2, x);
		x = nativeEmpty(2, x); x = nativeEmpty(2, x);
		return x;
	}

	public int interpretedOnce(int slot, int x) {
		x = empty(0, x);
		return x;
	}

	public int interpretedFive(int slot, int x) {
		x = empty(0, x); x = empty(0, x); x = empty(0, x); x = empty(0, x); x = empty(0, x);
		return x;
	}

	public static native int nativeOnce(int slot, int x);

	public static native int nativeFive(int slot, int x);
}
