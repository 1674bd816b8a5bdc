/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trace_look: see trace_look.h. */
#include "agent/trace/trace_look.h"

#include <string.h>

#include "agent/trace/trace_group.h"

static void load_last(const struct look *look, uint64_t *last)
{
	for (unsigned i = 0; i < look->trace->set->count; i++)
		last[i] = __atomic_load_n(&look->context->last[i], __ATOMIC_ACQUIRE);
}

static uint32_t turn_of(const struct look *look)
{
	return __atomic_load_n(&look->context->forgetting, __ATOMIC_ACQUIRE);
}

static bool last_is(const struct look *look, const uint64_t *last)
{
	uint64_t now[METRIC_MAX];

	load_last(look, now);
	return memcmp(now, last, look->trace->set->count * sizeof(now[0])) == 0;
}

/* Under the tree's lock, so that the counters are not closed meanwhile. */
static void look_at_counters(struct look *look)
{
	struct thread_context *context = look->context;
	unsigned metrics = look->trace->set->count;
	uint64_t now[METRIC_MAX];

	memset(look->stretch, 0, sizeof(look->stretch));
	look->turn = turn_of(look);
	look->current = __atomic_load_n(&context->current, __ATOMIC_ACQUIRE);
	load_last(look, look->last);
	if (!context->counting || atomic_load(&context->outside) || look->turn % 2 != 0)
		return;
	memcpy(now, context->stopped ? context->stop : look->last, sizeof(now));
	if (!context->stopped) {
		metric_read_from_outside(look->trace->set, context->metric, now);
		if (context->life == CONTEXT_LANE)
			lane_look_clock(look->trace->set, look->now, now);
	}
	if (!last_is(look, look->last) ||
		look->current != __atomic_load_n(&context->current, __ATOMIC_ACQUIRE))
		return;
	for (unsigned i = 0; i < metrics; i++)
		if (now[i] > look->last[i] ||
			(context->life == CONTEXT_LANE && metric_runs_on(look->trace->set, i)))
			look->stretch[i] = now[i] - look->last[i];
}

static bool is_alive(const struct thread_context *context)
{
	if (context->life == CONTEXT_GROUP)
		return context->lane.begun == 0 || context->lane.begun > context->lane.ended;
	return context->life == CONTEXT_LIVE || context->life == CONTEXT_LANE;
}

void look_begin(struct look *look, struct thread_context *context,
	const struct thread_identity *identity, bool hold)
{
	struct call_tree *tree = &context->tree;

	rows_look_waited(context);
	look->context = context;
	memset(look->added, 0, sizeof(look->added));
	memset(look->sum, 0, sizeof(look->sum));
	lock_take(&tree->lock);
	tree->hold = tree->io.hold = hold;
	if (context->life == CONTEXT_ENDED || context->life == CONTEXT_FOLD)
		io_accounts_follow(&tree->io);
	look->thread = (struct trace_thread){
		.id = context->id,
		.alive = is_alive(context),
		.folded = context->folded,
		.identity = identity,
		.started = context->started,
		.ended = context->ended,
		.generation = tree->generation,
		.accounts = tree->io.generation,
		.nodes = __atomic_load_n(&tree->count, __ATOMIC_ACQUIRE),
		.unwound = __atomic_load_n(&context->unwound, __ATOMIC_RELAXED),
		.repaired = __atomic_load_n(&context->repaired, __ATOMIC_RELAXED),
		.unmatched = __atomic_load_n(&context->unmatched, __ATOMIC_RELAXED),
		.lost = __atomic_load_n(&context->lost, __ATOMIC_RELAXED),
		.pruned = __atomic_load_n(&tree->pruned, __ATOMIC_RELAXED),
		.mounts = lane_read(&context->lane.mounts),
		.carrier_ns = lane_read(&context->lane.carrier_ns),
		.waited_ns = context->waited,
	};
	look->stopped = context->stopped;
	look_at_counters(look);
	lock_give(&tree->lock);
}

/* ---- nodes ---- */

