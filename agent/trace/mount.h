/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * mount: virtual threads come onto carriers, and leave them.
 *
 * The carrier's counters are the processor's: they count for the thread that runs. At a mount the carrier's
 * context steps aside, and what is counted from the same reading on is the virtual thread's; at the
 * unmount it is the carrier's again. So every count goes to one of the two, and none is lost between.
 * Wall time is of the clock: a virtual thread's runs on while it is not mounted, its carrier's does not
 * while it carries.
 *
 *   virtual threads of one name pattern that the same sessions want: a group, a row of the trace
 *
 *      carrier 1           carrier 2          ...    each has its own counters
 *   +-------------+     +-------------+
 *   | lane:       |     | lane:       |              a context: tree, shadow stack; one writer
 *   |   tree      |     |   tree      |
 *   +------^------+     +-------------+
 *          | mount: frames are put in, unmount: taken out
 *   +------v---------+
 *   | virtual_thread |  ...millions                  frames, sums
 *   +----------------+
 *
 * A thread that was in another lane before has its frames looked up in this one's tree by their
 * methods. What is shown of a group is put together from its lanes (trace_group.c); a lane whose
 * carrier ends waits for the next one. With groups of one thread each (trace_keep_virtual_apart) the
 * lanes go when the thread ends.
 *
 * Runs: in the carrier, a thread of the operating system, and so on its counters; carrier is always
 *       the calling thread's context. What jprof needs itself is charged as spent.
 */
#ifndef JPROF_MOUNT_H
#define JPROF_MOUNT_H

#include "agent/trace/thread_context.h"
#include "agent/trace/virtual_thread.h"

/* Each virtual thread is a group of its own, as long as there is memory. Before the first mount. */
void trace_keep_virtual_apart(struct trace *trace);

/* The calling thread, which is not recorded, is a carrier: as trace_thread_begin, but no visitor is
 * shown it. */
struct thread_context *trace_carrier_begin(
	struct trace *trace, const struct thread_identity *identity, struct alloc_source alloc);

/* A virtual thread is mounted: what the carrier used is charged to it, and from here on nothing until
 * carrier_resume. One of the following may come in between. */
void carrier_give_way(struct thread_context *carrier);

/* The virtual thread, known by now, is what runs since carrier_give_way. It stays in the context that is
 * returned until virtual_unmount. NULL: no memory, which is counted as a lost thread, once. */
struct thread_context *virtual_mount(
	struct thread_context *carrier, struct virtual_thread *thread);

/* The same for a virtual thread that was not known when it was mounted. What it used until `now`, a
 * reading of the carrier's counters, is its root's; since then it was jprof that worked. outside: the
 * session's scope. identity: borrowed. NULL: no memory, which is counted as a lost thread. */
struct thread_context *virtual_begin(struct thread_context *carrier,
	const struct thread_identity *identity, bool outside, const uint64_t *now,
	struct virtual_thread **thread);

/* It is mounted in that lane, and other sessions want it than its group is for: it changes its group. What it did until now stays
 * where it is. identity: borrowed. Returns the lane that it is in from now on, the same if there is no memory. */
struct thread_context *virtual_regroup(struct thread_context *carrier,
	struct thread_context *lane, struct virtual_thread *thread,
	const struct thread_identity *identity);

/* For virtual_begin. */
void carrier_read(struct thread_context *carrier, uint64_t *now);

/* It is unmounted. */
void virtual_unmount(struct thread_context *carrier, struct thread_context *lane,
	struct virtual_thread *thread);

/* A virtual thread ran since carrier_give_way that is not known: nothing recorded was called. What it
 * used is in a row for all such. False: there was no memory for that. */
bool virtual_unknown(struct thread_context *carrier);
#define VIRTUAL_UNKNOWN_NAME "(no recorded call)"

/* The carrier runs again, since the virtual thread was unmounted; or (refused) what ran meanwhile is
 * not charged. */
void carrier_resume(struct thread_context *carrier, bool refused);

/* The virtual thread has ended, and is not mounted. NULL: one that was never known. */
void virtual_end(struct thread_context *carrier, struct virtual_thread *thread);

/* What it has used of a metric by its last event. It is mounted, in that lane. */
static inline uint64_t virtual_used(
	const struct thread_context *lane, struct virtual_thread *thread, unsigned metric)
{
	return *virtual_use(lane->trace, thread, metric) + context_used(lane, metric);
}

#endif
