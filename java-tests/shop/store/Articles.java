// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.store;

import com.acme.shop.Visit;
import com.acme.shop.truth.Counts;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** What the shop sells. */
public final class Articles {
	private final DataSource source;
	private final Counts counts;

	public Articles(DataSource source, Counts counts) {
		this.source = source;
		this.counts = counts;
	}

	/** A line for each article with the word in its name. */
	public String list(Visit visit, String word) throws SQLException {
		StringBuilder lines = new StringBuilder();

		try (Db db = new Db(source, visit, counts)) {
			db.query(Shape.LIST, row -> lines.append(row.getInt(1)).append(' ').append(row.getString(2)).append('\n'),
					"%" + word + "%", "O'" + Secrets.text());
		}
		return lines.toString();
	}

	/** The article's line. */
	public String detail(Visit visit) throws SQLException {
		try (Db db = new Db(source, visit, counts)) {
			return detail(db, visit.number % Schema.ARTICLES + 1);
		}
	}

	static String detail(Db db, int id) throws SQLException {
		StringBuilder line = new StringBuilder();

		try (PreparedStatement statement = db.prepare(Shape.DETAIL)) {
			db.query(Shape.DETAIL, statement, row -> line.append(row.getString(2)).append(' ').append(row.getInt(3)),
					id);
		}
		return line.toString();
	}
}
