/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sequence_table: how often each sequence of methods and transitions occurred, and what its
 * deltas used.
 *
 *   block[code / 32] --> 32 cells:   | count | sum, min of metric 0 | sum, min of metric 1 | ...
 *
 * A block is made when one of its codes first occurs: those of one combination of three states
 * are in one block, so that a thread whose methods are all compiled has a single one, 768 bytes
 * with one metric. What finds no memory is counted as that.
 *
 * Owns: its arena, all blocks.
 * Runs: a thread's own table is written by the thread (relaxed stores, one writer). Blocks are
 *       added, which may move all, under the lock of the thread's tree; other threads read under
 *       it.
 */
#ifndef JPROF_SEQUENCE_TABLE_H
#define JPROF_SEQUENCE_TABLE_H

#include "agent/trace/arena.h"
#include "calibration/sequence.h"

enum {
	SEQUENCE_BLOCK = 32, /* cells */
	SEQUENCE_BLOCKS = (SEQUENCE_CODES + SEQUENCE_BLOCK - 1) / SEQUENCE_BLOCK
};

/* Embedded; zero-initialised means empty. */
struct sequence_table {
	uint64_t *block[SEQUENCE_BLOCKS]; /* NULL: none of its codes has occurred */
	struct arena arena;
	uint32_t blocks;    /* in the arena */
	uint32_t patience;  /* deltas until memory is asked for again */
	uint64_t uncounted; /* deltas that found no memory; one writer */
};

/* Words of a cell. */
static inline __attribute__((always_inline)) unsigned sequence_words_of(unsigned metrics)
{
	return 1 + 2 * metrics;
}

/* Makes the code's block, which must not exist. False: there is no memory. */
bool sequence_table_grow(struct sequence_table *table, struct memory_budget *budget,
	unsigned metrics, uint32_t code);

/* Adds all cells of a table of no more metrics that is not written any more. What finds no memory is uncounted. */
void sequence_table_merge(struct sequence_table *table, struct memory_budget *budget,
	unsigned metrics, const struct sequence_table *from, unsigned from_metrics);

/* Adds the cells to cell[SEQUENCE_CODES * words], by code, which is of no fewer metrics than the table; a cell
 * without a count has no minimum yet, and UINT64_MAX is the minimum of a metric that nothing was counted of. The owner may be
 * writing. */
void sequence_table_sum(const struct sequence_table *table, unsigned table_metrics,
	unsigned metrics, uint64_t *cell);

/* ---- more metrics: both by the owner, under the lock of its tree ---- */

/* Room for the cells with so many metrics, whatever the budget says. False: the system has none. */
bool sequence_table_room(
	struct sequence_table *table, struct memory_budget *budget, unsigned from, unsigned to);

/* The cells have so many metrics from now on; there is room. */
void sequence_table_widen(struct sequence_table *table, unsigned from, unsigned to);

void sequence_table_fini(struct sequence_table *table, struct memory_budget *budget);

#endif
