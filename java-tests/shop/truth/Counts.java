// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.truth;

import com.acme.shop.Visit;
import com.acme.shop.store.Shape;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** What the shop has done, counted where it is done: by user and kind of request, and by statement in them. */
public final class Counts {
	/** What is counted of a statement. Each also has its time. */
	public enum Sql {
		/** Statement objects made: createStatement, prepareStatement. */
		STATEMENTS,
		/** Calls of execute, executeQuery, executeUpdate that came back. */
		EXECUTIONS,
		/** Such calls that ended by an exception. */
		FAILED,
		/** Calls of executeBatch. */
		BATCHES,
		/** Calls of addBatch, each an entry that executeBatch executed. */
		BATCH_ENTRIES,
		/** Rows that ResultSet.next has fetched. Their time: that of all calls of next, and of reading the columns. */
		ROWS,
		/** Rows changed. Their time is part of that of the executions. */
		UPDATED
	}

	/** What is counted of the work for a user in a kind of request. */
	public enum Work {
		REQUESTS, COMMITS, ROLLBACKS,
		/** Reads of files that gave bytes; the time of all. */
		FILE_READS,
		FILE_BYTES,
		/** Reads that found the file's end. */
		FILE_ENDS
	}

	/** For whom, in which kind of request; and with which statement, or null. */
	public record Key(String user, String kind, Shape shape) {
	}

	/** Numbers, and nanoseconds, of one of the two enums. */
	public static final class Cell<E extends Enum<E>> {
		private final AtomicLongArray numbers;
		private final AtomicLongArray times;

		Cell(int fields) {
			numbers = new AtomicLongArray(fields);
			times = new AtomicLongArray(fields);
		}

		/** So many more of it, which took so long together. */
		public void add(E field, long number, long nanoseconds) {
			numbers.addAndGet(field.ordinal(), number);
			times.addAndGet(field.ordinal(), nanoseconds);
		}

		long number(E field) {
			return numbers.get(field.ordinal());
		}

		long time(E field) {
			return times.get(field.ordinal());
		}
	}

	/** What was executed with one text. */
	record Text(Shape shape, AtomicLongArray executionsAndRows) {
	}

	final Map<Key, Cell<Work>> works = new ConcurrentHashMap<>();
	final Map<Key, Cell<Sql>> statements = new ConcurrentHashMap<>();
	final Map<String, Text> texts = new ConcurrentHashMap<>();
	final AtomicLong sent = new AtomicLong();
	final AtomicLong received = new AtomicLong();

	/** The cell of this work. */
	public Cell<Work> work(String user, String kind) {
		return works.computeIfAbsent(new Key(user, kind, null), key -> new Cell<>(Work.values().length));
	}

	/** The cell of this statement in this visit. */
	public Cell<Sql> sql(Visit visit, Shape shape) {
		return statements.computeIfAbsent(new Key(visit.user.getName(), visit.kind, shape),
				key -> new Cell<>(Sql.values().length));
	}

	/** The database has executed this text so often, and that came to so many rows, read or changed. */
	public void executed(Shape shape, String text, long executions, long rows) {
		AtomicLongArray numbers = texts
				.computeIfAbsent(text, key -> new Text(shape, new AtomicLongArray(2))).executionsAndRows;

		numbers.addAndGet(0, executions);
		numbers.addAndGet(1, rows);
	}

	/** A customer has sent, and received, so many bytes more. */
	public void exchanged(long bytesSent, long bytesReceived) {
		sent.addAndGet(bytesSent);
		received.addAndGet(bytesReceived);
	}

	/** All are zero. Nobody counts meanwhile. */
	public void forget() {
		works.clear();
		statements.clear();
		texts.clear();
		sent.set(0);
		received.set(0);
	}
}
