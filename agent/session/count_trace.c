/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * count_trace: see count_trace.h.
 *
 * What a row comes to is added when all of it was shown: it may begin again.
 */
#include "agent/session/count_trace.h"

#include <stdlib.h>

struct counting {
	struct trace_counts counts, row; /* of all rows that were shown, of the one at work */
	struct method_counts *methods;   /* NULL: not wanted */
	struct touched_method {
		struct method_count count;
		bool touched;
	} * own;           /* of the row at work, by id */
	uint32_t *touched; /* ids, each once */
	uint32_t touches;
};

static void forget_methods(struct counting *counting)
{
	for (uint32_t i = 0; i < counting->touches; i++)
		counting->own[counting->touched[i]] = (struct touched_method){0};
	counting->touches = 0;
}

static int begin_row(void *user, const struct trace_thread *thread)
{
	struct counting *counting = user;

	(void)thread;
	counting->row = (struct trace_counts){0};
	forget_methods(counting);
	return 0;
}

static void count_method(struct counting *counting, const struct tree_node *node)
{
	struct method_counts *methods = counting->methods;
	uint64_t used = methods->by >= 0 ? node->base[methods->by] : 0;
	struct touched_method *own;

	if (node->method >= methods->methods || (node->calls == 0 && used == 0))
		return;
	own = &counting->own[node->method];
	if (!own->touched)
		counting->touched[counting->touches++] = node->method;
	own->touched = true;
	own->count.calls += node->calls;
	own->count.used += used;
}

static int count_nodes(void *user, const struct trace_thread *thread, uint32_t count,
	const struct tree_node *block, size_t stride)
{
	struct counting *counting = user;

	(void)thread;
	for (uint32_t i = 0; i < count; i++)
		counting->row.calls += trace_node(block, stride, i)->calls;
	for (uint32_t i = 0; i < count && counting->methods; i++)
		count_method(counting, trace_node(block, stride, i));
	return 0;
}

static int count_accounts(void *user, const struct trace_thread *thread, uint32_t count,
	const struct account *account)
{
	struct counting *counting = user;

	(void)thread;
	for (uint32_t i = 0; i < count; i++) {
		if (account[i].part || account[i].kind >= IO_OPS)
			continue;
		counting->row.io_ops += account[i].count;
		counting->row.io_bytes += account[i].amount;
	}
	return 0;
}

/* A part of a row counts when all of that was shown. */
static int end_thread(void *user, const struct trace_thread *thread)
{
	struct counting *counting = user;
	struct trace_counts *row = &counting->row, *counts = &counting->counts;

	row->threads += thread->folded;
	row->live += thread->alive;
	row->nodes += thread->nodes;
	row->events += thread->events;
	row->lost += thread->lost;
	row->pruned += thread->pruned;
	for (unsigned i = 0; i < METRIC_MAX; i++)
		row->used[i] += thread->total[i];
	if (thread->group != 0)
		return 0;

	counts->threads += row->threads;
	counts->live += row->live;
	counts->nodes += row->nodes;
	counts->calls += row->calls;
	counts->events += row->events;
	counts->lost += row->lost;
	counts->pruned += row->pruned;
	counts->io_ops += row->io_ops;
	counts->io_bytes += row->io_bytes;
	for (unsigned i = 0; i < METRIC_MAX; i++)
		counts->used[i] += row->used[i];
	for (uint32_t i = 0; i < counting->touches; i++) {
		uint32_t id = counting->touched[i];

		counting->methods->method[id].calls += counting->own[id].count.calls;
		counting->methods->method[id].used += counting->own[id].count.used;
	}
	forget_methods(counting);
	return 0;
}

static void count(struct trace *trace, struct counting *counting)
{
	const struct trace_visitor visitor = {.user = counting,
		.begin = begin_row,
		.nodes = count_nodes,
		.accounts = count_accounts,
		.end = end_thread};

	trace_visit(trace, &visitor);
}

struct trace_counts count_trace(struct trace *trace)
{
	struct counting counting = {0};

	count(trace, &counting);
	return counting.counts;
}

int count_trace_methods(
	struct trace *trace, struct method_counts *methods, struct trace_counts *counts)
{
	struct counting counting = {.methods = methods,
		.own = calloc(methods->methods, sizeof(*counting.own)),
		.touched = calloc(methods->methods, sizeof(*counting.touched))};
	int failed = counting.own && counting.touched ? 0 : -1;

	if (!failed)
		count(trace, &counting);
	*counts = counting.counts;
	free(counting.own);
	free(counting.touched);
	return failed;
}
