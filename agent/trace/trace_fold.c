/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_fold: many ended threads in one row, and memory found among the ended.
 *
 * A row that a visit under way has shown, or is showing, must stay as it is until the
 * visit ends: or else its counts would be shown twice, or not at all. A thread that no
 * visit has ever shown can be folded at any time: it is in the picture from the next
 * visit on.
 */
#include "agent/trace/trace_rows.h"

#include <stdio.h>
#include <string.h>

enum {
	/* Threads folded in one go under the lock; of a crowd more: in each go those that
	 * live are looked at, too. */
	FOLD_BATCH = 32,
	CROWD_BATCH = 256,
	/* So many are kept only where virtual ones stay apart. */
	CROWD = 2 * TRACE_KEPT_ENDED
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

void name_pattern(char *pattern, const char *name)
{
	for (; *name != '\0'; name++) {
		if (!is_digit(*name))
			*pattern++ = *name;
		else if (!is_digit(name[1]))
			*pattern++ = '*';
	}
	*pattern = '\0';
}

/* A row that no visitor is looking at; wanted NULL: whatever sessions it is for. */
static struct thread_context *find_row(
	const struct trace *trace, const char *pattern, bool is_virtual, const uint8_t *wanted)
{
	for (unsigned i = 0; i < trace->folds; i++) {
		struct thread_context *row = trace->fold[i];

		if (row->row.pins == 0 && row->row.identity.is_virtual == is_virtual &&
			(!wanted || row_wanted(row) == *wanted) &&
			strcmp(row->row.identity.name, pattern) == 0)
			return row;
	}
	return NULL;
}

static struct thread_context *new_row(
	struct trace *trace, const char *pattern, bool is_virtual, uint8_t wanted)
{
	struct thread_context *row;

	if (trace->folds == TRACE_FOLDS_MAX)
		return NULL;
	row = rows_create(trace, trace_metrics(trace), MEMORY_FORCED);
	if (row == NULL)
		return NULL;
	row->row.life = CONTEXT_FOLD;
	snprintf(row->row.identity.name, sizeof(row->row.identity.name), "%s", pattern);
	row->row.identity.is_virtual = is_virtual;
	row_want(row, wanted);
	trace->fold[trace->folds++] = row;
	rows_append(trace, row);
	return row;
}

/* Threads that other sessions want are in rows of their own. While a visitor is at a name's row, which may take long, a second
 * one serves. */
static struct thread_context *row_for(
	struct trace *trace, const struct thread_identity *identity)
{
	char pattern[sizeof(identity->name)];
	bool is_virtual = identity->is_virtual;
	struct thread_context *row;

	name_pattern(pattern, identity->name);
	row = find_row(trace, pattern, is_virtual, &identity->wanted);
	/* The last place, or two, is for "*", whoever wants those. */
	if (row == NULL && trace->folds >= TRACE_FOLDS_MAX - 1u - trace->apart) {
		snprintf(pattern, sizeof(pattern), "*");
		row = find_row(trace, pattern, is_virtual, NULL);
		if (row != NULL)
			row_want(row, row_wanted(row) | identity->wanted);
	}
	return row != NULL ? row : new_row(trace, pattern, is_virtual, identity->wanted);
}

/* Under LOCK_THREADS: the row for counts of threads that have none of their own; NULL without memory. */
static struct thread_context *row_of_all(struct trace *trace)
{
	if (!trace->counted)
		trace->counted = new_row(trace, "(other threads)", false, UINT8_MAX);
	if (!trace->counted && trace->folds > 0)
		return trace->fold[0];
	return trace->counted;
}

void trace_count_for_all(struct trace *trace, uint32_t method)
{
	struct thread_context *row;

	lock_take(&trace->lock);
	row = row_of_all(trace);
	if (row) {
		lock_take(&row->tree.lock);
		if (counts_grow(&row->counts, &trace->budget, method, MEMORY_FORCED))
			counts_add(&row->counts, method);
		lock_give(&row->tree.lock);
	}
	lock_give(&trace->lock);
}

void trace_thread_found(
	struct trace *trace, const struct thread_identity *identity, int64_t number)
{
	struct thread_context *row;

