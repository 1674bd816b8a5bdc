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
#include "profile/contents.h"
#include "profile/read_open.h"
#include "profile/schema.h"
#include "profile/text_store.h"

/* What profile_open gives out, with what it points to. */
struct owned_profile {
	struct profile profile; /* first: profile_free casts back */
	struct text_store texts;
	uint64_t text_bytes;       /* that were put there */
	uint64_t *base;            /* of each node: base, then spent */
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
	size_t position; /* while nodes and I/O are read: of the thread they are at */
};

/* Looks at row i, which is in the record, and may change that. 0 or a negative code. */
typedef int reader_row(struct reader *reader, void *record, size_t i);

int reader_no_memory(struct reader *reader);

/* A statement with one parameter and one number as its answer. */
int reader_ask(
	struct reader *reader, const char *sql, const char *parameter, sqlite3_int64 *answer);

/* 0 if the table is one, with the columns that it has to have. */
int reader_check(struct reader *reader, enum schema_table_id id);

/* How many rows the table has: not more than fit into the file. */
int reader_count_rows(struct reader *reader, enum schema_table_id id, size_t *rows);

/* How records of a table are kept: in an array of struct profile. */
struct reader_list {
	enum schema_table_id table;
	size_t record;     /* bytes of one */
	reader_row *check; /* NULL: anything may be in them */
	/* Offsets in struct owned_profile: of the array, how many it has, and of the values per metric that
	 * its records point to; 0: they have none. */
	size_t array, count, values;
};
#define READER_LIST(table, member, check)                                                      \
	{                                                                                      \
		table, sizeof(*((struct profile *)0)->member), check,                          \
			offsetof(struct profile, member),                                      \
			offsetof(struct profile, member##_count), 0                            \
	}

/* Reads the table, in the order of its key; the array is freed with the profile. */
int reader_read(struct reader *reader, const struct reader_list *list);

/* Looks at each row of the table, which has so many, in the same record. */
int reader_each(struct reader *reader, enum schema_table_id table, reader_row *check,
	void *record, size_t count);

#endif
