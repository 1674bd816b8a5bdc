/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * count_trace: see count_trace.h.
 *
 * What nodes and accounts of a thread come to is added when all of them were shown: they may be shown
 * again, renumbered.
 */
#include "agent/session/count_trace.h"

#include <stdlib.h>

struct counting {
	struct trace_counts counts;
	struct method_counts *methods; /* NULL: not wanted */
	/* Of the thread that is being shown: */
	uint64_t calls, io_ops, io_bytes;
	struct method_count *own; /* by id, of those touched */
	uint32_t *touched;        /* ids, each once */
	uint32_t touches;
};

static void forget_methods(struct counting *counting)
{
	for (uint32_t i = 0; i < counting->touches; i++)
		counting->own[counting->touched[i]] = (struct method_count){0};
	counting->touches = 0;
}

static int begin_thread(void *user, const struct trace_thread *thread)
{
	struct counting *counting = user;

	(void)thread;
	counting->calls = counting->io_ops = counting->io_bytes = 0;
	forget_methods(counting);
	return 0;
}

static void count_method(struct counting *counting, const struct tree_node *node)
{
	struct method_counts *methods = counting->methods;
	uint64_t used = methods->by >= 0 ? node->base[methods->by] : 0;
	struct method_count *own;

	if (node->method >= methods->methods || (node->calls == 0 && used == 0))
		return;
	own = &counting->own[node->method];
	if (own->calls == 0 && own->used == 0)
		counting->touched[counting->touches++] = node->method;
	own->calls += node->calls;
	own->used += used;
}

static int count_nodes(void *user, const struct trace_thread *thread, uint32_t first,
	uint32_t count, const struct tree_node *block, size_t stride)
{
	struct counting *counting = user;

	(void)thread;
	(void)first;
	for (uint32_t i = 0; i < count; i++)
		counting->calls += trace_node(block, stride, i)->calls;
	for (uint32_t i = 0; i < count && counting->methods; i++)
		count_method(counting, trace_node(block, stride, i));
	return 0;
}

static int count_accounts(void *user, const struct trace_thread *thread, uint32_t first,
	uint32_t count, const struct io_account *account)
{
	struct counting *counting = user;

	(void)thread;
	(void)first;
	for (uint32_t i = 0; i < count; i++) {
		if (account[i].part)
			continue;
		counting->io_ops += account[i].ops;
		counting->io_bytes += account[i].bytes;
	}
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
	counts->io_ops += counting->io_ops;
	counts->io_bytes += counting->io_bytes;
	for (unsigned i = 0; i < METRIC_MAX; i++)
		counts->used[i] += thread->total[i];
	for (uint32_t i = 0; i < counting->touches; i++) {
		uint32_t id = counting->touched[i];

		counting->methods->method[id].calls += counting->own[id].calls;
		counting->methods->method[id].used += counting->own[id].used;
	}
	forget_methods(counting);
	return 0;
}

static void count(struct trace *trace, struct counting *counting)
{
	const struct trace_visitor visitor = {.user = counting,
		.begin = begin_thread,
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
