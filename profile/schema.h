/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * schema: the tables and views of a profile file, each column once.
 *
 * The writer binds, the reader fetches and the CREATE texts are made by the same rows, so that a
 * table is a row for each column, and nothing else. docs/profile-format.md describes the result.
 */
#ifndef JPROF_PROFILE_SCHEMA_H
#define JPROF_PROFILE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"

/* PRAGMA application_id ("jpro"), at byte 68 of the file, big endian, and
 * PRAGMA user_version, at byte 60 (https://www.sqlite.org/fileformat2.html, 1.3). */
#define SCHEMA_APPLICATION_ID 0x6a70726f
#define SCHEMA_VERSION        11

/* How a record has what is in a column. */
enum schema_kind {
	KIND_U64,         /* int64_t, too */
	KIND_U64_OR_NULL, /* NULL for 0 */
	KIND_U32,
	KIND_U32_OR_NULL,
	KIND_BOOL,
	KIND_TEXT,        /* const char *, may be NULL */
	KIND_NAME,        /* the same; a NULL is read as "" */
	KIND_TIME,        /* int64_t, NULL for PROFILE_NOT_KNOWN */
	KIND_BYTES,       /* struct profile_bytes */
	KIND_BYTES_LATER, /* the same; the reader gives out the size alone */
	KIND_DESCRIPTOR,  /* int, NULL for what is below 0 */
	KIND_WORD,        /* an enum (int), by its words */
	/* Of records that begin with their thread, uint32_t: profile_node_id of it and a uint32_t. */
	KIND_ID,
	KIND_ID_IN_THREAD,
	KIND_ID_ELSEWHERE, /* of another thread, which stands before the uint32_t */
	/* as KIND_ID_IN_THREAD, but NULL where the record's id, behind the thread, is 0 */
	KIND_CALLER,
	KIND_THREAD /* the thread once more */
};

struct schema_column {
	const char *name;
	const char *comment; /* what it is; kept in the file's own schema */
	enum schema_kind kind;
	size_t offset;            /* of the record */
	const char *const *words; /* up to NULL */
	bool key;                 /* the table's */
};

struct schema_table {
	const char *name;
	const struct schema_column *column;
	int columns;
	/* Columns base_0, base_1..., spent_0, spent_1... follow; or name NULL. The record has an array
	 * there, or a pointer to one. */
	struct schema_per_metric {
		const char *name;
		size_t offset;
		bool pointer;
	} per_metric[2];
	/* Rows of another table as they were, by snapshot: its columns stand behind one more,
	 * the snapshot's id. */
	bool copy;
	/* What each slice of time added to the counts of another table, whose name stands behind "slice_": behind
	 * one more column, the slice's id, those that are its rows' key, then the counts. */
	bool added;
	bool once; /* a row that is there stays as it is */
};

enum schema_table_id {
	TABLE_META,
	TABLE_METRIC,
	TABLE_CONDITION,
	TABLE_METHOD,
	TABLE_THREAD,
	TABLE_NODE,
	TABLE_FORWARD,
	TABLE_FILE,
	TABLE_ACCOUNT,
	TABLE_KIND,
	TABLE_STATE,
	TABLE_RECORD_THREAD,
	TABLE_RECORD,
	TABLE_CODE,
	TABLE_MACHINE_CODE,
	TABLE_SNAPSHOT,
	TABLE_SESSION,
	TABLE_MARK,
	TABLE_TRACE_PERIOD,
	TABLE_EVENT_THREAD,
	TABLE_EVENT_BLOCK,
	TABLE_EVENT_WRITE,
	TABLE_THREAD_STATE,
	TABLE_CLASS,
	TABLE_CLASS_LOADER,
	TABLE_COLLECTION,
	TABLE_SAFEPOINT,
	TABLE_COMPILATION,
	TABLE_DEOPTIMIZATION,
	TABLE_LOCK,
	TABLE_PARAMETER,
	TABLE_VALUE,
	TABLE_TAG,
	TABLE_CONTENTION,
	TABLE_LONG_WAIT,
	TABLE_UNFINISHED_WAIT,
	TABLE_SEQUENCE,
	TABLE_DISTRIBUTION,
	TABLE_SLOW_CALL,
	TABLE_SNAPSHOT_THREAD,
	TABLE_SNAPSHOT_NODE,
	TABLE_SNAPSHOT_ACCOUNT,
	TABLE_SNAPSHOT_SEQUENCE,
	TABLE_SLICE,
	TABLE_SLICE_THREAD,
	TABLE_SLICE_NODE,
	TABLE_SLICE_ACCOUNT,
	TABLE_SLICE_SEQUENCE,
	TABLE_SLICE_CONTENTION,
	TABLE_SLICE_THREAD_STATE,
	TABLE_SNAPSHOT_DISTRIBUTION,
	TABLE_SNAPSHOT_CONTENTION,
	TABLE_SNAPSHOT_THREAD_STATE,
	TABLE_COUNT
};

/* Their records are the structs of that name in profile.h. */
extern const struct schema_table schema_tables[TABLE_COUNT];

/* No table has more columns, with all metrics that there can be. */
enum { SCHEMA_COLUMNS_MOST = 64 };

/* How many columns the table has in a profile with so many metrics. */
int schema_columns(const struct schema_table *table, unsigned metrics);

/* What the first bytes of a file say it is. */
#define SCHEMA_HEADER_BYTES 100
enum header_kind {
	HEADER_PROFILE,
	HEADER_SHORT,    /* begins like a database, but ends within the header */
	HEADER_DATABASE, /* another SQLite database */
	HEADER_OTHER
};
enum header_kind schema_header_kind(const unsigned char *header, size_t bytes);

/* The name of column i of the table in such a profile, "base_3" for one made per metric; into
 * name. */
void schema_column_name(
	const struct schema_table *table, unsigned metrics, int i, char *name, size_t size);

/* All CREATE TABLE and CREATE VIEW statements, the two PRAGMAs and the rows of the reserved
 * methods. Owned by the caller (sqlite3_free), NULL without memory. */
char *schema_create(const struct profile_metric *metric, unsigned metrics);

/* What makes a database of the first `from` metrics one of all: rows that are there have 0 of the others. As above. */
char *schema_widen(const struct profile_metric *metric, unsigned from, unsigned metrics);

/* Statements about a table of what slices added. Ownership as above.
 *
 * SLICE_OLD     of the original's row ?1 what is in the table's columns behind the slice
 * SLICE_ADD     a row, or to the one that is there
 * SLICE_TAKE    to slice ?1, of the rows ?2 to ?3 of the original, what they have, as less than nothing
 * SLICE_JOIN    to slice ?1 all that slice ?2 has
 * SLICE_DROP    takes all rows out of slice ?1 */
enum slice_statement {
	SLICE_OLD,
	SLICE_ADD,
	SLICE_TAKE,
	SLICE_JOIN,
	SLICE_DROP,
	SLICE_STATEMENTS
};
char *schema_slice_sql(
	const struct schema_table *table, unsigned metrics, enum slice_statement which);

/* "INSERT OR REPLACE INTO table VALUES(?,...)", of what is written once "OR IGNORE"; of a copy, the statement that makes it, with
 * the snapshot's id as its parameter. The same ownership. */
char *schema_insert(const struct schema_table *table, unsigned metrics);

#endif
