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
	uint64_t pruned; /* nodes folded into "(pruned)" */
};

/* Visits the trace: on the thread that does so, and no other visit meanwhile. Some milliseconds
 * for each megabyte of nodes. */
struct trace_counts count_trace(struct trace *trace);

#endif
