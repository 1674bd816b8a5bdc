// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.tools.Diagnostic;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Does the same work again and again, WARM rounds first, then in turns with profilers (see Turns):
 * {@code PROFILERS TIMES WARM ROUNDS h2 SCRIPT}, {@code ... h2-crowd THREADS}, {@code ... javac FOLDER LIST}, {@code ... tomcat COMMAND...}
 * (the server's), {@code ... groovy SCRIPT} and {@code ... clojure SCRIPT}, whose values are what a round calls;
 * or {@code deep SECONDS DEPTH}, which prints how often it spun; or without turns, {@code rounds WARM SECONDS}
 * and one of these programs: prints the seconds of the first round, and of one behind WARM seconds, on average.
 */
final class Steady {
	private static final int REQUESTS = 20000;
	private static volatile long sink;
	private static int number;

	private Steady() {
	}

	public static void main(String[] args) throws Exception {
		if (args[0].equals("deep")) {
			System.out.println(deep(Integer.parseInt(args[2]),
					System.nanoTime() + Long.parseLong(args[1]) * 1_000_000_000L));
			return;
		}
		if (args[0].equals("rounds")) {
			rounds(Long.parseLong(args[1]), Long.parseLong(args[2]),
					work(Arrays.copyOfRange(args, 3, args.length)));
			return;
		}
		Turns.Work work = work(Arrays.copyOfRange(args, 4, args.length));

		if (work != null)
			inTurns(args, ProcessHandle.current().pid(), work);
		else
			tomcat(args);
	}

	/** NULL: it is done in another process. */
	private static Turns.Work work(String[] program) throws Exception {
		switch (program[0]) {
		case "h2":
			return h2(program[1]);
		case "h2-crowd":
			return crowd(Integer.parseInt(program[1]));
		case "javac":
			return javac(program[1], program[2]);
		case "groovy":
			return groovy(program[1]);
		case "clojure":
			return clojure(program[1]);
		default:
			return null;
		}
	}

	private static void rounds(long warm, long seconds, Turns.Work work) throws Exception {
		long begin = System.nanoTime(), first, from, now;
		int rounds = 0;

		work.round();
		first = System.nanoTime() - begin;
		while (System.nanoTime() - begin < warm * 1_000_000_000L)
			work.round();
		from = System.nanoTime();
		do {
			work.round();
			rounds++;
			now = System.nanoTime();
		} while (now - from < seconds * 1_000_000_000L);
		System.out.printf("rounds %.4f %.6f%n", first / 1e9, (now - from) / 1e9 / rounds);
	}

	private static void inTurns(String[] args, long pid, Turns.Work work) throws Exception {
		for (int i = 0; i < Integer.parseInt(args[2]); i++)
			work.round();
		new Turns(pid, work, args[3]).take(Path.of(args[0]), Integer.parseInt(args[1]));
	}

	private static Turns.Work h2(String script) throws Exception {
		String text = Files.readString(Path.of(script));

		return () -> {
			try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:db" + number++);
					Statement statement = connection.createStatement()) {
				statement.execute(text);
			}
		};
	}

	/** A shop whose threads change and ask one table of one database, each its own rows. */
	private static Turns.Work crowd(int threads) throws Exception {
		int rows = 200;
		List<Connection> connections = new ArrayList<>();

		for (int i = 0; i < threads; i++)
			connections.add(DriverManager.getConnection("jdbc:h2:mem:crowd;LOCK_TIMEOUT=60000"));
		try (Statement statement = connections.get(0).createStatement()) {
			statement.execute("CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR, price INT)");
			for (int i = 0; i < threads * rows; i++)
				statement.execute("INSERT INTO item VALUES (" + i + ", 'item " + i % 37 + "', " + i % 101 + ")");
		}
		ExecutorService pool = Executors.newFixedThreadPool(threads, work -> {
			Thread thread = new Thread(work);
			thread.setDaemon(true);
			return thread;
		});
		return () -> {
			List<Callable<Object>> all = new ArrayList<>();

			for (int i = 0; i < threads; i++) {
				Connection connection = connections.get(i);
				int first = i * rows;
				all.add(Executors.callable(() -> change(connection, first, rows)));
			}
			for (Future<Object> each : pool.invokeAll(all))
				each.get();
		};
	}

	private static void change(Connection connection, int first, int rows) {
		try (PreparedStatement update = connection.prepareStatement("UPDATE item SET price = price + 1 WHERE id = ?");
				PreparedStatement select = connection.prepareStatement(
						"SELECT name, sum(price) FROM item WHERE id >= ? AND id < ? GROUP BY name ORDER BY 2")) {
			for (int i = 0; i < rows; i++) {
				update.setInt(1, first + i);
				update.executeUpdate();
				select.setInt(1, first);
				select.setInt(2, first + rows);
				try (ResultSet result = select.executeQuery()) {
					while (result.next())
						sink += result.getLong(2);
				}
			}
		} catch (SQLException e) {
			throw new IllegalStateException(e);
		}
	}

	/** Compiles the files of the list into FOLDER-classes. */
	static Turns.Work javac(String folder, String list) throws Exception {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		List<File> files = new ArrayList<>();

		for (String line : Files.readAllLines(Path.of(list)))
			files.add(new File(line));
		return () -> {
			try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
				List<String> options = List.of("-nowarn", "-proc:none", "-XDignore.symbol.file",
						"--patch-module", "jdk.hotspot.agent=" + folder, "-d", folder + "-classes");

				List<String> errors = new ArrayList<>();

				if (!compiler.getTask(null, manager, diagnostic -> {
					if (diagnostic.getKind() == Diagnostic.Kind.ERROR)
						errors.add(diagnostic.toString());
				}, options, null, manager.getJavaFileObjectsFromFiles(files)).call())
					throw new IllegalStateException("javac failed: " + errors);
			}
		};
	}

	/** By reflection, as it may not be there. */
	private static Turns.Work groovy(String script) throws Exception {
		Class<?> shell = Class.forName("groovy.lang.GroovyShell");
		Method evaluate = shell.getMethod("evaluate", File.class);

		return ((Runnable) evaluate.invoke(shell.getDeclaredConstructor().newInstance(),
				new File(script)))::run;
	}

	private static Turns.Work clojure(String script) throws Exception {
		Class.forName("clojure.lang.RT");
		Method load = Class.forName("clojure.lang.Compiler").getMethod("loadFile", String.class);

		return ((Runnable) load.invoke(null, script))::run;
	}

	private static void tomcat(String[] args) throws Exception {
		Process server = new ProcessBuilder(Arrays.asList(args).subList(5, args.length))
				.redirectError(ProcessBuilder.Redirect.DISCARD).start();

		try (BufferedReader says = new BufferedReader(new InputStreamReader(server.getInputStream()))) {
			String address = "http://127.0.0.1:" + Requests.portAndTime(says)[0] + "/?seed=";

			inTurns(args, server.pid(), () -> Requests.askAll(address, REQUESTS));
		} finally {
			server.getOutputStream().close();
			server.waitFor();
		}
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
