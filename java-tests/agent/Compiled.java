// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package agent;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.function.IntUnaryOperator;

/** Methods that are compiled, inlined into each other, deoptimised and compiled again, unloaded: as it is told. */
public class Compiled {
	static volatile int sink;

	interface Shape {
		int area(int side);
	}

	static final class Square implements Shape {
		@Override
		public int area(int side) {
			return side * side;
		}
	}

	static final class Triangle implements Shape {
		@Override
		public int area(int side) {
			return side * side / 2;
		}
	}

	/** Of a class loader of its own. */
	public static final class Plugin implements IntUnaryOperator {
		@Override
		public int applyAsInt(int value) {
			int sum = value;
			for (int i = 0; i < 100; i++)
				sum += twist(i);
			return sum;
		}

		private static int twist(int value) {
			return value * 31 ^ value >> 3;
		}
	}

	private static int inner(int value) {
		int mixed = value * 17;
		mixed ^= mixed >>> 5;
		return mixed;
	}

	private static int middle(int value) {
		return inner(value)
			+ inner(value + 1);
	}

	static int outer(int rounds) {
		int sum = 0;
		for (int i = 0; i < rounds; i++)
			sum += middle(i);
		return sum;
	}

	static int areas(Shape shape, int rounds) {
		int sum = 0;
		for (int i = 0; i < rounds; i++)
			sum += shape.area(i);
		return sum;
	}

	private static void warm(int rounds) {
		for (int i = 0; i < rounds; i++)
			sink += outer(1000) + areas(new Square(), 1000);
	}

	/** What was compiled for squares alone is no longer right. */
	private static void deoptimise(int rounds) {
		for (int i = 0; i < rounds; i++)
			sink += areas(i % 2 == 0 ? new Triangle() : new Square(), 1000);
	}

	private static WeakReference<ClassLoader> plug(URL classes, int rounds) throws Exception {
		try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, null)) {
			IntUnaryOperator plugin = (IntUnaryOperator) loader.loadClass("agent.Compiled$Plugin")
				.getConstructor().newInstance();
			for (int i = 0; i < rounds; i++)
				sink += plugin.applyAsInt(i);
			return new WeakReference<>(loader);
		}
	}

	private static void unload(URL classes, int rounds) throws Exception {
		WeakReference<ClassLoader> loader = plug(classes, rounds);
		for (int i = 0; i < 100 && loader.get() != null; i++) {
			System.gc();
			Thread.sleep(20);
		}
		System.out.println("unloaded " + (loader.get() == null ? 1 : 0));
	}

	public static void main(String[] arguments) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		URL classes = Path.of(arguments[0]).toUri().toURL();
		for (String line; (line = in.readLine()) != null && !line.equals("quit");) {
			String[] words = line.split(" ");
			int rounds = Integer.parseInt(words[1]);
			switch (words[0]) {
				case "warm" -> warm(rounds);
				case "deoptimise" -> deoptimise(rounds);
				case "unload" -> unload(classes, rounds);
				default -> throw new IllegalArgumentException(line);
			}
			System.out.println("done");
		}
		System.exit(7);
	}
}
