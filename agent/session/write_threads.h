/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * write_threads: brings what the trace's threads did into the profile: their rows, the nodes of
 * their call trees, their accounts of I/O. Only what changed since the last time is written.
 *
 * Runs: on the thread that flushes.
 */
#ifndef JPROF_WRITE_THREADS_H
#define JPROF_WRITE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/trace/trace.h"
#include "error/error.h"
#include "profile/profile_write.h"

struct written_thread; /* what the file has of a thread */

/* The first four are given, the rest is zero in the beginning. */
struct thread_writer {
	struct trace *trace;            /* borrowed */
	struct profile_writer *profile; /* borrowed */
	unsigned metrics;
	uint64_t began; /* ns of CLOCK_MONOTONIC */

	struct error *error; /* of the visit under way */
	uint64_t visit;
	struct written_thread *thread; /* by id, rising */
	size_t threads, threads_room;
	struct written_thread *current; /* being shown */
};

/* Within a transaction: puts what changed, and drops threads that were folded into others. 0, or a
 * negative code. */
int threads_put(struct thread_writer *writer, struct error *error);

/* The transaction was committed, or not: then the next one puts everything. */
void threads_put_done(struct thread_writer *writer, bool committed);

/* Gives back what it remembers. */
void threads_fini(struct thread_writer *writer);

#endif
