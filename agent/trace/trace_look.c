/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trace_look: see trace_look.h. */
#include "agent/trace/trace_look.h"

#include <string.h>

static void load_last(const struct look *look, uint64_t *last)
{
	for (unsigned i = 0; i < look->metrics; i++)
		last[i] = __atomic_load_n(&look->context->last[i], __ATOMIC_ACQUIRE);
}

static uint32_t turn_of(const struct look *look)
{
	return __atomic_load_n(&look->context->forgetting, __ATOMIC_ACQUIRE);
}

/* Under the tree's lock, so that the counters are not closed meanwhile. */
static void look_at_counters(struct look *look)
{
	struct thread_context *context = look->context;
	unsigned metrics = look->metrics = context->set->count;
	uint64_t now[METRIC_MAX], again[METRIC_MAX];

	memset(look->delta, 0, sizeof(look->delta));
	memset(look->last, 0, sizeof(look->last));
	look->turn = turn_of(look);
	look->current = __atomic_load_n(&context->current, __ATOMIC_ACQUIRE);
	load_last(look, look->last);
	if (!context->counting || atomic_load(&context->outside) || look->turn % 2 != 0)
		return;
	memcpy(now, context->stopped ? context->stop : look->last, sizeof(now));
	if (!context->stopped) {
		metric_read_from_outside(context->set, context->metric, now);
		if (context->row.life == CONTEXT_LANE)
			lane_look_clock(context->set, look->now, now);
	}
	load_last(look, again);
	if (memcmp(again, look->last, metrics * sizeof(*again)) != 0 ||
		look->current != __atomic_load_n(&context->current, __ATOMIC_ACQUIRE))
		return;
	for (unsigned i = 0; i < metrics; i++)
		if (now[i] > look->last[i] ||
			(context->row.life == CONTEXT_LANE && metric_runs_on(context->set, i)))
			look->delta[i] = now[i] - look->last[i];
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
	tree->hold = tree->accounts.hold = hold;
	accounts_post(&tree->accounts, tree->budget);
	if (context->row.life == CONTEXT_ENDED || context->row.life == CONTEXT_FOLD)
		accounts_follow(&tree->accounts, tree->budget);
	look->moves = tree->moves;
	look->account_moves = tree->accounts.moves;
	look->thread = (struct trace_thread){
		.id = context->row.id,
		.group = context->row.life == CONTEXT_LANE ? context->as_lane.group->row.id : 0,
		.alive = context->row.life == CONTEXT_LIVE,
		.folded = context->row.folded,
		.identity = identity,
		.started = context->row.started,
		.ended = context->row.ended,
		.nodes = __atomic_load_n(&tree->count, __ATOMIC_ACQUIRE),
		.unwound = __atomic_load_n(&context->unwound, __ATOMIC_RELAXED),
		.repaired = __atomic_load_n(&context->repaired, __ATOMIC_RELAXED),
		.unmatched = __atomic_load_n(&context->unmatched, __ATOMIC_RELAXED),
		.lost = __atomic_load_n(&context->lost, __ATOMIC_RELAXED),
		.pruned = __atomic_load_n(&tree->pruned, __ATOMIC_RELAXED),
		.mounts = lane_read(&context->mounts),
		.carrier_ns = lane_read(&context->carrier_ns),
		.waited_ns = context->row.waited,
	};
	look->stopped = context->stopped;
	look_at_counters(look);
	lock_give(&tree->lock);
	if (look->thread.group != 0)
		lane_look_begin(look);
}

/* The items of the block that are as large as that. */
static uint32_t room_for(const struct look *look, size_t bytes)
{
	return (uint32_t)(look->trace->block.bytes / bytes);
}

/* ---- forwards ---- */

