/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* count_trace: how much a trace has recorded so far. */
#ifndef JPROF_COUNT_TRACE_H
#define JPROF_COUNT_TRACE_H

#include <stdint.h>

#include "agent/trace/trace.h"

struct trace_counts {
	uint64_t threads; /* recorded so far, folded ones too */
	uint64_t live;    /* of them */
	uint64_t nodes, calls;
	uint64_t events; /* entries and exits */
	uint64_t lost;   /* entries that could not be recorded */
	uint64_t pruned; /* nodes folded for want of memory */
	uint64_t io_ops, io_bytes;
	uint64_t used[METRIC_MAX]; /* by all threads, of each metric */
};

struct method_count {
	uint64_t calls, used; /* of the metric asked for */
};

/* What to fill, by id; methods of later ids are left out. */
struct method_counts {
	struct method_count *method; /* zero in the beginning */
	uint32_t methods;
	int by; /* a metric; below 0: none */
};

/* Visits the trace: on the thread that does so, and no other visit meanwhile. Some milliseconds
 * for each megabyte of nodes. */
struct trace_counts count_trace(struct trace *trace);

/* The same with sums by method. 0, or -1: no memory. */
int count_trace_methods(
	struct trace *trace, struct method_counts *methods, struct trace_counts *counts);

#endif
