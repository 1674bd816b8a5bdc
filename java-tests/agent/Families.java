/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Makes so many classes, each by a loader of its own, that differ in their names alone, and calls
 * each of them twice. They are unloaded when the garbage collector comes.
 */
public class Families {
	public static class Made00000 implements Runnable {
		static long calls;

		@Override
		public void run() {
			count();
		}

		private static void count() {
			calls++;
		}
	}

	static class Loader extends ClassLoader {
		Class<?> define(byte[] bytes) {
			return defineClass(null, bytes, 0, bytes.length);
		}
	}

	/* The name has five digits, wherever it stands in the class. */
	static byte[] named(byte[] template, int number) {
		byte[] bytes = template.clone();
		byte[] name = "Made00000".getBytes(StandardCharsets.US_ASCII);
		byte[] digits = String.format("%05d", number).getBytes(StandardCharsets.US_ASCII);

		for (int i = 0; i + name.length <= bytes.length; i++) {
			int k = 0;
			while (k < name.length && bytes[i + k] == name[k])
				k++;
			if (k == name.length)
				System.arraycopy(digits, 0, bytes, i + 4, 5);
		}
		return bytes;
	}

	public static void main(String[] arguments) throws Exception {
		int count = Integer.parseInt(arguments[0]);
		byte[] template;

		try (InputStream in = Families.class.getResourceAsStream("Families$Made00000.class")) {
			template = in.readAllBytes();
		}
		for (int i = 1; i <= count; i++) {
			Class<?> made = new Loader().define(named(template, i));
			Runnable object = (Runnable)made.getConstructor().newInstance();

			object.run();
			object.run();
			if (i % 1000 == 0)
				System.gc();
		}
		System.out.println("made " + count);
	}
}
