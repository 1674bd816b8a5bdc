/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* count_trace: see count_trace.h. */
#include "agent/session/count_trace.h"

struct counting {
	struct trace_counts counts;
	uint64_t calls; /* of the thread that is being shown */
};

static int begin_thread(void *user, const struct trace_thread *thread)
{
	struct counting *counting = user;

	(void)thread;
	counting->calls = 0;
	return 0;
}

static int count_nodes(void *user, const struct trace_thread *thread, uint32_t first,
	uint32_t count, const struct tree_node *block, size_t stride)
{
	struct counting *counting = user;

	(void)thread;
	(void)first;
	for (uint32_t i = 0; i < count; i++)
		counting->calls += trace_node(block, stride, i)->calls;
	return 0;
}

static int end_thread(void *user, const struct trace_thread *thread)
{
	struct counting *counting = user;
	struct trace_counts *counts = &counting->counts;

	counts->threads += thread->folded;
	counts->live += thread->alive;
	counts->nodes += thread->nodes;
	counts->calls += counting->calls;
	counts->events += thread->events;
	counts->lost += thread->lost;
	counts->pruned += thread->pruned;
	return 0;
}

struct trace_counts count_trace(struct trace *trace)
{
	struct counting counting = {0};
	const struct trace_visitor visitor = {
		.user = &counting, .begin = begin_thread, .nodes = count_nodes, .end = end_thread};

	trace_visit(trace, &visitor);
	return counting.counts;
}