bool look_forwards(struct look *look)
{
	const struct trace_visitor *visitor = look->visitor;
	struct call_tree *tree = &look->context->tree;
	struct trace_forward *block = look->trace->block.base;
	uint32_t most = room_for(look, sizeof(*block)), shown = 0, count = 1;
	bool same = true;

	while (visitor->changes && look->result == 0 && same && count > 0) {
		lock_take(&tree->lock);
		same = tree->moves == look->moves;
		for (count = 0; same && count < most && shown < tree->forward_count; count++) {
			const struct tree_forward *from = &tree_forwards(tree)[shown++];
			struct tree_node *to = tree_at(tree, from->to);

			block[count] = (struct trace_forward){
				.thread = from->thread ? from->thread : look->context->row.id,
				.node = from->from,
				.to_thread = look->context->row.id,
				.to_node = to->id};
			tree_tell(tree, from->to);
		}
		if (same)
			tree->forward_shown = shown;
		lock_give(&tree->lock);
		if (same && count > 0)
			look->result = visitor->forwards(visitor->user, block, count);
	}
	return same;
}

/* ---- nodes ---- */

typedef uint64_t __attribute__((may_alias)) word;

/* The words of a running thread's node, and behind them zeros. */
static void copy_words(void *to, const void *from, size_t words, size_t all)
{
	for (size_t i = 0; i < words; i++)
		((word *)to)[i] = __atomic_load_n((const word *)from + i, __ATOMIC_ACQUIRE);
	for (size_t i = words; i < all; i++)
		((word *)to)[i] = 0;
}

/* With so many metrics, which may be more than the tree has. */
static void copy_node(
	const struct call_tree *tree, uint32_t index, unsigned metrics, struct tree_node *to)
{
	const struct tree_node *from = tree_at(tree, index);
	uint32_t own = tree->metrics;

	copy_words(to, from, sizeof(*from) / sizeof(word), 0);
	copy_words(to->base, from->base, own, metrics);
	copy_words(to->base + metrics, from->base + own, own, metrics);
	to->parent = tree_at(tree, to->parent)->id;
}

/* True if the file does not have it as it is. Marks it as written; but for the current one with the delta
 * in progress, which may yet be charged elsewhere. */
static bool is_changed(struct look *look, uint32_t index, const struct tree_node *copy)
{
	uint64_t *written = tree_written(&look->context->tree, index);
	uint64_t sum = tree_node_sum(copy, look->set->count) + 1;
	bool changed;

	for (unsigned i = 0; i < look->metrics && index == look->current; i++)
		if (look->delta[i] != 0)
			sum = UINT64_MAX;
	changed = look->all || *written != sum || sum == UINT64_MAX;
	__atomic_store_n(written, sum, __ATOMIC_RELAXED);
	return changed;
}

/* The delta in progress, if the thread is still in it. */
static void add_delta(struct look *look, struct tree_node *copy)
{
	uint64_t last[METRIC_MAX];

	load_last(look, last);
	if (turn_of(look) != look->turn)
		return;
	for (unsigned i = 0; i < look->metrics; i++) {
		if (last[i] != look->last[i])
			continue;
		copy->base[i] += look->delta[i];
		look->added[i] = look->delta[i];
	}
}

/* Looks at up to `most` nodes from *at on and keeps those that are to be shown. Returns how many these
 * are. Under the lock. */
static uint32_t copy_nodes(struct look *look, uint32_t *at, uint32_t most)
{
	const struct call_tree *tree = &look->context->tree;
	unsigned metrics = look->set->count;
	char *block = look->trace->block.base;
	struct tree_node *copy;
	uint32_t kept = 0;

	for (; *at < look->thread.nodes && most > 0; ++*at, most--) {
		copy = (void *)(block + kept * tree_stride(metrics));
		copy_node(tree, *at, metrics, copy);
		if (look->thread.group != 0)
			lane_add_parked(look, *at, copy);
		if (*at == look->current)
			add_delta(look, copy);
		for (unsigned i = 0; i < metrics; i++)
			look->sum[i] += copy->base[i];
		if (!is_label(copy->method))
			look->thread.calls += copy->calls;
		if (copy->children & TREE_FLAT)
			look->thread.folded_calls += copy->calls;
		for (unsigned i = 0; i < 4; i++)
			look->thread.events += copy->transition[i / 2][i % 2];
		kept += !look->visitor->changes || is_changed(look, *at, copy);
	}
	return kept;
}

