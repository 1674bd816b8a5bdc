// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.store;

import com.acme.shop.Visit;
import com.acme.shop.truth.Counts;
import com.acme.shop.truth.Counts.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A connection for the time of one visit. All of the shop's calls of JDBC are here, each with a clock around it. */
final class Db implements AutoCloseable {
	/** Reads the columns of the row. */
	interface Reader {
		void read(ResultSet row) throws SQLException;
	}

	private final Connection connection;
	private final Visit visit;
	private final Counts counts;

	Db(DataSource source, Visit visit, Counts counts) throws SQLException {
		connection = source.getConnection();
		this.visit = visit;
		this.counts = counts;
	}

	// --- statements whose text has literals ---

	long query(Shape shape, Reader reader, Object... literals) throws SQLException {
		String text = shape.with(literals);

		try (Statement statement = create(shape)) {
			return fetch(shape, text, reader, () -> statement.executeQuery(text));
		}
	}

	long update(Shape shape, Object... literals) throws SQLException {
		String text = shape.with(literals);

		try (Statement statement = create(shape)) {
			return change(shape, text, () -> statement.executeUpdate(text));
		}
	}

	private Statement create(Shape shape) throws SQLException {
		long begin = System.nanoTime();
		Statement statement = connection.createStatement();

		add(shape, Sql.STATEMENTS, 1, begin);
		return statement;
	}

	// --- prepared statements ---

	PreparedStatement prepare(Shape shape) throws SQLException {
		long begin = System.nanoTime();
		PreparedStatement statement = connection.prepareStatement(shape.shape);

		add(shape, Sql.STATEMENTS, 1, begin);
		return statement;
	}

	long query(Shape shape, PreparedStatement statement, Reader reader, Object... values) throws SQLException {
		set(statement, values);
		return fetch(shape, shape.shape, reader, statement::executeQuery);
	}

	long update(Shape shape, PreparedStatement statement, Object... values) throws SQLException {
		set(statement, values);
		return change(shape, shape.shape, statement::executeUpdate);
	}

	void addBatch(Shape shape, PreparedStatement statement, Object... values) throws SQLException {
		set(statement, values);
		long begin = System.nanoTime();
		statement.addBatch();
		add(shape, Sql.BATCH_ENTRIES, 1, begin);
	}

	void executeBatch(Shape shape, PreparedStatement statement) throws SQLException {
		long begin = System.nanoTime();
		int[] changed = statement.executeBatch();
		int sum = 0;

		add(shape, Sql.BATCHES, 1, begin);
		for (int each : changed)
			sum += each;
		add(shape, Sql.UPDATED, sum);
		counts.executed(shape, shape.shape, changed.length, sum);
	}

	private static void set(PreparedStatement statement, Object... values) throws SQLException {
		for (int i = 0; i < values.length; i++)
			statement.setObject(i + 1, values[i]);
	}

	// --- transactions ---

	void begin() throws SQLException {
		connection.setAutoCommit(false);
	}

	void commit() throws SQLException {
		long begin = System.nanoTime();

		connection.commit();
		work().add(Counts.Work.COMMITS, 1, System.nanoTime() - begin);
		connection.setAutoCommit(true);
	}

	void rollback() throws SQLException {
		long begin = System.nanoTime();

		connection.rollback();
		work().add(Counts.Work.ROLLBACKS, 1, System.nanoTime() - begin);
		connection.setAutoCommit(true);
	}

	@Override
	public void close() throws SQLException {
		connection.close();
	}

	// --- what they have in common ---

	/** A call of JDBC. */
	private interface Call<T> {
		T call() throws SQLException;
	}

	private long fetch(Shape shape, String text, Reader reader, Call<ResultSet> call) throws SQLException {
		long rows = 0;

		try (ResultSet result = execute(shape, call)) {
			long begin = System.nanoTime();

			while (result.next()) {
				reader.read(result);
				rows++;
			}
			add(shape, Sql.ROWS, rows, begin);
		}
		counts.executed(shape, text, 1, rows);
		return rows;
	}

	private long change(Shape shape, String text, Call<Integer> call) throws SQLException {
		int changed = execute(shape, call);

		add(shape, Sql.UPDATED, changed);
		counts.executed(shape, text, 1, changed);
		return changed;
	}

	private <T> T execute(Shape shape, Call<T> call) throws SQLException {
		long begin = System.nanoTime();

		try {
			T result = call.call();

			add(shape, Sql.EXECUTIONS, 1, begin);
			return result;
		} catch (SQLException e) {
			add(shape, Sql.FAILED, 1, begin);
			throw e;
		}
	}

	private void add(Shape shape, Sql field, long number, long begin) {
		counts.sql(visit, shape).add(field, number, System.nanoTime() - begin);
	}

	private void add(Shape shape, Sql field, long number) {
		counts.sql(visit, shape).add(field, number, 0);
	}

	private Counts.Cell<Counts.Work> work() {
		return counts.work(visit.user.getName(), visit.kind);
	}
}
