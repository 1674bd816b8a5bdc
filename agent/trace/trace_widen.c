/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_widen: metrics that come while threads are recorded.
 *
 *   trace_widen      what all have in common, and rows that begin from then on
 *   context_widen    each thread's own, in that thread: counters, tree, sequences
 *   lane_widen       a group's part on a carrier, as the carrier mounts a thread in it
 *   rows_widen       rows of many threads, as a wider one becomes a part of them
 *
 * Indices, ids, links, frames and all figures stay as they are; of the new metrics everything is 0. So what a
 * context counts may be narrower than what the trace does, for as long as its thread has no event: who looks at it reads
 * context->set under its tree's lock, and takes what is missing for 0.
 */
#include "agent/trace/trace_rows.h"

#include <stdlib.h>
#include <string.h>

const struct metric_set *trace_metrics(const struct trace *trace)
{
	return atomic_load_explicit(&trace->set, memory_order_acquire);
}

/* ---- what all have in common ---- */

void wide_sets_fini(struct trace *trace)
{
	while (trace->wide) {
		struct wide_set *wide = trace->wide;

		trace->wide = wide->before;
		free(wide);
	}
}

int trace_widen(struct trace *trace, const struct metric_set *wider)
{
	unsigned from = trace_metrics(trace)->count;
	struct wide_set *wide = malloc(sizeof(*wide));
	bool room;

	if (!wide)
		return -1;
	lock_take(&trace->lock);
	room = sequence_table_room(&trace->sequences, &trace->budget, from, wider->count) &&
	       virtual_pool_widen(trace);
	if (room) {
		*wide = (struct wide_set){.set = *wider, .before = trace->wide};
		sequence_table_widen(&trace->sequences, from, wider->count);
		trace->wide = wide;
		atomic_store_explicit(&trace->set, &wide->set, memory_order_release);
	}
	lock_give(&trace->lock);
	if (!room)
		free(wide);
	return room ? 0 : -1;
}

/* ---- a context ---- */

static bool has_room(struct thread_context *context, const struct metric_set *set)
{
	struct call_tree *tree = &context->tree;
	bool room;

	lock_take(&tree->lock);
	room = tree_room(tree, set->count) &&
	       sequence_table_room(
		       &context->sequences, tree->budget, context->set->count, set->count);
	lock_give(&tree->lock);
	return room;
}

/* There is room. now: what the further metrics' counters are. */
static void spread(
	struct thread_context *context, const struct metric_set *set, const uint64_t *now)
{
	unsigned from = context->set->count;
	bool waits = context->row.life == CONTEXT_LIVE && context->wall < 0;
	uint64_t waited = waits ? rows_wait(set, &context->row) : 0;

	lock_take(&context->tree.lock);
	tree_widen(&context->tree, set->count);
	sequence_table_widen(&context->sequences, from, set->count);
	for (unsigned i = from; i < set->count; i++) {
		__atomic_store_n(&context->first[i], now[i], __ATOMIC_RELAXED);
		__atomic_store_n(&context->last[i], now[i], __ATOMIC_RELAXED);
		context->stop[i] = now[i];
	}
	if (waits)
		context->row.waited_before = waited;
	context->set = set;
	context->wall = metric_index(set, METRIC_WALL);
	context->probed = metric_set_is_probed(set);
	context->look_known = false;
	lock_give(&context->tree.lock);
}

bool context_is_narrow(const struct thread_context *context)
{
	return context->set != trace_metrics(context->trace);
}

bool context_widen(struct thread_context *context)
{
	const struct metric_set *set = trace_metrics(context->trace);
	struct thread_context *lane = context->as_carrier.mounted;
	struct thread_context *runs = lane ? lane : context;
	bool charged = !atomic_load_explicit(&runs->outside, memory_order_relaxed);
	unsigned from = context->set->count;
	struct spending spending;
	uint64_t now[METRIC_MAX];

	if (charged)
		spend_begin(runs, &spending);
	if (!has_room(context, set) || (lane && !has_room(lane, set)))
		return false;
	metric_thread_widen(set, from, context->metric);
	metric_read(SHAPE_ANY, set, context->metric, now);
	spread(context, set, now);
	/* Those that it had are found anew, and widened, too. */
	memset(context->as_carrier.found, 0, sizeof(context->as_carrier.found));
	if (lane)
		spread(lane, set, now);
	for (unsigned i = from; i < set->count && charged; i++)
		spending.begin[i] = now[i];
	if (charged)
		spend_end(runs, &spending);
	return true;
}

bool lane_widen(struct thread_context *carrier, struct thread_context *lane)
{
	/* It was another carrier's, which was ahead. */
	if (lane->set->count > carrier->set->count && !context_widen(carrier))
		return false;
	if (lane->set == carrier->set)
		return true;
	if (!has_room(lane, carrier->set))
		return false;
	spread(lane, carrier->set, carrier->last);
	return true;
}

/* ---- rows of many threads ---- */

bool rows_widen(struct thread_context *row, const struct thread_context *from)
{
	if (row->set->count >= from->set->count)
		return true;
	if (!has_room(row, from->set))
		return false;
	lock_take(&row->tree.lock);
	tree_widen(&row->tree, from->set->count);
	row->set = from->set;
	lock_give(&row->tree.lock);
	return true;
}