bool look_nodes(struct look *look)
{
	const struct trace_visitor *visitor = look->visitor;
	struct call_tree *tree = &look->context->tree;
	size_t stride = tree_stride(look->set->count);
	uint32_t most = room_for(look, stride), at = 0, kept = 0;
	bool same = true;

	while (look->result == 0 && same && at < look->thread.nodes) {
		lock_take(&tree->lock);
		same = tree->moves == look->moves;
		if (same)
			kept = copy_nodes(look, &at, most);
		lock_give(&tree->lock);
		if (same && kept > 0 && visitor->nodes)
			look->result = visitor->nodes(visitor->user, &look->thread, kept,
				look->trace->block.base, stride);
	}
	return same;
}

/* ---- accounts ---- */

static bool accounts_are_same(const struct look *look)
{
	const struct call_tree *tree = &look->context->tree;

	return tree->moves == look->moves && tree->accounts.moves == look->account_moves;
}

bool look_gone(struct look *look)
{
	const struct trace_visitor *visitor = look->visitor;
	void *block = look->trace->block.base;
	struct call_tree *tree = &look->context->tree;
	uint32_t most = room_for(look, sizeof(uint32_t)), shown = 0, count = 1;
	bool same = true;

	while (visitor->changes && look->result == 0 && same && count > 0) {
		lock_take(&tree->lock);
		same = accounts_are_same(look);
		count = tree->accounts.gone_count - shown < most
				? tree->accounts.gone_count - shown
				: most;
		if (same && count > 0)
			memcpy(block, accounts_gone(&tree->accounts) + shown,
				count * sizeof(uint32_t));
		shown += count;
		if (same)
			tree->accounts.gone_shown = shown;
		lock_give(&tree->lock);
		if (same && count > 0)
			look->result =
				visitor->gone(visitor->user, &look->thread, count, block);
	}
	return same;
}

/* True if the copy is to be shown; those of nodes made since are for the next time. written: the original's. */
static bool is_account_shown(struct look *look, struct account *copy, uint64_t *written)
{
	uint64_t sum;

	if (copy->count == 0 || copy->node >= look->thread.nodes)
		return false;
	copy->subject = account_subject(copy);
	copy->node = tree_at(&look->context->tree, copy->node)->id;
	if (!look->visitor->changes)
		return true;
	sum = account_sum(copy) + 1;
	if (!look->all && *written == sum)
		return false;
	*written = sum;
	return true;
}

/* As copy_nodes: the list from *at on, and then what has no subject. */
static uint32_t copy_accounts(struct look *look, uint32_t *at, uint32_t end, uint32_t most)
{
	struct accounts *io = &look->context->tree.accounts;
	struct account *block = look->trace->block.base;
	uint32_t kept = 0;

	for (; *at < end && most > 0; ++*at, most--) {
		bool listed = *at < end - IO_ACCOUNTS;
		enum account_kind kind = *at - (end - IO_ACCOUNTS);

		block[kept] = listed ? *account_at(io, *at) : accounts_rest(io, kind);
		kept += is_account_shown(look, &block[kept],
			listed ? &account_at(io, *at)->written : &io->rest[kind].written);
	}
	return kept;
}

