/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_visit: a consistent look at every thread while it runs on.
 *
 * Nodes are copied in blocks, each under the tree's lock, which an owner needs only to
 * grow or to prune. A prune between two blocks renumbers: the thread is begun again, and
 * the last of RESTARTS times the owner is asked not to prune meanwhile.
 *
 * The stretch in progress is what the counters show from outside beyond the values at the
 * last event. It goes to the current node, in the copy only, and only where the values at
 * the last event are still the same when that node has been copied: the owner stores them
 * before it charges, so nothing is ever shown twice.
 */
#include "agent/trace/trace_rows.h"

#include <string.h>

enum {
	RESTARTS = 3,
	BATCH = 32 /* rows taken from the list in one go: threads that end hold its lock
		      much */
};

struct batch {
	struct thread_context *context[BATCH]; /* pinned */
	struct thread_identity identity[BATCH];
	unsigned count;
};

struct visit {
	struct trace *trace;
	const struct trace_visitor *visitor;
	struct thread_context *context;
	struct trace_thread thread;
	const struct thread_identity *identity; /* borrowed from the batch */
	bool stopped;
	uint32_t current;
	uint64_t last[METRIC_MAX];
	uint64_t stretch[METRIC_MAX];
	uint64_t added[METRIC_MAX]; /* of the stretch, what went into the copy */
	uint64_t sum[METRIC_MAX];   /* of base */
};

static void load_last(const struct visit *visit, uint64_t *last)
{
	for (unsigned i = 0; i < visit->trace->set->count; i++)
		last[i] = __atomic_load_n(&visit->context->last[i], __ATOMIC_ACQUIRE);
}

static bool last_is(const struct visit *visit, const uint64_t *last)
{
	uint64_t now[METRIC_MAX];

	load_last(visit, now);
	return memcmp(now, last, visit->trace->set->count * sizeof(now[0])) == 0;
}

/* Under the tree's lock, so that the counters are not closed meanwhile. */
static void look_at_counters(struct visit *visit)
{
	struct thread_context *context = visit->context;
	unsigned metrics = visit->trace->set->count;
	uint64_t now[METRIC_MAX];

	memset(visit->stretch, 0, sizeof(visit->stretch));
	visit->current = __atomic_load_n(&context->current, __ATOMIC_ACQUIRE);
	load_last(visit, visit->last);
	if (!context->counting || atomic_load(&context->outside))
		return;
	memcpy(now, context->stopped ? context->stop : visit->last, sizeof(now));
	if (!context->stopped)
		metric_read_from_outside(visit->trace->set, &context->metric, now);
	if (!last_is(visit, visit->last) ||
		visit->current != __atomic_load_n(&context->current, __ATOMIC_ACQUIRE))
		return;
	for (unsigned i = 0; i < metrics; i++)
		if (now[i] > visit->last[i])
			visit->stretch[i] = now[i] - visit->last[i];
}

static void begin_thread(struct visit *visit, bool hold)
{
	struct thread_context *context = visit->context;
	struct call_tree *tree = &context->tree;

	memset(visit->added, 0, sizeof(visit->added));
	memset(visit->sum, 0, sizeof(visit->sum));
	lock_take(&tree->lock);
	tree->hold = hold;
	visit->thread = (struct trace_thread){
		.id = context->id,
		.alive = context->life == CONTEXT_LIVE,
		.folded = context->folded,
		.identity = visit->identity,
		.started = context->started,
		.ended = context->ended,
		.generation = tree->generation,
		.nodes = __atomic_load_n(&tree->count, __ATOMIC_ACQUIRE),
		.unwound = __atomic_load_n(&context->unwound, __ATOMIC_RELAXED),
		.repaired = __atomic_load_n(&context->repaired, __ATOMIC_RELAXED),
		.unmatched = __atomic_load_n(&context->unmatched, __ATOMIC_RELAXED),
		.lost = __atomic_load_n(&context->lost, __ATOMIC_RELAXED),
		.pruned = __atomic_load_n(&tree->pruned, __ATOMIC_RELAXED),
	};
	visit->stopped = context->stopped;
	look_at_counters(visit);
	lock_give(&tree->lock);
}

