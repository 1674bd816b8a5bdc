// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that does the same work as often as it is asked to, with each line of its standard input, and prints how many
 * nanoseconds of a processor the whole process used meanwhile, compilers, collectors and jprof included.
 *
 * <pre>
 * SharedLoad calls ROUNDS    fib, in two threads
 * SharedLoad sql ROUNDS      an H2 database in memory for each of two threads
 * SharedLoad virtual ROUNDS  virtual threads, 200 at a time, that call fib and wait
 * </pre>
 */
final class SharedLoad {
	private static final int THREADS = 2, FIB = 22, ROWS = 200, VIRTUAL = 200, SMALL = 9;
	private static final OperatingSystemMXBean system =
			(OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

	interface Work {
		void round(int thread, int round) throws Exception;
	}

	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static int other(int n) {
		return n < 2 ? n : other(n - 1) + other(n - 2);
	}

	private static void calls(int thread, int round) {
		fib(FIB);
		other(FIB - 2);
	}

	// --- a database ---

	private static final Connection[] connections = new Connection[THREADS];

	private static Connection open(int thread) throws SQLException {
		Connection connection = DriverManager.getConnection("jdbc:h2:mem:load" + thread);

		connection.createStatement().execute("CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR, price INT)");
		try (PreparedStatement insert = connection.prepareStatement("INSERT INTO item VALUES (?, ?, ?)")) {
			for (int i = 0; i < ROWS; i++) {
				insert.setInt(1, i);
				insert.setString(2, "item " + i % 37);
				insert.setInt(3, i * 17 % 101);
				insert.executeUpdate();
			}
		}
		return connection;
	}

	private static void sql(int thread, int round) throws SQLException {
		if (connections[thread] == null)
			connections[thread] = open(thread);
		try (PreparedStatement update = connections[thread].prepareStatement(
				"UPDATE item SET price = price + 1 WHERE id = ?");
				PreparedStatement select = connections[thread].prepareStatement(
						"SELECT name, sum(price) FROM item WHERE id < ? GROUP BY name ORDER BY 2")) {
			update.setInt(1, round * 31 % ROWS);
			update.executeUpdate();
			select.setInt(1, round * 31 % ROWS);
			try (ResultSet result = select.executeQuery()) {
				while (result.next())
					result.getLong(2);
			}
		}
	}

	// --- virtual threads ---

	/** Thread.ofVirtual is not there in all releases that this is compiled for. */
	private static Thread startVirtual(Runnable run) throws ReflectiveOperationException {
		return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, run);
	}

	private static void virtual(int thread, int round) throws Exception {
		List<Thread> all = new ArrayList<>();

		for (int i = 0; i < VIRTUAL; i++)
			all.add(startVirtual(() -> {
				for (int k = 0; k < 4; k++) {
					fib(SMALL);
					other(SMALL);
					Thread.yield();
				}
			}));
		for (Thread one : all)
			one.join();
	}

	// --- ---

	private static void run(Work work, int thread, int rounds) {
		try {
			for (int i = 0; i < rounds; i++)
				work.round(thread, i);
		} catch (Exception e) {
			throw new IllegalStateException(e);
		}
	}

	/** Nanoseconds of a processor. */
	private static long measure(Work work, int rounds) throws InterruptedException {
		Thread[] threads = new Thread[THREADS];
		long begin = system.getProcessCpuTime();

		for (int i = 0; i < THREADS; i++) {
			int number = i;
			threads[i] = new Thread(() -> run(work, number, rounds), "work-" + i);
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
		return system.getProcessCpuTime() - begin;
	}

	public static void main(String[] args) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		int rounds = Integer.parseInt(args[1]);
		Work work = switch (args[0]) {
			case "calls" -> SharedLoad::calls;
			case "sql" -> SharedLoad::sql;
			default -> SharedLoad::virtual;
		};

		while (in.readLine() != null)
			System.out.println(measure(work, rounds));
	}
}