	lock_take(&trace->lock);
	row = new_row(trace, identity->name, false, identity->wanted);
	if (row) {
		row->row.folded = 1;
		lock_take(&row->tree.lock);
		counts_open(&row->counts, &trace->budget, number, MEMORY_FORCED);
		lock_give(&row->tree.lock);
	}
	lock_give(&trace->lock);
}

void trace_sweep_counts(struct trace *trace)
{
	struct thread_context *row;

	lock_take(&trace->lock);
	row = row_of_all(trace);
	if (row) {
		lock_take(&row->tree.lock);
		counts_sweep(&row->counts, &trace->budget);
		lock_give(&row->tree.lock);
	}
	lock_give(&trace->lock);
}

static void add_counts(struct thread_context *row, const struct thread_context *from)
{
	row->unwound += from->unwound;
	row->repaired += from->repaired;
	row->unmatched += from->unmatched;
	row->lost += from->lost;
	for (unsigned i = 0; i < row->set->count; i++) { /* what `from` does not count is 0 */
		uint64_t used = from->last[i] - from->first[i];

		row->last[i] += used;
		row->row.told[i] += from->row.told[i] > used ? from->row.told[i] : used;
	}
	if (row->row.folded == 0 || from->row.started < row->row.started)
		row->row.started = from->row.started;
	if (from->row.ended > row->row.ended)
		row->row.ended = from->row.ended;
	row->mounts += from->mounts;
	row->carrier_ns += from->carrier_ns;
	row->row.waited += from->row.waited;
	row->row.folded += from->row.folded;
}

/* The row, which is not wider, is gone afterwards. */
static void fold_into(
	struct trace *trace, struct thread_context *row, struct thread_context *from)
{
	add_counts(row, from);
	row->tree.patience = 0;
	tree_merge(&row->tree, &from->tree, from->row.id);
	counts_merge(&row->counts, &trace->budget, &from->counts);
	call_times_merge(&row->times, &trace->budget, from->times);
	rows_remove(trace, from);
	rows_destroy(trace, from);
}

bool fold_thread(struct trace *trace, struct thread_context *context)
{
	struct thread_context *row;

	if (context->row.life != CONTEXT_ENDED || context->row.pins > 0 ||
		(trace->visiting && context->row.visited))
		return false;
	row = row_for(trace, &context->row.identity);
	if (row == NULL || !rows_widen(row, context))
		return false;
	if (context->row.identity.is_virtual)
		trace->ended_apart--;
	else
		trace->ended--;
	fold_into(trace, row, context);
	return true;
}

void fold_twins(struct trace *trace)
{
	for (unsigned i = trace->folds; i-- > 1;) {
		struct thread_context *twin = trace->fold[i];
		const struct thread_identity *identity = &twin->row.identity;
		struct thread_context *row = find_row(
			trace, identity->name, identity->is_virtual, &identity->wanted);

		/* One that is in use may not go. */
		if (row == twin || twin->counts.block || !rows_widen(row, twin))
			continue;
		if (twin == trace->counted)
			trace->counted = row;
		fold_into(trace, row, twin);
		trace->fold[i] = trace->fold[--trace->folds];
	}
}

/* Under LOCK_THREADS. Folds up to so many threads, from the last row backwards, while
 * more than so many ended ones have their own. Virtual ones, which are to stay apart, are
 * only folded where none is kept. Returns how many. */
static unsigned fold_some(struct trace *trace, uint32_t kept, unsigned batch)
{
	struct thread_context *before;
	unsigned folded = 0;

	for (struct thread_context *i = trace->last; i != NULL; i = before) {
		before = i->row.before;
		if (folded >= batch ||
			trace->ended + (kept == 0 ? trace->ended_apart : 0) <= kept)
			break;
		if (kept == 0 || !i->row.identity.is_virtual)
			folded += fold_thread(trace, i);
	}
	return folded;
}

void fold_excess(struct trace *trace)
{
	unsigned folded;

	do {
		lock_take(&trace->lock);
		folded = fold_some(trace, TRACE_KEPT_ENDED, FOLD_BATCH);
		lock_give(&trace->lock);
	} while (folded > 0);
}

static struct call_tree *largest_ended(struct trace *trace, size_t bytes)
{
	struct call_tree *largest = NULL;

	for (struct thread_context *i = trace->first; i != NULL; i = i->row.next) {
		if ((i->row.life != CONTEXT_ENDED && i->row.life != CONTEXT_FOLD) ||
			i->row.pins > 0 || i->tree.patience > 0)
			continue;
		if (tree_bytes(&i->tree) <= bytes || tree_bytes(&i->tree) <= arena_page())
			continue;
		largest = &i->tree;
		bytes = tree_bytes(largest);
	}
	return largest;
}

/* Where very many threads have ended, to look for the largest tree would take longer than
 * the thread that needs memory: an eighth of them is folded, so that this is seldom. */
static bool fold_crowd(struct trace *trace)
{
	uint32_t ended, left = CROWD;
	unsigned folded, all = 0;

	do {
		lock_take(&trace->lock);
		ended = trace->ended + trace->ended_apart;
		if (all == 0 && ended > CROWD)
			left = ended - ended / 8;
		folded = ended > left ? fold_some(trace, 0, CROWD_BATCH) : 0;
		lock_give(&trace->lock);
		all += folded;
	} while (folded > 0);
	return all > 0;
}

bool trace_relieve(struct trace *trace, size_t bytes)
{
	struct call_tree *tree;
	unsigned freed = 0;

	if (fold_crowd(trace))
		return true;

	lock_take(&trace->lock);
	tree = largest_ended(trace, bytes);
	if (tree != NULL)
		freed = tree_prune(tree, NULL, 0, NULL);
	if (freed == 0)
		freed = fold_some(trace, 0, FOLD_BATCH);
	lock_give(&trace->lock);
	return freed > 0;
}
