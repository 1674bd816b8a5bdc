// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain -Xmx64m
// run: serial -Xmx64m -XX:+UseSerialGC
package cases;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;

/** One class in 300 loaders, most of them unloaded again: one name, all calls. */
final class Loaders extends ClassLoader {
	static final int LOADERS = 300;

	/** Loaded again by every loader. */
	public static final class Loaded implements Runnable {
		@Override
		public void run() {
			for (int i = 0; i < 5; i++)
				inner();
		}

		private void inner() {
		}
	}

	static byte[] bytes;
	static long loads;

	Loaders() {
		super(Loaders.class.getClassLoader());
	}

	@Override
	protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
		loads++;
		if (!name.equals("cases.Loaders$Loaded"))
			return super.loadClass(name, resolve);
		Class<?> found = findLoadedClass(name);
		return found != null ? found : defineClass(name, bytes, 0, bytes.length);
	}

	static void use() throws ReflectiveOperationException {
		Class<?> type = new Loaders().loadClass("cases.Loaders$Loaded");
		((Runnable) type.getConstructor().newInstance()).run();
	}

	public static void main(String[] args) throws Exception {
		try (InputStream in = Loaders.class.getResourceAsStream("Loaders$Loaded.class")) {
			bytes = in.readAllBytes();
		}
		WeakReference<Class<?>> first = new WeakReference<>(
				new Loaders().loadClass("cases.Loaders$Loaded"));
		for (int i = 0; i < LOADERS; i++) {
			use();
			if (i % 50 == 49)
				System.gc();
		}
		for (int i = 0; i < 20 && first.get() != null; i++) {
			System.gc();
			Thread.sleep(20);
		}
		Truth.expect(first.get() == null, "no class was unloaded");
		String loaded = "cases.Loaders$Loaded";
		Truth.calls(loaded, "<init>()V", LOADERS);
		Truth.calls(loaded, "run()V", LOADERS);
		Truth.calls(loaded, "inner()V", 5L * LOADERS);
		Truth.calls(Loaders.class, "<init>()V", LOADERS + 1);
		Truth.calls(Loaders.class, "use()V", LOADERS);
		/* For the class itself, and for those that it names. */
		Truth.calls(Loaders.class, "loadClass(Ljava/lang/String;Z)Ljava/lang/Class;",
				loads);
		Truth.save(Loaders.class);
	}
}