static bool copy_nodes(struct visit *visit, uint32_t first, uint32_t count)
{
	struct call_tree *tree = &visit->context->tree;
	size_t words = (size_t)count * tree->stride / sizeof(uint64_t);
	typedef uint64_t __attribute__((may_alias)) word;
	word *to = visit->trace->block.base;
	const word *from;
	bool same;

	lock_take(&tree->lock);
	same = tree->generation == visit->thread.generation;
	if (same) {
		from = (const word *)(const void *)tree_at(tree, first);
		for (size_t i = 0; i < words; i++)
			to[i] = __atomic_load_n(&from[i], __ATOMIC_ACQUIRE);
	}
	lock_give(&tree->lock);
	return same;
}

/* What the block tells; the stretch in progress where it belongs. */
static void account_block(struct visit *visit, uint32_t first, uint32_t count)
{
	unsigned metrics = visit->trace->set->count;
	size_t stride = visit->context->tree.stride;
	struct tree_node *block = visit->trace->block.base;
	uint64_t last[METRIC_MAX];

	load_last(visit, last);
	for (uint32_t n = 0; n < count; n++) {
		struct tree_node *node = (void *)((char *)block + n * stride);

		for (unsigned i = 0; i < metrics; i++) {
			if (first + n == visit->current && last[i] == visit->last[i]) {
				node->base[i] += visit->stretch[i];
				visit->added[i] = visit->stretch[i];
			}
			visit->sum[i] += node->base[i];
		}
		for (unsigned i = 0; i < 4; i++)
			visit->thread.events += node->transition[i / 2][i % 2];
	}
}

/* Where no event can come any more, the counters tell the total by themselves. While
 * events go on, the owner may be anywhere between its stores: there the nodes are
 * believed. */
static void total_thread(struct visit *visit)
{
	struct thread_context *context = visit->context;
	bool still;

	lock_take(&context->tree.lock);
	context->tree.hold = false;
	still = !visit->thread.alive || visit->stopped;
	lock_give(&context->tree.lock);
	for (unsigned i = 0; i < visit->trace->set->count; i++) {
		uint64_t first = __atomic_load_n(&context->first[i], __ATOMIC_RELAXED);

		visit->thread.total[i] =
			still ? visit->last[i] - first + visit->added[i] : visit->sum[i];
	}
}

/* False: the nodes were renumbered meanwhile. What the visitor said is in *result. */
static bool show_blocks(struct visit *visit, int *result)
{
	const struct trace_visitor *visitor = visit->visitor;
	size_t stride = visit->context->tree.stride;
	uint32_t most = (uint32_t)(visit->trace->block.bytes / stride);
	uint32_t count;

	for (uint32_t first = 0; first < visit->thread.nodes; first += count) {
		count = visit->thread.nodes - first;
		if (count > most)
			count = most;
		if (!copy_nodes(visit, first, count))
			return false;
		account_block(visit, first, count);
		*result = visitor->nodes(visitor->user, &visit->thread, first, count,
			visit->trace->block.base, stride);
		if (*result != 0)
			return true;
	}
	return true;
}

