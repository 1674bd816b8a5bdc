/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * slice_write: what each slice of time added to the counts of threads, nodes, accounts and sequences.
 *
 * A row of these tables that is about to change counts into the slice with -1, and after the change with 1: what is
 * left is what was added. A row that is taken out leaves the first alone; its counts went to another one, which has
 * them as added, and the forward says which: so sums over both are right. All of it is in the transaction that
 * changes the rows, and nothing is kept in memory: what is rolled back was never counted.
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
	SLICE_TABLES = TABLE_SLICE_SEQUENCE - TABLE_SLICE_THREAD + 1,
	SLICE_OWN_STATEMENTS = 12
};

/* Embedded; all zero: no slices are kept. */
struct slice_writer {
	sqlite3 *db; /* borrowed */
	sqlite3_stmt *of_table[SLICE_TABLES][SLICE_STATEMENTS];
	sqlite3_stmt *own[SLICE_OWN_STATEMENTS];
	uint64_t resolution;             /* ns */
	uint64_t slices_most, rows_most; /* bounds, for tests to change */
	uint32_t current;                /* of the transaction; 0: none */
};

int slices_init(
	struct slice_writer *slices, sqlite3 *db, unsigned metrics, uint64_t resolution);
void slices_fini(struct slice_writer *slices);

/* A transaction's changes are of the time until now, ns since the session began. The newest slice goes on, unless it
 * has come to a multiple of the resolution, or a snapshot was made at its end. */
int slices_begin(struct slice_writer *slices, uint64_t now);

/* Rows first to last, by their ids, of a table that slices are of; sign -1: they are about to change, or to go; 1:
 * they have changed. */
int slices_count(struct slice_writer *slices, enum schema_table_id table, uint64_t first,
	uint64_t last, int sign);

/* Nothing more is put in the transaction. */
int slices_end(struct slice_writer *slices);

#endif
