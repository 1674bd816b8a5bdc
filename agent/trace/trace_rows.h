/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_rows: the inside of struct trace. For this room only.
 *
 *   trace.c        threads begin and end, the list
 *   trace_fold.c   ended threads folded by name, memory found among them
 *   trace_visit.c  what the writer is shown
 *   trace_totals.c what all have used, and between which methods
 */
#ifndef JPROF_TRACE_ROWS_H
#define JPROF_TRACE_ROWS_H

#include "agent/trace/trace.h"
#include "agent/trace/trace_memory.h"

struct trace {
	const struct metric_set *set; /* borrowed */
	struct memory_budget budget;
	struct lock lock; /* LOCK_THREADS: all below, but for what says otherwise */
	struct thread_context *first, *last; /* all rows, by id */
	uint32_t next_id;
	uint32_t ended; /* rows of ended threads */
	struct thread_context *fold[TRACE_FOLDS_MAX]; /* rows of folded ones */
	unsigned folds;
	bool old_frames; /* of methods with probes of an earlier session; constant */
	bool stopped;
	bool visiting;      /* rows that were shown must not be folded: they would be shown twice */
	struct sequence_table sequences; /* of ended threads */
	struct arena block; /* the visitor's copy of nodes */
	struct io_paths paths;
	struct io_records *records; /* NULL: operations are not recorded one by one */
	uint64_t threads;
	_Atomic uint64_t lost_threads; /* without the lock */
};

/* A row without counters, frames or a place in the list. NULL without memory. */
struct thread_context *rows_create(struct trace *trace);
void rows_destroy(struct trace *trace, struct thread_context *context);

/* Under LOCK_THREADS: into the list, with the next id; out of it. */
void rows_append(struct trace *trace, struct thread_context *context);
void rows_remove(struct trace *trace, struct thread_context *context);

/* Under LOCK_THREADS: adds an ended thread to the row of its name, and destroys its own.
 * False: that is not possible now. */
bool fold_thread(struct trace *trace, struct thread_context *context);

/* Under LOCK_THREADS, with no visit under way: a name that got a second row, because a visitor
 * was at the first, gets one again. */
void fold_twins(struct trace *trace);

/* Folds what is beyond TRACE_KEPT_ENDED, the last ones first. Takes LOCK_THREADS. */
void fold_excess(struct trace *trace);

#endif
