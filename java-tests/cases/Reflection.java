// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Calls by Method.invoke (often enough for the JDK to generate accessors), by constructor
 * and by method handle. What the JDK generates for them is not the application's. */
public final class Reflection {
	static long made, twice, throwing, instance;

	public Reflection(int n) {
		made++;
		if (n < 0)
			throw new IllegalArgumentException();
	}

	public static int twice(int n) {
		twice++;
		return 2 * n;
	}

	public int instance(String text) {
		instance++;
		return text.length();
	}

	public static void throwing() {
		throwing++;
		throw new IllegalStateException();
	}

	public static void main(String[] args) throws Throwable {
		Method twiceMethod = Reflection.class.getMethod("twice", int.class);
		Method instanceMethod = Reflection.class.getMethod("instance", String.class);
		Method throwingMethod = Reflection.class.getMethod("throwing");
		Constructor<Reflection> constructor = Reflection.class.getConstructor(int.class);
		MethodHandle handle = MethodHandles.lookup().findStatic(Reflection.class, "twice",
				MethodType.methodType(int.class, int.class));
		MethodHandle virtual = MethodHandles.lookup().findVirtual(Reflection.class,
				"instance", MethodType.methodType(int.class, String.class));
		int thrown = 0;
		for (int i = 0; i < 60; i++) {
			twiceMethod.invoke(null, i);
			Reflection object = constructor.newInstance(i);
			instanceMethod.invoke(object, "four");
			int unused = (int) handle.invokeExact(i) + (int) virtual.invokeExact(object, "");
			try {
				throwingMethod.invoke(null);
			} catch (InvocationTargetException e) {
				thrown++;
			}
			try {
				constructor.newInstance(-1);
			} catch (InvocationTargetException e) {
				thrown++;
			}
		}
		Truth.expect(thrown == 120, "thrown " + thrown);
		Truth.calls(Reflection.class, "twice(I)I", twice);
		Truth.calls(Reflection.class, "instance(Ljava/lang/String;)I", instance);
		Truth.calls(Reflection.class, "throwing()V", throwing);
		Truth.calls(Reflection.class, "<init>(I)V", made);
		/* Whatever lies between in the JDK is no node. */
		Truth.at("main", 2, 0, Reflection.class, "twice(I)I", twice);
		Truth.at("main", 2, 0, Reflection.class, "throwing()V", throwing);
		Truth.save(Reflection.class);
	}
}
