// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.store;

import com.acme.shop.Visit;
import com.acme.shop.truth.Counts;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Who has bought what. */
public final class Orders {
	/** An order has at least so many lines, and up to so many more. */
	private static final int LINES = 3;
	/**
	 * Of so many blocks of 30 requests the orders in the first one are for what is sold out. So the first exceptions come before anything
	 * is compiled: on virtual threads of JDK 25 some of the first ones pass the handler in the proxies of Tomcat's pool when C1 has
	 * compiled it (-Xint and platform threads have all of them caught).
	 */
	private static final int BLOCKS = 5;

	private final DataSource source;
	private final Counts counts;
	private final AtomicLong last = new AtomicLong();

	public Orders(DataSource source, Counts counts) {
		this.source = source;
		this.counts = counts;
	}

	/** Whether it could be done; if not, nothing was. */
	public boolean order(Visit visit) throws SQLException {
		long purchase = last.incrementAndGet();
		boolean soldOut = visit.number / 30 % BLOCKS == 0;
		int article = soldOut ? Schema.SOLD_OUT : visit.number % (Schema.ARTICLES - 1) + 1;

		try (Db db = new Db(source, visit, counts)) {
			Articles.detail(db, article);
			db.begin();
			try {
				insert(db, visit, purchase);
				take(db, article);
				insertLines(db, visit, purchase, article);
			} catch (SQLException e) {
				db.rollback();
				if (!soldOut)
					throw e;
				return false;
			}
			db.commit();
		}
		return true;
	}

	private static void insert(Db db, Visit visit, long purchase) throws SQLException {
		try (PreparedStatement statement = db.prepare(Shape.PURCHASE)) {
			db.update(Shape.PURCHASE, statement, purchase, visit.user.getName(), Secrets.text());
		}
	}

	/** Fails when there is none left. */
	private static void take(Db db, int article) throws SQLException {
		db.update(Shape.STOCK, 1, Secrets.number(), Secrets.text(), article);
	}

	private static void insertLines(Db db, Visit visit, long purchase, int article) throws SQLException {
		int lines = LINES + visit.number % LINES;

		try (PreparedStatement statement = db.prepare(Shape.LINE)) {
			for (int line = 0; line < lines; line++)
				db.addBatch(Shape.LINE, statement, purchase, line, article, 1);
			db.executeBatch(Shape.LINE, statement);
		}
	}
}
