// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Does the same work again and again in one JVM, and prints the seconds that the rounds behind the first ones
 * took together: {@code h2 WARM ROUNDS SCRIPT}, {@code javac WARM ROUNDS FOLDER LIST} or
 * {@code deep SECONDS DEPTH}, which prints how often it spun.
 */
final class Steady {
	private interface Work {
		void round(int number) throws Exception;
	}

	private static volatile long sink;

	private Steady() {
	}

	public static void main(String[] args) throws Exception {
		if (args[0].equals("deep")) {
			System.out.println(deep(Integer.parseInt(args[2]),
					System.nanoTime() + Long.parseLong(args[1]) * 1_000_000_000L));
			return;
		}
		int warm = Integer.parseInt(args[1]);
		int rounds = Integer.parseInt(args[2]);
		Work work = args[0].equals("h2") ? h2(args[3]) : javac(args[3], args[4]);
		long begin = 0;

		for (int i = 0; i < warm + rounds; i++) {
			if (i == warm)
				begin = System.nanoTime();
			work.round(i);
		}
		System.out.printf("%.4f%n", (System.nanoTime() - begin) / 1e9);
	}

	private static Work h2(String script) throws Exception {
		String text = Files.readString(Path.of(script));

		return number -> {
			try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:db" + number);
					Statement statement = connection.createStatement()) {
				statement.execute(text);
			}
		};
	}

	private static Work javac(String folder, String list) throws Exception {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		List<File> files = new ArrayList<>();

		for (String line : Files.readAllLines(Path.of(list)))
			files.add(new File(line));
		return number -> {
			try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
				List<String> options = List.of("-nowarn", "-proc:none", "-XDignore.symbol.file",
						"--patch-module", "jdk.hotspot.agent=" + folder, "-d", folder + "-classes");

				if (!compiler.getTask(null, manager, diagnostic -> {
				}, options, null, manager.getJavaFileObjectsFromFiles(files)).call())
					throw new IllegalStateException("javac failed");
			}
		};
	}

	private static long deep(int depth, long end) {
		if (depth > 0)
			return deep(depth - 1, end) + (sink & 1);
		long spins = 0;

		for (; System.nanoTime() < end; spins++)
			for (int i = 0; i < 10_000; i++)
				sink += i;
		return spins;
	}
}
