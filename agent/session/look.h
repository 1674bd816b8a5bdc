/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * look: how much a trace has recorded so far, and what happened since the last look: for those who
 * watch a recording.
 *
 * In:   one visit of the trace, with a sum for each method.
 * Owns: what those sums were the last time, 16 bytes a method, from the first look on.
 * Runs: on the writer's thread, which visits: 2 to 3 ms for 131,000 nodes.
 */
#ifndef JPROF_LOOK_H
#define JPROF_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/trace/trace.h"

struct trace_counts {
	uint64_t threads; /* recorded so far, folded ones too */
	uint64_t live;    /* of them */
	uint64_t nodes, calls;
	uint64_t counted; /* of the calls: not timed */
	uint64_t events;  /* entries and exits of those that were */
	uint64_t lost;    /* entries that could not be recorded */
	uint64_t pruned;  /* nodes folded for want of memory */
	uint64_t io_ops, io_bytes;
	uint64_t used[METRIC_MAX]; /* by all threads, of each metric */
};

/* Visits the trace: on the thread that does so, and no other visit meanwhile. Some milliseconds
 * for each megabyte of nodes. */
struct trace_counts count_trace(struct trace *trace);

enum { LOOK_TOP = 20 };

struct look_method {
	uint32_t id;
	uint64_t calls, used; /* since the last look */
};

/* Since the last look, or since the recording began. */
struct look {
	uint64_t span; /* ns between the two */
	uint64_t took; /* ns that this one took */
	uint64_t calls, io_ops, io_bytes;
	uint64_t used[METRIC_MAX]; /* by all threads, of each metric */
	uint64_t cpu;              /* ns of processor time of the whole process */
	/* Those with the most of `by`, or with the most calls, first. */
	struct look_method top[LOOK_TOP];
	unsigned tops;
};

/* Embedded; zero but for `by`. */
struct looker {
	int by;           /* the metric that methods are ordered by; below 0: calls */
	uint64_t at, cpu; /* of the last look */
	struct trace_counts counts;
	struct method_count {
		uint64_t calls, used; /* of the metric `by` */
	} * method;                   /* by id; owned */
	uint32_t methods;
};

/* A visit; counts is filled, too. now: ns since the recording began; cpu: the process's. 0, or -1: no
 * memory. */
int look_take(struct looker *looker, struct trace *trace, unsigned metrics, uint32_t methods,
	uint64_t now, uint64_t cpu, struct look *look, struct trace_counts *counts);

void look_fini(struct looker *looker);

#endif
