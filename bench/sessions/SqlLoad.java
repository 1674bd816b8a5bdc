// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A server without end: threads that work on an H2 database in memory, as fast as they can, or
 * with a pause of some milliseconds after each round. Prints nothing; ends, with the status 7,
 * when something comes on its standard input, or its end.
 *
 *   SqlLoad THREADS [PAUSE_MS]
 */
final class SqlLoad {
	private static final int ROWS = 200;

	private static void fill(Connection connection) throws SQLException {
		try (PreparedStatement insert = connection.prepareStatement(
				"INSERT INTO item VALUES (?, ?, ?)")) {
			for (int i = 0; i < ROWS; i++) {
				insert.setInt(1, i);
				insert.setString(2, "item " + i % 37);
				insert.setInt(3, i * 17 % 101);
				insert.executeUpdate();
			}
		}
	}

	private static long round(Connection connection, int seed) throws SQLException {
		long sum = 0;

		try (PreparedStatement update = connection.prepareStatement(
				"UPDATE item SET price = price + 1 WHERE id = ?");
				PreparedStatement select = connection.prepareStatement(
						"SELECT name, sum(price) FROM item WHERE id < ? GROUP BY name ORDER BY 2")) {
			update.setInt(1, seed % ROWS);
			update.executeUpdate();
			select.setInt(1, seed % ROWS);
			try (ResultSet result = select.executeQuery()) {
				while (result.next())
					sum += result.getLong(2) + result.getString(1).length();
			}
		}
		return sum;
	}

	private static void work(int number, long pause) {
		try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:load" + number + ";DB_CLOSE_ON_EXIT=FALSE")) {
			connection.createStatement().execute("CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR, price INT)");
			fill(connection);
			for (int i = 0; ; i++) {
				round(connection, i * 31);
				if (pause > 0)
					Thread.sleep(pause);
			}
		} catch (SQLException | InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	public static void main(String[] args) throws Exception {
		long pause = args.length > 1 ? Long.parseLong(args[1]) : 0;

		for (int i = 0; i < Integer.parseInt(args[0]); i++) {
			int number = i;
			Thread thread = new Thread(() -> work(number, pause), "sql-" + i);
			thread.setDaemon(true);
			thread.start();
		}
		System.in.read();
		Runtime.getRuntime().halt(7);
	}
}
