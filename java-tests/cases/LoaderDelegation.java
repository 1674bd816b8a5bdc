// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain -Dmodules=@BUILD@/modules
package cases;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.Set;

/**
 * Class loaders that ask their parent last, that have none but the JVM's own, and named modules
 * that read java.base alone: all of them reach the probes.
 */
final class LoaderDelegation {
	static final int ROUNDS = 20;
	static long use, modules;

	/** Loaded by every loader; it counts for itself. */
	public static final class Loaded implements Runnable {
		static final class Helper {
			static int help(int n) {
				return n < 2 ? 1 : help(n - 1) + 1;
			}
		}

		@Override
		public void run() {
			if (Helper.help(4) != 4)
				throw new AssertionError();
		}
	}

	/** Defines the classes of Loaded itself; only what it does not know is its parent's. */
	static final class Last extends ClassLoader {
		Last(ClassLoader parent) {
			super(parent);
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve)
				throws ClassNotFoundException {
			Class<?> found = findLoadedClass(name);

			if (found != null)
				return found;
			return name.startsWith(Loaded.class.getName()) ? define(name)
					: super.loadClass(name, resolve);
		}

		private Class<?> define(String name) throws ClassNotFoundException {
			String file = name.substring("cases.".length()) + ".class";

			try (InputStream in = LoaderDelegation.class.getResourceAsStream(file)) {
				byte[] bytes = in.readAllBytes();

				return defineClass(name, bytes, 0, bytes.length);
			} catch (IOException e) {
				throw new ClassNotFoundException(name, e);
			}
		}
	}

	static void use(ClassLoader parent) throws ReflectiveOperationException {
		Class<?> type = new Last(parent).loadClass(Loaded.class.getName());

		use++;
		Truth.expect(type != Loaded.class && type.getClassLoader() != parent, "not its own");
		((Runnable) type.getConstructor().newInstance()).run();
	}

	/** upper calls lower: 1 and 1 added to n in each. */
	static void module(boolean oneLoader) throws ReflectiveOperationException {
		ModuleFinder finder = ModuleFinder.of(Path.of(System.getProperty("modules"), "lower"),
				Path.of(System.getProperty("modules"), "upper"));
		ModuleLayer boot = ModuleLayer.boot();
		Configuration configuration = boot.configuration().resolve(finder, ModuleFinder.of(),
				Set.of("upper"));
		ClassLoader parent = LoaderDelegation.class.getClassLoader();
		ModuleLayer layer = oneLoader ? boot.defineModulesWithOneLoader(configuration, parent)
				: boot.defineModulesWithManyLoaders(configuration, parent);
		Class<?> entry = Class.forName(layer.findModule("upper").orElseThrow(), "upper.Entry");

		modules++;
		Truth.expect(entry.getModule().isNamed(), "not in a named module");
		Truth.expect(entry.getMethod("call", int.class).invoke(null, 5).equals(7), "call");
	}

	public static void main(String[] args) throws ReflectiveOperationException {
		for (int i = 0; i < ROUNDS; i++) {
			use(LoaderDelegation.class.getClassLoader());
			use(ClassLoader.getPlatformClassLoader());
			use(null);
			module(i % 2 == 0);
		}
		Class<?> in = LoaderDelegation.class;
		Truth.calls(in, "use(Ljava/lang/ClassLoader;)V", use);
		Truth.calls(in, "module(Z)V", modules);
		Truth.calls(Last.class, "<init>(Ljava/lang/ClassLoader;)V", use);
		Truth.calls(Last.class, "define(Ljava/lang/String;)Ljava/lang/Class;", 2 * use);
		Truth.least(Last.class, "loadClass(Ljava/lang/String;Z)Ljava/lang/Class;", 2 * use);
		Truth.calls("cases.LoaderDelegation$Loaded", "<init>()V", use);
		Truth.calls("cases.LoaderDelegation$Loaded", "run()V", use);
		Truth.calls("cases.LoaderDelegation$Loaded$Helper", "help(I)I", 4 * use);
		Truth.calls("upper.Entry", "call(I)I", modules);
		Truth.calls("lower.Entry", "call(I)I", modules);
		Truth.save(in);
	}
}