static bool copy_nodes(struct look *look, uint32_t first, uint32_t count)
{
	struct call_tree *tree = &look->context->tree;
	size_t words = (size_t)count * tree->stride / sizeof(uint64_t);
	typedef uint64_t __attribute__((may_alias)) word;
	word *to = look->trace->block.base;
	const word *from;
	bool same;

	lock_take(&tree->lock);
	same = tree->generation == look->thread.generation;
	if (same) {
		from = (const word *)(const void *)tree_at(tree, first);
		for (size_t i = 0; i < words; i++)
			to[i] = __atomic_load_n(&from[i], __ATOMIC_ACQUIRE);
		lane_look_parked(look, first, count);
	}
	lock_give(&tree->lock);
	return same;
}

/* What the block tells; the stretch in progress where it belongs. */
static void account_block(struct look *look, uint32_t first, uint32_t count)
{
	unsigned metrics = look->trace->set->count;
	size_t stride = look->context->tree.stride;
	struct tree_node *block = look->trace->block.base;
	uint64_t last[METRIC_MAX];
	bool same;

	load_last(look, last);
	same = turn_of(look) == look->turn;
	for (uint32_t n = 0; n < count; n++) {
		struct tree_node *node = (void *)((char *)block + n * stride);

		for (unsigned i = 0; i < metrics; i++) {
			if (first + n == look->current && same && last[i] == look->last[i]) {
				node->base[i] += look->stretch[i];
				look->added[i] = look->stretch[i];
			}
			look->sum[i] += node->base[i];
		}
		look->thread.calls += node->calls;
		if (node->children & TREE_FLAT)
			look->thread.folded_calls += node->calls;
		for (unsigned i = 0; i < 4; i++)
			look->thread.events += node->transition[i / 2][i % 2];
	}
}

bool look_nodes(struct look *look, look_block *each, void *user)
{
	uint32_t most = (uint32_t)(look->trace->block.bytes / look->context->tree.stride);
	uint32_t count;

	for (uint32_t first = 0; first < look->thread.nodes; first += count) {
		count = look->thread.nodes - first;
		if (count > most)
			count = most;
		if (!copy_nodes(look, first, count))
			return false;
		account_block(look, first, count);
		if (!each(user, look, first, count))
			break;
	}
	return true;
}

/* ---- accounts ---- */

/* Accounts have one writer, and counts that are of the same instant only each for itself. */
static void copy_accounts(struct look *look, const struct io_account *from, uint32_t count)
{
	typedef uint64_t __attribute__((may_alias)) word;
	word *to = look->trace->block.base;
	const word *words = (const word *)(const void *)from;

	for (size_t i = 0; i < count * sizeof(*from) / sizeof(word); i++)
		to[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
}

/* The next ones from first. *count 0: there are no more. False: nodes or accounts were
 * renumbered. */
static bool next_accounts(struct look *look, uint32_t first, uint32_t *count)
{
	struct call_tree *tree = &look->context->tree;
	uint32_t most = (uint32_t)(look->trace->block.bytes / sizeof(struct io_account));
	uint32_t there;
	bool same;

	lock_take(&tree->lock);
	same = tree->generation == look->thread.generation &&
	       tree->io.generation == look->thread.accounts;
	there = __atomic_load_n(&tree->io.count, __ATOMIC_ACQUIRE);
	*count = there - first < most ? there - first : most;
	if (same && *count > 0)
		copy_accounts(look, io_account_at(&tree->io, first), *count);
	lock_give(&tree->lock);
	return same;
}

bool look_accounts(struct look *look, look_block *each, void *user)
{
	uint32_t count;

	for (uint32_t first = 0;; first += count) {
		if (!next_accounts(look, first, &count))
			return false;
		if (count == 0)
			break;
		if (!each(user, look, first, count))
			return true;
	}
	copy_accounts(look, look->context->tree.io.rest, IO_OPS);
	each(user, look, TRACE_REST, IO_OPS);
	return true;
}

/* ---- the end ---- */

/* Where no event can come any more, the counters tell the total by themselves. While
 * events go on, the owner may be anywhere between its stores: there the nodes are
 * believed. */
void look_end(struct look *look)
{
	struct thread_context *context = look->context;
	bool still;

	lock_take(&context->tree.lock);
	context->tree.hold = context->tree.io.hold = false;
	still = !look->thread.alive || look->stopped;
	lock_give(&context->tree.lock);
	for (unsigned i = 0; i < look->trace->set->count; i++) {
		uint64_t first = __atomic_load_n(&context->first[i], __ATOMIC_RELAXED);

		look->thread.total[i] =
			still ? look->last[i] - first + look->added[i] : look->sum[i];
	}
}
