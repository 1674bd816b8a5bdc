// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

/** Native methods are nodes; what they call hangs below them, exceptions pass through them. */
final class Natives {
	static long adds, ups, backs, fails, throwing, swallows, steps;

	static native int add(int a, int b);

	/** Calls back(depth). */
	native void up(int depth);

	/** Throws an IllegalStateException. */
	static native void fail();

	/** Calls throwing() and lets its exception through. */
	static native void pass();

	/** Calls throwing() and clears its exception. */
	static synchronized native int swallow();

	static native String text(String in);

	void back(int depth) {
		backs++;
		if (depth > 0) {
			ups++;
			up(depth - 1);
		}
	}

	static void throwing() {
		throwing++;
		throw new IllegalStateException();
	}

	static void step() {
		steps++;
	}

	public static void main(String[] args) {
		System.loadLibrary("cases");
		Natives natives = new Natives();
		int caught = 0;
		for (int i = 0; i < 70; i++) {
			adds++;
			Truth.expect(add(i, 2) == i + 2, "add");
			ups++;
			natives.up(4);
			try {
				fails++;
				fail();
			} catch (IllegalStateException e) {
				caught++;
				step();
			}
			try {
				pass();
			} catch (IllegalStateException e) {
				caught++;
				step();
			}
			swallows += swallow();
			Truth.expect(text("abc").equals("abc"), "text");
			step();
		}
		Truth.expect(caught == 140 && swallows == 70, "caught " + caught);
		Class<?> in = Natives.class;
		Truth.calls(in, "<init>()V", 1);
		Truth.calls(in, "add(II)I", adds);
		Truth.calls(in, "up(I)V", ups);
		Truth.calls(in, "back(I)V", backs);
		Truth.calls(in, "fail()V", fails);
		Truth.calls(in, "pass()V", 70);
		Truth.calls(in, "swallow()I", swallows);
		Truth.calls(in, "throwing()V", throwing);
		Truth.calls(in, "text(Ljava/lang/String;)Ljava/lang/String;", 70);
		Truth.calls(in, "step()V", steps);
		Truth.natives(in, "add(II)I");
		Truth.natives(in, "up(I)V");
		Truth.natives(in, "swallow()I");
		Truth.at("main", 2, 0, in, "step()V", steps);
		for (int depth = 0; depth < 5; depth++)
			Truth.at("main", 3 + 2 * depth, depth, in, "back(I)V", 70);
		Truth.save(in);
	}
}
