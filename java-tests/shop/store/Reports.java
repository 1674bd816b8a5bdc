// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.store;

import com.acme.shop.Visit;
import com.acme.shop.truth.Counts;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Sums over all articles. */
public final class Reports {
	private final DataSource source;
	private final Counts counts;

	public Reports(DataSource source, Counts counts) {
		this.source = source;
		this.counts = counts;
	}

	/** What all articles together cost, and the dearer half: one statement, prepared once, executed twice. */
	public String report(Visit visit) throws SQLException {
		long[] sums = new long[3];

		try (Db db = new Db(source, visit, counts)) {
			db.query(Shape.TOTALS, row -> sums[0] += row.getLong(3));
			try (PreparedStatement statement = db.prepare(Shape.PRICES)) {
				db.query(Shape.PRICES, statement, row -> sums[1] += row.getInt(3), 1);
				db.query(Shape.PRICES, statement, row -> sums[2] += row.getInt(3), Schema.ARTICLES / 2 + 1);
			}
		}
		return sums[0] + " " + sums[1] + " " + sums[2] + "\n";
	}
}
