/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * write_trace: brings what the trace's threads did into the profile: their rows, the nodes of
 * their call trees, their accounts, and deltas by sequence. Of threads only what changed since the last time is written; the trace
 * knows what that is.
 *
 * Runs: on the thread that flushes.
 */
#ifndef JPROF_WRITE_TRACE_H
#define JPROF_WRITE_TRACE_H

#include <stdint.h>

#include "agent/trace/trace.h"
#include "error/error.h"
#include "profile/profile_write.h"

struct sample_source;

/* The first six are given. */
struct thread_writer {
	struct trace *trace;                 /* borrowed */
	struct profile_writer *profile;      /* borrowed */
	const struct sample_source *samples; /* borrowed; NULL: there are none */
	void (*keep_up)(void);               /* called some times; NULL: nothing needs that */
	unsigned metrics;                    /* of the file; the trace may have more */
	uint64_t began;                      /* ns of CLOCK_MONOTONIC */

	struct error *error; /* of the visit under way */
};

/* Within a transaction: puts what changed, and drops threads that were folded into others. 0, or a
 * negative code. trace_confirm is to follow. */
int threads_put(struct thread_writer *writer, struct error *error);

/* Within a transaction: puts the slowest calls of watched methods that came since the last time, or all. 0, or
 * a negative code. */
int slow_calls_put_rows(struct thread_writer *writer, bool all, struct error *error);

/* Within a transaction: puts each sequence that has occurred, and how many deltas there was
 * no memory to count into *uncounted. 0, or a negative code. */
int sequences_put(struct trace *trace, unsigned metrics, struct profile_writer *profile,
	uint64_t *uncounted, struct error *error);

#endif