/* Accounts have one writer, and counts that are of the same instant only each for itself. */
static void copy_accounts(struct visit *visit, const struct io_account *from, uint32_t count)
{
	typedef uint64_t __attribute__((may_alias)) word;
	word *to = visit->trace->block.base;
	const word *words = (const word *)(const void *)from;

	for (size_t i = 0; i < count * sizeof(*from) / sizeof(word); i++)
		to[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
}

/* The next ones from first. *count 0: there are no more. False: the nodes were renumbered. */
static bool next_accounts(struct visit *visit, uint32_t first, uint32_t *count)
{
	struct call_tree *tree = &visit->context->tree;
	uint32_t most = (uint32_t)(visit->trace->block.bytes / sizeof(struct io_account));
	uint32_t there;
	bool same;

	lock_take(&tree->lock);
	same = tree->generation == visit->thread.generation;
	there = __atomic_load_n(&tree->io.count, __ATOMIC_ACQUIRE);
	*count = there - first < most ? there - first : most;
	if (same && *count > 0)
		copy_accounts(visit, io_account_at(&tree->io, first), *count);
	lock_give(&tree->lock);
	return same;
}

static bool show_accounts(struct visit *visit, int *result)
{
	const struct trace_visitor *visitor = visit->visitor;
	const struct io_account *block = visit->trace->block.base;
	uint32_t count;
	bool same;

	if (visitor->accounts == NULL || *result != 0)
		return true;
	for (uint32_t first = 0;
		(same = next_accounts(visit, first, &count)) && count > 0; first += count) {
		*result = visitor->accounts(
			visitor->user, &visit->thread, first, count, block);
		if (*result != 0)
			return true;
	}
	if (!same)
		return false;
	copy_accounts(visit, visit->context->tree.io.rest, IO_OPS);
	*result = visitor->accounts(
		visitor->user, &visit->thread, TRACE_REST, IO_OPS, block);
	return true;
}

static int show_thread(struct visit *visit)
{
	const struct trace_visitor *visitor = visit->visitor;
	bool shown = false;
	int result = 0;

	for (int i = 1; i <= RESTARTS && !shown && result == 0; i++) {
		begin_thread(visit, i == RESTARTS);
		result = visitor->begin(visitor->user, &visit->thread);
		if (result == 0)
			shown = show_blocks(visit, &result) && show_accounts(visit, &result);
	}
	total_thread(visit);
	return result != 0 ? result : visitor->end(visitor->user, &visit->thread);
}

/* Under LOCK_THREADS: pins the next rows that were there when the visit began. */
static void pin_batch(struct batch *batch, struct thread_context *next, uint32_t last_id)
{
	batch->count = 0;
	for (; next != NULL && next->id <= last_id && batch->count < BATCH;
		next = next->next) {
		next->pins++;
		next->visited = true;
		batch->identity[batch->count] = next->identity;
		batch->context[batch->count++] = next;
	}
}

/* Lets the batch go and takes the next one. False: there is none. */
static bool next_batch(struct trace *trace, struct batch *batch, uint32_t last_id)
{
	struct thread_context *next;

	lock_take(&trace->lock);
	next = batch->count > 0 ? batch->context[batch->count - 1]->next : trace->first;
	for (unsigned i = 0; i < batch->count; i++)
		batch->context[i]->pins--;
	pin_batch(batch, next, last_id);
	lock_give(&trace->lock);
	return batch->count > 0;
}

static int show_batch(struct visit *visit, const struct batch *batch)
{
	int result = 0;

	for (unsigned i = 0; i < batch->count && result == 0; i++) {
		visit->context = batch->context[i];
		visit->identity = &batch->identity[i];
		result = show_thread(visit);
	}
	return result;
}

static uint32_t begin_visit(struct trace *trace)
{
	uint32_t last_id;

	lock_take(&trace->lock);
	trace->visiting = true;
	last_id = trace->next_id;
	lock_give(&trace->lock);
	return last_id;
}

static void end_visit(struct trace *trace, const struct batch *batch)
{
	lock_take(&trace->lock);
	for (unsigned i = 0; i < batch->count; i++)
		batch->context[i]->pins--;
	trace->visiting = false;
	fold_twins(trace);
	lock_give(&trace->lock);
	fold_excess(trace);
}

int trace_visit(struct trace *trace, const struct trace_visitor *visitor)
{
	struct visit visit = {.trace = trace, .visitor = visitor};
	struct batch batch = {.count = 0};
	uint32_t last_id = begin_visit(trace);
	int result = 0;

	while (result == 0 && next_batch(trace, &batch, last_id))
		result = show_batch(&visit, &batch);
	end_visit(trace, &batch);
	return result;
}
