// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.store;

import java.util.Locale;

/** The shop's statements. Of those with literals the text differs each time; the shape has ? in their place. */
public enum Shape {
	LIST("SELECT id, name, price FROM article WHERE name LIKE ? AND name <> ? ORDER BY id"),
	DETAIL("SELECT id, name, price, stock FROM article WHERE id = ?"),
	PURCHASE("INSERT INTO purchase (id, customer, secret) VALUES (?, ?, ?)"),
	STOCK("UPDATE article SET stock = stock - ?, card = ?, note = ? WHERE id = ?"),
	LINE("INSERT INTO purchase_line (purchase, line, article, amount) VALUES (?, ?, ?, ?)"),
	TOTALS("SELECT category, COUNT(*), SUM(price) FROM article GROUP BY category"),
	PRICES("SELECT id, name, price FROM article WHERE price >= ? ORDER BY id");

	/** For a prepared statement its text, as it is. */
	public final String shape;

	Shape(String shape) {
		this.shape = shape;
	}

	/** The text with these literals; texts are quoted. */
	String with(Object... literals) {
		StringBuilder text = new StringBuilder();
		int next = 0;

		for (char c : shape.toCharArray()) {
			if (c == '?')
				text.append(literal(literals[next++]));
			else
				text.append(c);
		}
		return text.toString();
	}

	private static String literal(Object value) {
		return value instanceof Number ? value.toString() : "'" + value.toString().replace("'", "''") + "'";
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}
}
