/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * read_rows: the tables of a profile as rows, checked before they are read.
 *
 * In:   an open file, and which state of its counts is wanted: now, or a snapshot's.
 * Out:  each row of a table, given to a function that fills a record.
 * Owns: nothing; texts go to the profile's store.
 */
#ifndef JPROF_PROFILE_READ_ROWS_H
#define JPROF_PROFILE_READ_ROWS_H

#include <sqlite3.h>

#include "error/error.h"
#include "profile/profile_read.h"
#include "profile/read_open.h"
#include "profile/schema.h"
#include "profile/text_store.h"

/* What profile_open gives out, with what it points to. */
struct owned_profile {
	struct profile profile; /* first: profile_free casts back */
	struct text_store texts;
	uint64_t text_bytes; /* that were put there */
	uint64_t *base; /* of each node: base, then spent */
	uint64_t *sequence_values; /* of each sequence: sum, then min */
};

struct reader {
	struct read_source *source;
	struct owned_profile *owned;
	struct profile *profile; /* &owned->profile */
	struct error *error;
	/* The one whose threads, nodes and I/O are read; 0: those of the file's last state. */
	uint32_t snapshot;
	size_t resets;   /* while snapshots are read: so many were */
	size_t position; /* while nodes are read: of the thread they are at */
};

/* Reads one row into record i of its array. 0 or a negative code. */
typedef int reader_row(struct reader *reader, sqlite3_stmt *statement, size_t i);

int reader_no_memory(struct reader *reader);

/* A statement with one parameter and one number as its answer. */
int reader_ask(struct reader *reader, const char *sql, const char *parameter,
	sqlite3_int64 *answer);

/* 0 if the table is one, with the columns that it has to have. */
int reader_check(struct reader *reader, enum schema_table_id id);

/* How many rows the table has: not more than fit into the file. */
int reader_count_rows(struct reader *reader, enum schema_table_id id, size_t *rows);

/* The same, and memory for a record each; into *records, owned by the
 * caller (free). Checks the table. */
int reader_count(struct reader *reader, enum schema_table_id id, size_t record,
	void *records, size_t *count);

/* All rows of a table that has count records waiting. */
int reader_rows(
	struct reader *reader, enum schema_table_id id, size_t count, reader_row *row);

static inline uint64_t reader_number(sqlite3_stmt *statement, int column)
{
	return (uint64_t)sqlite3_column_int64(statement, column);
}

/* Those of count columns from the first on. */
void reader_numbers(
	sqlite3_stmt *statement, int first, unsigned count, uint64_t *number);

/* A copy of the column's text, NULL for NULL. No memory shows in the store. */
char *reader_text(struct reader *reader, sqlite3_stmt *statement, int column);
/* The same, but "" for NULL. */
const char *reader_name(struct reader *reader, sqlite3_stmt *statement, int column);

#endif
