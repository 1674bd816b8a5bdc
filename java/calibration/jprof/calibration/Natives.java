// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jprof.calibration;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;

/** Gives the native methods of the calibration and of the selftest their functions, which are the
 * agent's. */
public final class Natives {
	/** What is thrown by methods that throw: always the same object. */
	public static final Thrown THROWN = new Thrown();

	/** Without a stack trace. */
	public static final class Thrown extends RuntimeException {
		private static final long serialVersionUID = 1;

		Thrown() {
			super("thrown on purpose", null, false, false);
		}
	}

	private Natives() {
	}

	/**
	 * The agent gives this class its own native.
	 *
	 * @throws ReflectiveOperationException if it is not loaded
	 */
	public static void open() throws ReflectiveOperationException {
		Class.forName("jprof.Inside", true, null).getMethod("bind", Class.class)
				.invoke(null, Natives.class);
	}

	/**
	 * Binds the native methods of a class. A line for each: its slot, its name, how long a chain of
	 * multiplications it works (-1: it throws), and the methods that it calls, each with its slot.
	 *
	 * @param type the class
	 * @param self what its methods are called on that are not static
	 * @param lines what its natives do
	 */
	public static void bind(Class<?> type, Object self, String lines) {
		Map<String, Method> methods = new HashMap<>();

		for (Method method : type.getDeclaredMethods())
			methods.put(method.getName(), method);
		lines.lines().forEach(line -> bindLine(type, self, methods, line.split(" ")));
	}

	private static void bindLine(
			Class<?> type, Object self, Map<String, Method> methods, String[] words) {
		int count = (words.length - 3) / 2, statics = 0;
		Method[] callees = new Method[count];
		int[] slots = new int[count];

		for (int i = 0; i < count; i++) {
			callees[i] = methods.get(words[3 + 2 * i]);
			slots[i] = Integer.parseInt(words[4 + 2 * i]);
			if (Modifier.isStatic(callees[i].getModifiers()))
				statics |= 1 << i;
		}
		if (!bind0(type, self, THROWN, Integer.parseInt(words[0]), words[1],
				Integer.parseInt(words[2]), callees, slots, statics))
			throw new IllegalStateException("cannot bind " + words[1]);
	}

	private static native boolean bind0(Class<?> type, Object self, Throwable thrown, int slot,
			String name, int chain, Method[] callees, int[] slots, int statics);
}
