/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * look: see look.h.
 *
 * What a row comes to is added when all of it was shown: it may begin again.
 */
#include "agent/session/look.h"

#include <stdlib.h>
#include <string.h>

#include "metric/clock.h"

/* ---- counting ---- */

struct counting {
	struct trace_counts counts, row; /* of all rows that were shown, of the one at work */
	struct method_count *method;     /* sums by id, to be filled; NULL: not wanted */
	uint32_t methods;                /* of later ids they are left out */
	int by;                          /* a metric; below 0: none */
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

	counting->row = (struct trace_counts){0};
	forget_methods(counting);
	return 0;
}

static void count_method(
	struct counting *counting, uint32_t method, uint64_t calls, uint64_t used)
{
	struct touched_method *own;

	if (method >= counting->methods || (calls == 0 && used == 0))
		return;
	own = &counting->own[method];
	if (!own->touched)
		counting->touched[counting->touches++] = method;
	own->touched = true;
	own->count.calls += calls;
	own->count.used += used;
}

static int count_nodes(void *user, const struct trace_thread *thread, uint32_t count,
	const struct tree_node *block, size_t stride)
{
	struct counting *counting = user;

	for (uint32_t i = 0; i < count; i++) {
		const struct tree_node *node = trace_node(block, stride, i);

		uint64_t calls = is_label(node->method) ? 0 : node->calls;

		counting->row.calls += calls;
		if (counting->method)
			count_method(counting, label_method(node->method), calls,
				counting->by >= 0 ? node->base[counting->by] : 0);
	}
	return 0;
}

static int count_accounts(void *user, const struct trace_thread *thread, uint32_t count,
	const struct account *account)
{
	struct counting *counting = user;

	for (uint32_t i = 0; i < count; i++) {
		if (account[i].kind == CALLS) {
			counting->row.calls += account[i].count;
			counting->row.counted += account[i].count;
			if (counting->method)
				count_method(counting, account[i].subject, account[i].count, 0);
		}
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

	for (size_t i = 0; i < sizeof(*row) / sizeof(uint64_t); i++)
		((uint64_t *)counts)[i] += ((const uint64_t *)row)[i];
	for (uint32_t i = 0; i < counting->touches; i++) {
		uint32_t id = counting->touched[i];

		counting->method[id].calls += counting->own[id].count.calls;
		counting->method[id].used += counting->own[id].count.used;
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

/* ---- looks ---- */

/* Counts may become smaller where nodes were folded between two looks. */
static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* Puts the method among those at the top, if it is one of them. */
static void offer(
	const struct looker *looker, struct look *look, const struct look_method *method)
{
	unsigned at = look->tops;

	for (; at > 0; at--) {
		const struct look_method *other = &look->top[at - 1];
		bool by_use = looker->by >= 0 && method->used != other->used;

		if (by_use ? method->used < other->used : method->calls <= other->calls)
			break;
	}
	if (at == LOOK_TOP)
		return;
	if (look->tops < LOOK_TOP)
		look->tops++;
	memmove(&look->top[at + 1], &look->top[at],
		(look->tops - 1 - at) * sizeof(look->top[0]));
	look->top[at] = *method;
}

int look_take(struct looker *looker, struct trace *trace, unsigned metrics, uint32_t methods,
	uint64_t now, uint64_t cpu, struct look *look, struct trace_counts *counts)
{
	struct method_count *method = calloc(methods, sizeof(*method));
	struct counting counting = {.method = method,
		.methods = methods,
		.by = looker->by,
		.own = calloc(methods, sizeof(*counting.own)),
		.touched = calloc(methods, sizeof(*counting.touched))};
	bool memory = method && counting.own && counting.touched;
	uint64_t began = clock_now();

	if (memory)
		count(trace, &counting);
	*counts = counting.counts;
	free(counting.own);
	free(counting.touched);
	if (!memory) {
		free(method);
		return -1;
	}
	*look = (struct look){.span = now - looker->at,
		.calls = more(counts->calls, looker->counts.calls),
		.io_ops = more(counts->io_ops, looker->counts.io_ops),
		.io_bytes = more(counts->io_bytes, looker->counts.io_bytes),
		.cpu = more(cpu, looker->cpu)};
	for (unsigned i = 0; i < metrics; i++)
		look->used[i] = more(counts->used[i], looker->counts.used[i]);
	for (uint32_t id = METHOD_FIRST; id < methods; id++) {
		struct method_count before = {0, 0};
		struct look_method since = {.id = id};

		if (id < looker->methods)
			before = looker->method[id];
		since.calls = more(method[id].calls, before.calls);
		since.used = more(method[id].used, before.used);
		if (since.calls > 0 || since.used > 0)
			offer(looker, look, &since);
	}
	free(looker->method);
	looker->method = method;
	looker->methods = methods;
	looker->counts = *counts;
	looker->at = now;
	looker->cpu = cpu;
	look->took = clock_now() - began;
	return 0;
}

void look_fini(struct looker *looker)
{
	free(looker->method);
}
