// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.catalina.startup.Tomcat;

/**
 * Work whose results are known: {@code EXPECTED h2 SCRIPT}, {@code EXPECTED javac FOLDER LIST},
 * {@code EXPECTED tomcat FOLDER}. Where EXPECTED is "-" it is done once, and a digest of the results is printed;
 * else it is done until the standard input ends, each round is to have that digest, and "round N" is a line each.
 * Status 3: a result was another.
 */
final class SampleLoad {
	private static final int THREADS = 3; /* of H2 and of Tomcat's client */
	private static final int PAGES = 900; /* of a round, all threads together */

	/** A part of the work. */
	private interface Part {
		/** What came of it. */
		String round() throws Exception;
	}

	private static final AtomicInteger rounds = new AtomicInteger();
	private static final AtomicInteger databases = new AtomicInteger();
	private static volatile boolean ended;

	private SampleLoad() {
	}

	public static void main(String[] args) throws Exception {
		String expected = args[0];

		switch (args[1]) {
		case "h2":
			String script = Files.readString(Path.of(args[2]));
			inThreads(expected, THREADS, () -> h2(script));
			break;
		case "javac":
			Turns.Work javac = Steady.javac(args[2], args[3]);
			inThreads(expected, 1, () -> {
				javac.round();
				return classes(Path.of(args[2] + "-classes"));
			});
			break;
		default:
			tomcat(expected, new File(args[2]));
		}
	}

	private static void inThreads(String expected, int count, Part part) throws Exception {
		Thread[] threads = new Thread[count];

		if (expected.equals("-")) {
			System.out.println(part.round());
			return;
		}
		for (int i = 0; i < count; i++) {
			threads[i] = new Thread(() -> always(expected, part), "load-" + i);
			threads[i].start();
		}
		while (System.in.read() >= 0)
			continue;
		ended = true;
		for (Thread thread : threads)
			thread.join();
	}

	private static void always(String expected, Part part) {
		try {
			while (!ended) {
				String found = part.round();

				if (!found.equals(expected))
					throw new IllegalStateException("the result is " + found);
				System.out.println("round " + rounds.incrementAndGet());
			}
		} catch (Throwable e) {
			e.printStackTrace();
			Runtime.getRuntime().halt(3);
		}
	}

	/** Every row of every query of the script. */
	private static String h2(String script) throws Exception {
		MessageDigest digest = digest();

		try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:db" + databases.getAndIncrement());
				Statement statement = connection.createStatement()) {
			for (String one : script.split(";\n"))
				if (statement.execute(one))
					addRows(digest, statement.getResultSet());
		}
		return text(digest);
	}

	/** Sorted: H2 has no order among rows that are equal in what they are ordered by. */
	private static void addRows(MessageDigest digest, ResultSet rows) throws Exception {
		List<String> lines = new ArrayList<>();

		while (rows.next()) {
			StringBuilder line = new StringBuilder();

			for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++)
				line.append(rows.getString(i)).append('|');
			lines.add(line.toString());
		}
		Collections.sort(lines);
		for (String line : lines)
			add(digest, line + "\n");
	}

	/** Names and bytes of the files. They are deleted, so that the next round makes them anew. */
	private static String classes(Path folder) throws Exception {
		MessageDigest digest = digest();
		List<Path> files;

		try (Stream<Path> all = Files.walk(folder)) {
			files = all.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
		}
		for (Path file : files) {
			add(digest, folder.relativize(file).toString());
			digest.update(Files.readAllBytes(file));
			Files.delete(file);
		}
		return files.size() + "-" + text(digest);
	}

	private static void tomcat(String expected, File folder) throws Exception {
		Tomcat tomcat = Server.start(folder);
		String address = "http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/?seed=";

		inThreads(expected, THREADS, () -> pages(address));
		tomcat.stop();
		tomcat.destroy();
	}

	private static String pages(String address) throws IOException, NoSuchAlgorithmException {
		MessageDigest digest = digest();

		for (int seed = 0; seed < PAGES / THREADS; seed++)
			add(digest, Requests.page(address + seed));
		return text(digest);
	}

	private static MessageDigest digest() throws NoSuchAlgorithmException {
		return MessageDigest.getInstance("SHA-256");
	}

	private static void add(MessageDigest digest, String text) {
		digest.update(text.getBytes(StandardCharsets.UTF_8));
	}

	private static String text(MessageDigest digest) {
		StringBuilder text = new StringBuilder();

		for (byte one : digest.digest())
			text.append(String.format("%02x", one));
		return text.toString();
	}
}
