/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * lanes: groups of virtual threads, and their lanes on carriers: found, or made. For this room only.
 *
 * A carrier remembers the lanes that it had last; otherwise it looks among the group's, takes one
 * that waits for a carrier, or makes one. All of them return NULL without memory.
 *
 * Runs: in the carrier, which is the calling thread's context. The lists are under LOCK_THREADS,
 *       which is not held while memory is asked for.
 */
#ifndef JPROF_LANES_H
#define JPROF_LANES_H

#include "agent/trace/trace_rows.h"

/* The group's lane on the carrier. */
struct thread_context *lane_of(struct thread_context *carrier, struct thread_context *group);

/* The lane for a thread that begins: of the group of its name, or of one for it alone. */
struct thread_context *lane_for(
	struct thread_context *carrier, const struct thread_identity *identity);

/* The lane for threads that no recorded call is known of. */
struct thread_context *lane_for_unknown(struct thread_context *carrier);

#endif
