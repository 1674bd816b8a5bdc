/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * slice_write: what each slice of time added to the counts of threads, nodes, accounts and sequences, of contention and
 * of what threads did.
 *
 * Before a row is put, the one that the file has is subtracted from it, and the difference is added to the slice. A row
 * that is taken out adds less than nothing; its counts went to another one, which has them as added, and the forward
 * says which: so sums over both are right. All of it is in the transaction that changes the rows, and nothing is kept
 * in memory: what is rolled back was never counted.
 *
 * Slices are bounded in number and in rows. Beyond that two neighbours become one, those which are shortest for how
 * long ago they were: the older, the coarser. No sum is lost by that.
 *
 * In:   the database of profile_write.c, its transactions.
 * Runs: on one thread at a time. Results are SQLite's.
 */
#ifndef JPROF_PROFILE_SLICE_WRITE_H
#define JPROF_PROFILE_SLICE_WRITE_H

#include <sqlite3.h>

#include "profile/schema.h"

enum {
	SLICES_MOST = 3600,
	SLICE_ROWS_MOST = 1000000, /* of all slices, as long as there are more than two */
	SLICE_TABLES = TABLE_SLICE_THREAD_STATE - TABLE_SLICE_THREAD + 1,
	SLICE_OWN_STATEMENTS = 12
};

/* Where a record has what a slice keeps of it. */
struct slice_columns {
	const struct schema_column *key[3];
	int keys;
	size_t offset[PROFILE_THREAD_COUNTS]; /* of counts, uint64_t each */
	int counts;
	const struct schema_per_metric *per_metric[2];
};

/* Embedded; all zero: no slices are kept. */
struct slice_writer {
	sqlite3 *db; /* borrowed */
	unsigned metrics;
	struct slice_columns columns[SLICE_TABLES];
	sqlite3_stmt *of_table[SLICE_TABLES][SLICE_STATEMENTS];
	sqlite3_stmt *own[SLICE_OWN_STATEMENTS];
	uint64_t resolution;             /* ns */
	uint64_t slices_most, rows_most; /* bounds, for tests to change */
	uint32_t current;                /* of the transaction; 0: none */
};

int slices_init(
	struct slice_writer *slices, sqlite3 *db, unsigned metrics, uint64_t resolution);
/* The same of the slices that there are, in tables that have so many metrics now; all zero if none are kept. */
int slices_init_like(
	struct slice_writer *wider, const struct slice_writer *slices, unsigned metrics);

void slices_fini(struct slice_writer *slices);

/* A transaction's changes are of the time until now, ns since the session began. The newest slice goes on, unless it
 * has come to a multiple of the resolution, or a snapshot was made at its end. */
int slices_begin(struct slice_writer *slices, uint64_t now);

/* The record is about to be put. Nothing happens for tables that slices are not of, and without a begin. */
int slices_put(struct slice_writer *slices, enum schema_table_id table, const void *record);

/* Rows first to last, by their ids, are about to be taken out. The same. */
int slices_take(
	struct slice_writer *slices, enum schema_table_id table, uint64_t first, uint64_t last);

/* Nothing more is put in the transaction. */
int slices_end(struct slice_writer *slices);

#endif