bool look_accounts(struct look *look)
{
	const struct trace_visitor *visitor = look->visitor;
	struct call_tree *tree = &look->context->tree;
	uint32_t most = room_for(look, sizeof(struct account)), at = 0, kept = 0;
	uint32_t end;
	bool same = true;

	lock_take(&tree->lock);
	end = tree->accounts.count + IO_ACCOUNTS;
	lock_give(&tree->lock);
	while (visitor->accounts && look->result == 0 && same && at < end) {
		lock_take(&tree->lock);
		same = accounts_are_same(look);
		if (same)
			kept = copy_accounts(look, &at, end, most);
		lock_give(&tree->lock);
		if (same && kept > 0)
			look->result = visitor->accounts(
				visitor->user, &look->thread, kept, look->trace->block.base);
	}
	return same;
}

/* ---- counted calls ---- */

/* Counts of methods from *at on, as many as are to be shown at a time. Under the lock. */
static uint32_t copy_counts(struct look *look, uint32_t *at, uint32_t end, uint32_t most)
{
	struct counts *counts = &look->context->counts;
	struct account *block = look->trace->block.base;
	uint32_t kept = 0;

	for (; *at < end && kept < most; ++*at) {
		uint64_t count = counts_of(counts, *at);

		look->thread.counted += count;
		if (count > 0 &&
			(!look->visitor->changes ||
				counts_show(counts, &look->trace->budget, *at, count) ||
				look->all))
			block[kept++] = (struct account){.id = ACCOUNT_OF_METHOD + *at,
				.kind = CALLS,
				.subject = *at,
				.count = count};
	}
	return kept;
}

bool look_counts(struct look *look)
{
	const struct trace_visitor *visitor = look->visitor;
	struct call_tree *tree = &look->context->tree;
	uint32_t most = room_for(look, sizeof(struct account)), at = 0, end = counts_end();

	while (visitor->accounts && look->result == 0 && at < end) {
		uint32_t kept;

		lock_take(&tree->lock);
		counts_claim(&look->context->counts, &look->trace->budget);
		kept = copy_counts(look, &at, end, most);
		lock_give(&tree->lock);
		if (kept > 0)
			look->result = visitor->accounts(
				visitor->user, &look->thread, kept, look->trace->block.base);
	}
	return true;
}

/* ---- watched calls ---- */

static void show_method(struct look *look, struct method_times *method)
{
	const struct trace_visitor *visitor = look->visitor;

	for (int k = 0; k < 2 * CALL_FIGURES && look->result == 0; k++) {
		bool failed = k >= CALL_FIGURES;
		enum call_figure which = k % CALL_FIGURES;
		const struct figure_times *figure =
			__atomic_load_n(&method->figure[failed][which], __ATOMIC_ACQUIRE);
		uint64_t count = figure_times_count(figure);

		if (count == 0 || (visitor->changes && !look->all &&
					  method->shown[failed][which] == count))
			continue;
		if (visitor->changes)
			method->shown[failed][which] = count;
		look->result = visitor->times(
			visitor->user, &look->thread, method->method, failed, which, figure);
	}
}

/* They are added to only, as long as the row is pinned. */
bool look_times(struct look *look)
{
	const struct call_times *times =
		__atomic_load_n(&look->context->times, __ATOMIC_ACQUIRE);

	for (int h = 0; times && look->visitor->times && h < CALL_TIMES_HEADS; h++) {
		struct method_times *i = __atomic_load_n(&times->head[h], __ATOMIC_ACQUIRE);

		for (; i && look->result == 0; i = i->next)
			show_method(look, i);
	}
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
	context->tree.hold = context->tree.accounts.hold = false;
	still = (!look->thread.alive && look->thread.group == 0) || look->stopped;
	lock_give(&context->tree.lock);
	for (unsigned i = 0; i < look->set->count; i++) {
		uint64_t first = __atomic_load_n(&context->first[i], __ATOMIC_RELAXED);

		look->thread.total[i] =
			still ? look->last[i] - first + look->added[i] : look->sum[i];
		if (still && look->thread.group != 0 && metric_runs_on(look->set, i))
			look->thread.total[i] += lane_parked_ns(context, look->now);
	}
}
