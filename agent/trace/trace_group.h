/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trace_group: groups of virtual threads, as others see them. For this room only. */
#ifndef JPROF_TRACE_GROUP_H
#define JPROF_TRACE_GROUP_H

#include "agent/trace/trace_look.h"

/* Puts the group's tree and counts together from its lanes. It is pinned, and by the visitor. */
void group_compose(struct look *look, struct thread_context *group);

/* Under the tree's lock: adds the parked threads' time to the nodes that were copied, if the look asks for
 * it. */
void lane_look_parked(struct look *look, uint32_t first, uint32_t count);

/* Under LOCK_THREADS: virtual threads that began, but for those whose group is finished. */
uint64_t groups_begun(const struct trace *trace);

/* What parked threads have used until now of a metric that runs on, modulo 2^64. */
uint64_t lane_parked_ns(const struct thread_context *lane, uint64_t now);

/* A lane's counters that were read from outside: those that run on become what they were at that
 * instant, which may be before the last event. */
void lane_look_clock(const struct metric_set *set, uint64_t instant, uint64_t *now);

#endif
