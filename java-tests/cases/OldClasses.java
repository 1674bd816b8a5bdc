// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Class files of versions 45 to 49, with subroutines (jsr and ret). */
final class OldClasses {
	static final int[] VERSIONS = {45, 46, 47, 48, 49};
	static final int ROUNDS = 10; /* with n from 0 on */
	static long steps, work, thrown;

	static void step() {
		steps++;
	}

	static int work(int n) {
		work++;
		if (n % 2 != 0) {
			thrown++;
			throw new IllegalStateException();
		}
		return n;
	}

	/** What the method says of n; -1000 if it throws. */
	static int call(Class<?> type, String name, int n) throws ReflectiveOperationException {
		Method method = type.getDeclaredMethod(name, int.class);

		try {
			return (int) method.invoke(null, n);
		} catch (InvocationTargetException e) {
			Truth.expect(e.getCause() instanceof IllegalStateException, name + " threw "
					+ e.getCause());
			return -1000;
		}
	}

	static void all(Class<?> type) throws ReflectiveOperationException {
		for (int n = 0; n < ROUNDS; n++) {
			int unlessOdd = n % 2 == 0 ? n : -1000;

			expect(type, "last", n, unlessOdd, 1);
			expect(type, "wideRet", n, unlessOdd, 1);
			expect(type, "returning", n, unlessOdd, 1);
			expect(type, "nested", n, n, 6);
			expect(type, "loop", n, 2 * n, 2 * n);
			expect(type, "leaving", n, -n, 1);
			expect(type, "farther", n, n + 11_000, 2);
		}
		for (String name : new String[] {"last", "wideRet", "returning", "nested", "loop",
				"leaving", "farther"})
			Truth.calls(type, name + "(I)I", ROUNDS);
	}

	static void expect(Class<?> type, String name, int n, int result, int stepsOfIt)
			throws ReflectiveOperationException {
		long before = steps;
		int found = call(type, name, n);

		Truth.expect(found == result, type + " " + name + " of " + n + ": " + found);
		Truth.expect(steps - before == stepsOfIt, type + " " + name + " of " + n + " steps");
	}

	public static void main(String[] args) throws ReflectiveOperationException {
		for (int version : VERSIONS)
			all(Class.forName("cases.OldCode" + version));
		Class<?> in = OldClasses.class;
		long each = 7L * ROUNDS * VERSIONS.length;
		Truth.calls(in, "<clinit>()V", 1);
		Truth.calls(in, "all(Ljava/lang/Class;)V", VERSIONS.length);
		Truth.calls(in, "expect(Ljava/lang/Class;Ljava/lang/String;III)V", each);
		Truth.calls(in, "call(Ljava/lang/Class;Ljava/lang/String;I)I", each);
		Truth.calls(in, "step()V", steps);
		Truth.calls(in, "work(I)I", work);
		/* main, all, expect, call, and the old method. */
		Truth.at("main", 6, 0, in, "step()V", steps);
		Truth.at("main", 6, 0, in, "work(I)I", work);
		/* leaving lets none through. */
		Truth.unwound(thrown + thrown * 3 / 4);
		Truth.save(in);
	}
}
