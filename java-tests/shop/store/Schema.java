// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Tables, and a thousand articles. What is in them determines how many rows each request fetches. */
public final class Schema {
	/** Articles are numbered from 1 on, and as dear. */
	static final int ARTICLES = 1000;
	/** There is none of it: it cannot be ordered. */
	static final int SOLD_OUT = ARTICLES;
	private static final int CATEGORIES = 10;
	/** The article's name by its number's last digit: 400 lamps, 300 chairs, 200 tables, 100 beds. */
	private static final String[] NAMES = {
			"lamp", "lamp", "lamp", "lamp", "chair", "chair", "chair", "table", "table", "bed"};

	private Schema() {
	}

	public static void create(DataSource admin) throws SQLException {
		try (Connection connection = admin.getConnection()) {
			try (Statement statement = connection.createStatement()) {
				statement.execute("CREATE TABLE article (id INT PRIMARY KEY, name VARCHAR(100), category INT, "
						+ "price INT, stock INT CHECK (stock >= 0), card BIGINT, note VARCHAR(100))");
				statement.execute("CREATE TABLE purchase (id BIGINT PRIMARY KEY, customer VARCHAR(20), "
						+ "secret VARCHAR(100))");
				statement.execute("CREATE TABLE purchase_line (purchase BIGINT, line INT, article INT, amount INT, "
						+ "PRIMARY KEY (purchase, line))");
			}
			try (PreparedStatement insert = connection
					.prepareStatement("INSERT INTO article VALUES (?, ?, ?, ?, ?, 0, '')")) {
				for (int id = 1; id <= ARTICLES; id++) {
					insert.setInt(1, id);
					insert.setString(2, "a " + NAMES[id % NAMES.length] + " " + id);
					insert.setInt(3, id % CATEGORIES);
					insert.setInt(4, id);
					insert.setInt(5, id == SOLD_OUT ? 0 : 1_000_000);
					insert.addBatch();
				}
				insert.executeBatch();
			}
		}
	}
}
