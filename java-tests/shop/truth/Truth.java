// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.truth;

import com.acme.shop.Settings;
import com.acme.shop.store.Secrets;
import com.acme.shop.store.Shape;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** All that was counted, as JSON, beside H2's statistics; and where the two differ. */
public final class Truth {
	private final Settings settings;
	private final Counts counts;
	private final Map<String, Statistics.Row> statistics;

	/** As it is now. */
	public Truth(Settings settings, Counts counts, DataSource admin) throws SQLException {
		this.settings = settings;
		this.counts = counts;
		statistics = Statistics.read(admin);
	}

	/** A line. */
	public String json() {
		Map<String, Object> all = new LinkedHashMap<>();

		all.put("java", Runtime.version().toString());
		all.put("settings", settings.all());
		all.put("work", rows(counts.works, Counts.Work.values()));
		all.put("sql", rows(counts.statements, Counts.Sql.values()));
		all.put("texts", texts());
		all.put("customers", Map.of("sent", counts.sent, "received", counts.received));
		all.put("h2", shapesOfH2());
		all.put("h2_others", othersOfH2());
		all.put("secrets", Map.of("text", Secrets.TEXT, "number", Secrets.NUMBER, "made", Secrets.made()));
		all.put("wrong", wrong());
		return Json.of(all);
	}

	/** Rows of the cells, each with its key, numbers and times. */
	private static <E extends Enum<E>> List<Object> rows(Map<Counts.Key, Counts.Cell<E>> cells, E[] fields) {
		List<Object> rows = new ArrayList<>();

		cells.entrySet().stream().sorted(Comparator.comparing(entry -> entry.getKey().toString()))
				.forEach(entry -> {
					Counts.Key key = entry.getKey();
					Map<String, Object> row = new LinkedHashMap<>();
					Map<String, Object> times = new LinkedHashMap<>();

					row.put("user", key.user());
					row.put("kind", key.kind());
					if (key.shape() != null) {
						row.put("name", key.shape().toString());
						row.put("shape", key.shape().shape);
					}
					for (E field : fields) {
						String name = field.name().toLowerCase(Locale.ROOT);

						row.put(name, entry.getValue().number(field));
						if (entry.getValue().time(field) > 0)
							times.put(name, entry.getValue().time(field));
					}
					row.put("ns", times);
					rows.add(row);
				});
		return rows;
	}

	/** How many different texts each statement had. */
	private Map<String, Object> texts() {
		Map<String, Object> texts = new TreeMap<>();

		for (Shape shape : Shape.values())
			texts.put(shape.toString(),
					counts.texts.values().stream().filter(text -> text.shape() == shape).count());
		return texts;
	}

	/** H2's statistics of the shop's texts, by statement. */
	private List<Object> shapesOfH2() {
		List<Object> rows = new ArrayList<>();

		for (Shape shape : Shape.values()) {
			long[] sums = new long[3];

			statistics.forEach((text, row) -> {
				if (counts.texts.containsKey(text) && counts.texts.get(text).shape() == shape) {
					sums[0] += row.executions();
					sums[1] += row.rows();
					sums[2] += row.nanoseconds();
				}
			});
			Map<String, Object> row = new LinkedHashMap<>();
			row.put("name", shape.toString());
			row.put("executions", sums[0]);
			row.put("rows", sums[1]);
			row.put("ns", sums[2]);
			rows.add(row);
		}
		return rows;
	}

	/** What H2 has executed beside: for pools and transactions. */
	private Map<String, Object> othersOfH2() {
		Map<String, Object> others = new TreeMap<>();

		statistics.forEach((text, row) -> {
			if (!counts.texts.containsKey(text))
				others.put(text, row.executions());
		});
		return others;
	}

	/** Each text for which H2 has other numbers, or none. */
	private List<String> wrong() {
		List<String> wrong = new ArrayList<>();

		counts.texts.forEach((text, counted) -> {
			Statistics.Row row = statistics.getOrDefault(text, new Statistics.Row(0, 0, 0));
			long executions = counted.executionsAndRows().get(0);
			long rows = counted.executionsAndRows().get(1);

			if (row.executions() != executions || row.rows() != rows)
				wrong.add(text + ": " + executions + " executions and " + rows + " rows here, "
						+ row.executions() + " and " + row.rows() + " of H2's");
		});
		return wrong;
	}
}
