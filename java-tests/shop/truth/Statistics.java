// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.truth;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** H2's own statistics of what it has executed. */
public final class Statistics {
	/** More texts than the shop ever has: H2 forgets some when there are more. */
	private static final int TEXTS = 1_000_000;

	/** What H2 has of a text. */
	record Row(long executions, long rows, long nanoseconds) {
	}

	private Statistics() {
	}

	/** Begins anew. */
	public static void forget(DataSource admin) throws SQLException {
		try (Connection connection = admin.getConnection(); Statement statement = connection.createStatement()) {
			statement.execute("SET QUERY_STATISTICS FALSE");
			statement.execute("SET QUERY_STATISTICS_MAX_ENTRIES " + TEXTS);
			statement.execute("SET QUERY_STATISTICS TRUE");
		}
	}

	/** By text. */
	static Map<String, Row> read(DataSource admin) throws SQLException {
		Map<String, Row> rows = new TreeMap<>();

		try (Connection connection = admin.getConnection();
				Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery("SELECT SQL_STATEMENT, EXECUTION_COUNT, CUMULATIVE_ROW_COUNT, "
						+ "CUMULATIVE_EXECUTION_TIME FROM INFORMATION_SCHEMA.QUERY_STATISTICS")) {
			while (row.next())
				rows.put(row.getString(1),
						new Row(row.getLong(2), row.getLong(3), (long) (row.getDouble(4) * 1e6)));
		}
		return rows;
	}
}
