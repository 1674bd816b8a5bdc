// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Loads and links (with -Xverify:all: verifies) every class of a source, under the agent or
 * without it, and writes down what fails: one line a class, its name and the error.
 *
 * <pre>
 *   VerifyClasses FAILURES jdk              the modules of this JVM
 *   VerifyClasses FAILURES VERSION JAR...   jars; VERSION 0: as they are, else as class files of
 *                                           at most this version (before 50: the verifier that
 *                                           infers types checks them, without stack maps)
 * </pre>
 *
 * Prints how many classes, and their lowest and highest version.
 */
final class VerifyClasses {
	private static final int VERSION_AT = 6;
	private static final List<String> failures = new ArrayList<>();
	private static int classes, lowest = Integer.MAX_VALUE, highest;

	private VerifyClasses() {
	}

	/** A jar's classes first, those of all the others behind them. */
	private static final class Loader extends ClassLoader {
		private final ZipFile own;
		private final Map<String, ZipFile> others;
		private final int version;

		Loader(ZipFile own, Map<String, ZipFile> others, int version) {
			super(ClassLoader.getPlatformClassLoader());
			this.own = own;
			this.others = others;
			this.version = version;
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			String entry = name.replace('.', '/') + ".class";
			ZipFile jar = own.getEntry(entry) != null ? own : others.get(entry);

			if (jar == null)
				throw new ClassNotFoundException(name);
			try (InputStream in = jar.getInputStream(jar.getEntry(entry))) {
				byte[] bytes = in.readAllBytes();
				if (version != 0 && version(bytes) > version) {
					bytes[VERSION_AT - 2] = 0;
					bytes[VERSION_AT - 1] = (byte) (version == 45 ? 3 : 0);
					bytes[VERSION_AT] = 0;
					bytes[VERSION_AT + 1] = (byte) version;
				}
				return defineClass(name, bytes, 0, bytes.length);
			} catch (IOException e) {
				throw new ClassNotFoundException(name, e);
			}
		}
	}

	private static int version(byte[] bytes) {
		return bytes.length < 8 ? 0
				: (bytes[VERSION_AT] & 255) << 8 | bytes[VERSION_AT + 1] & 255;
	}

	private static void count(int version) {
		classes++;
		lowest = Math.min(lowest, version);
		highest = Math.max(highest, version);
	}

	private static void link(String name, ClassLoader loader) {
		try {
			Class<?> loaded = Class.forName(name, false, loader);
			/* HotSpot links a class before it tells its methods (jvm.cpp). */
			loaded.getDeclaredMethods();
		} catch (Throwable e) {
			failures.add(name + " " + e.getClass().getName());
		}
	}

	private static boolean isClass(String name) {
		return name.endsWith(".class") && !name.endsWith("-info.class")
				&& !name.startsWith("META-INF/");
	}

	private static String className(String path) {
		return path.substring(0, path.length() - ".class".length()).replace('/', '.');
	}

	private static void linkModules() throws IOException {
		Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
		List<Path> files;

		try (Stream<Path> all = Files.walk(modules)) {
			files = all.filter(file -> isClass(file.toString())).sorted().toList();
		}
		for (Path file : files) {
			count(version(Files.readAllBytes(file)));
			link(className(file.subpath(2, file.getNameCount()).toString()),
					ClassLoader.getSystemClassLoader());
		}
	}

	private static void linkJar(ZipFile jar, ClassLoader loader, int version)
			throws IOException {
		for (ZipEntry entry : Collections.list(jar.entries())) {
			if (!isClass(entry.getName()))
				continue;
			try (InputStream in = jar.getInputStream(entry)) {
				int found = version(in.readNBytes(8));
				count(version != 0 ? Math.min(found, version) : found);
			}
			link(className(entry.getName()), loader);
		}
	}

	private static void linkJars(int version, List<Path> paths) throws IOException {
		List<ZipFile> jars = new ArrayList<>();
		Map<String, ZipFile> all = new HashMap<>();

		for (Path path : paths) {
			ZipFile jar = new ZipFile(path.toFile());
			jars.add(jar);
			jar.stream().forEach(entry -> all.putIfAbsent(entry.getName(), jar));
		}
		for (ZipFile jar : jars)
			linkJar(jar, new Loader(jar, all, version), version);
	}

	public static void main(String[] args) throws IOException {
		if (args[1].equals("jdk"))
			linkModules();
		else
			linkJars(Integer.parseInt(args[1]), Stream.of(args).skip(2).map(Path::of).toList());
		failures.sort(null);
		try (BufferedWriter out = Files.newBufferedWriter(Path.of(args[0]))) {
			for (String failure : failures) {
				out.write(failure);
				out.newLine();
			}
		}
		System.out.println(classes + " " + lowest + " " + highest);
	}
}
