/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * call_times: how long the calls of watched methods took, of one thread: histograms.
 *
 *   thread --> method --> returned | failed --> elapsed, base, cpu --> sum, least, most, buckets
 *
 * Buckets are those of histogram.h, in blocks that are made as numbers come: 1 KB for each power of two.
 *
 * Owns: all of it, in the trace's memory budget; what finds no room there is still counted in sum, least
 *       and most.
 * Runs: added to by the thread that it is of, without a lock; others read it while nothing is taken away.
 */
#ifndef JPROF_CALL_TIMES_H
#define JPROF_CALL_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/trace/memory_budget.h"
#include "profile/histogram.h"
#include "profile/kinds.h"

/* A figure of many calls. Read by others, relaxed; blocks are there once they are seen. */
struct figure_times {
	uint64_t sum, least, most;
	uint64_t unplaced; /* in no bucket: there was no memory */
	uint64_t *block[HISTOGRAM_BLOCKS];
};

struct method_times {
	struct method_times *next;
	uint32_t method;
	struct slow_list *slow; /* the slowest calls of any thread; NULL: none are kept */
	struct figure_times *figure[2][CALL_FIGURES]; /* returned, failed; NULL: none */
	uint64_t shown[2][CALL_FIGURES]; /* the visitor's: how many calls it has shown */
};

enum { CALL_TIMES_HEADS = 64 };

/* Of a thread; made with its first watched call. */
struct call_times {
	struct method_times *head[CALL_TIMES_HEADS]; /* by method % CALL_TIMES_HEADS */
};

/* The method's, which is made if need be. NULL without memory. The owner's. */
struct method_times *call_times_of(
	struct call_times **times, struct memory_budget *budget, uint32_t method);

/* One call. Without memory for the figure itself: false. The owner's. */
bool call_times_add(struct method_times *method, struct memory_budget *budget, bool failed,
	enum call_figure figure, uint64_t value);

/* Adds all of another thread's; nobody adds to either, or looks at them. */
void call_times_merge(
	struct call_times **times, struct memory_budget *budget, const struct call_times *from);

/* Calls of a figure, by what is in it; NULL: 0. */
uint64_t figure_times_count(const struct figure_times *figure);

/* NULL is allowed. */
void call_times_destroy(struct call_times *times, struct memory_budget *budget);

#endif
