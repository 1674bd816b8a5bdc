/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trace_group: groups of virtual threads, as others see them. For this room only. */
#ifndef JPROF_TRACE_GROUP_H
#define JPROF_TRACE_GROUP_H

#include "agent/trace/trace_look.h"

/* The lanes that the group has now, and the instant that all are looked at. It is pinned. */
struct thread_context *group_begin(struct look *look, struct thread_context *group);

/* look->thread becomes the group's own row. */
void group_row(struct look *look, struct thread_context *group,
	const struct thread_context *lanes, const struct thread_identity *identity);

/* It is known of all lanes in which node threads are parked. */
bool group_is_sure(const struct thread_context *lanes);

/* Behind look_begin, for a lane. */
void lane_look_begin(struct look *look);

/* Under the tree's lock: adds the parked threads' time to a copy of the node. */
void lane_add_parked(const struct look *look, uint32_t index, struct tree_node *copy);

/* Under LOCK_THREADS: virtual threads that began, but for those whose group is finished. */
uint64_t groups_begun(const struct trace *trace);

/* What parked threads have used until now of a metric that runs on, modulo 2^64. */
uint64_t lane_parked_ns(const struct thread_context *lane, uint64_t now);

/* A lane's counters that were read from outside: those that run on become what they were at that
 * instant, which may be before the last event. */
void lane_look_clock(const struct metric_set *set, uint64_t instant, uint64_t *now);

#endif
