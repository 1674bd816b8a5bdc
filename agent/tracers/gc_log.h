/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * gc_log: what the JVM's log says of collections and safepoints, line by line.
 *
 * In:  lines with the tags that gc_log_selection names, of one JVM, in the order in which they were written.
 * Out: a row for each collection, pause, concurrent phase and stall, when it has ended, and for each safepoint.
 *      All names are those of the log: docs/traces.md says which collector has which.
 *
 *   gc,start      GC(3) Pause Young (Normal) (G1 Evacuation Pause)
 *   gc            GC(3) Pause Young (Normal) (G1 Evacuation Pause) 170M->6M(256M) 5.419ms
 *                 number     name               cause              before after total  ns
 *   safepoint     Safepoint "G1CollectForAllocation", Time since last: 76811197 ns, Reaching safepoint: 5950 ns, ...
 *
 * Runs: on one thread, no locks. Lines that are of none of these forms are passed over.
 */
#ifndef JPROF_GC_LOG_H
#define JPROF_GC_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/jvm/log_lines.h"
#include "profile/kinds.h"

enum {
	GC_NAME_MAX = 96,   /* bytes with the zero at the end; longer texts are cut */
	GC_OPEN_MAX = 32,   /* collections that have begun and not ended */
	GC_NUMBERS_MAX = 16 /* collections whose cause is remembered */
};

/* Times are CLOCK_MONOTONIC, ns. */
struct gc_collection {
	uint64_t number; /* GC(3) */
	enum collection_kind kind;
	const char *name, *cause; /* borrowed; cause "": the log does not say */
	uint64_t began, ns;
	bool has_bytes, has_total;
	uint64_t before, after,
		total; /* of the heap; as exact as the log is: mostly megabytes */
};

struct gc_safepoint {
	const char *operation; /* borrowed */
	uint64_t began, ns;    /* from the request on, to the end */
	uint64_t reaching_ns;  /* until all threads had stopped */
	uint64_t
		cleanup_ns; /* before the operation; and when they go on: one or the other is 0, by the JVM's release */
	uint64_t at_ns; /* the operation */
	uint64_t threads,
		running; /* how many there were, and how many had to be stopped; 0: the log does not say */
};

struct gc_log_taker {
	void (*collection)(void *argument, const struct gc_collection *collection);
	void (*safepoint)(void *argument, const struct gc_safepoint *safepoint);
	void *argument;
};

struct gc_log; /* created, destroyed */

/* For the command VM.log, by what GC.heap_info answers, which tells collectors apart. Static. */
const char *gc_log_selection(const char *heap_info);

/* NULL without memory. The taker is copied. */
struct gc_log *gc_log_create(const struct gc_log_taker *taker);
void gc_log_destroy(struct gc_log *log);

void gc_log_line(struct gc_log *log, const struct log_line *line);

/* Collections that began before and whose end is yet to come; those that the log began and that were forgotten, as too many
 * were open. */
unsigned gc_log_open(const struct gc_log *log);
uint64_t gc_log_forgotten(const struct gc_log *log);

#endif
