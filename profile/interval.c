/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* interval: see interval.h. Trees are subtracted in interval_tree.c. */
#include "profile/interval.h"

#include <stdlib.h>
#include <string.h>

#include "profile/interval_tree.h"

/* ---- threads ---- */

/* A sum of the thread, or the like. */
static void less(struct match *match, uint64_t *value, uint64_t amount)
{
	match_take(value, &amount);
	match->to->interval.clamped += amount != 0;
}

/* Each run of digits becomes one '*', as where threads are folded (agent/trace/trace_fold.c). */
static bool is_pattern_of(const char *pattern, const char *name)
{
	for (; *name != '\0'; name++) {
		bool digit = *name >= '0' && *name <= '9';

		if (digit && name[1] >= '0' && name[1] <= '9')
			continue;
		if (*pattern++ != (digit ? '*' : *name))
			return false;
	}
	return *pattern == '\0';
}

/* How well the row suits as the one that a thread which is gone was folded into; 0: not at
 * all. Rows of virtual threads, which may live, hold no others. */
static int row_fit(const struct profile_thread *row, const struct profile_thread *thread)
{
	bool same_kind = row->is_virtual == thread->is_virtual, by_name;

	if (row->java_id != 0 || row->os_id != 0)
		return 0;
	if (row->is_virtual ? !same_kind : row->alive)
		return 0;
	by_name = is_pattern_of(row->name, thread->name);
	if (!by_name && strcmp(row->name, "*") != 0)
		return 0;
	return 1 + by_name + 2 * same_kind;
}

/* The row that the thread was folded into: to's thread + 1; 0: there is none. */
static uint32_t fold_row(const struct profile *to, const struct profile_thread *thread)
{
	uint32_t found = 0;
	int best = 0;

	for (size_t t = 0; t < to->thread_count; t++) {
		int fit = row_fit(&to->thread[t], thread);

		if (fit <= best)
			continue;
		best = fit;
		found = (uint32_t)t + 1;
	}
	return found;
}

static void subtract_thread(
	struct match *match, struct profile_thread *to, const struct profile_thread *from)
{
	/* A row counts the threads that it stands for; those that ended before did nothing.
	 * Of virtual ones these are not known: those that began since are counted. */
	uint64_t gone = from->id == to->id ? from->folded : !from->alive;

	if (to->folded > 1)
		to->folded = to->folded > gone ? to->folded - gone : 1;
	less(match, &to->events, from->events);
	less(match, &to->unwound, from->unwound);
	less(match, &to->repaired, from->repaired);
	less(match, &to->unmatched, from->unmatched);
	less(match, &to->lost, from->lost);
	less(match, &to->pruned, from->pruned);
	less(match, &to->mounts, from->mounts);
	less(match, &to->carrier_ns, from->carrier_ns);
	less(match, &to->waited_ns, from->waited_ns);
	for (unsigned m = 0; m < match->to->metric_count; m++)
		less(match, &to->total[m], from->total[m]);
}

static void find_threads(struct match *match)
{
	struct profile *to = match->to;

	for (size_t f = 0; f < match->from->thread_count; f++) {
		const struct profile_thread *thread = &match->from->thread[f];
		ptrdiff_t same = profile_thread_find(to, thread->id);

		match->into[f] = same >= 0 ? (uint32_t)same + 1 : fold_row(to, thread);
		if (match->into[f] == 0)
			to->interval.clamped++;
	}
}

/* from's threads, ordered by the one of to that they are in; *starts: where those of each one
 * begin. Both owned by the caller (free). */
static uint32_t *order_threads(const struct match *match, size_t **starts)
{
	size_t *first = calloc(match->to->thread_count + 3, sizeof *first);
	uint32_t *order = calloc(match->from->thread_count + 1, sizeof *order);

	*starts = first;
	if (!first || !order) {
		free(order);
		return NULL;
	}
	for (size_t f = 0; f < match->from->thread_count; f++)
		first[match->into[f] + 2]++;
	for (size_t t = 0; t < match->to->thread_count + 1; t++)
		first[t + 2] += first[t + 1];
	for (size_t f = 0; f < match->from->thread_count; f++)
		order[first[match->into[f] + 1]++] = (uint32_t)f;
	return order;
}

static int subtract_all(struct match *match)
{
	size_t *first;
	uint32_t *order = order_threads(match, &first);
	int status = order ? 0 : -1;

	/* Number 0 is nowhere. */
	for (size_t t = 0; t < match->to->thread_count && status == 0; t++) {
		if (first[t + 1] < first[t + 2])
			status = match_subtract_trees(match, t, order + first[t + 1],
				first[t + 2] - first[t + 1]);
		for (size_t i = first[t + 1]; i < first[t + 2]; i++)
			subtract_thread(
				match, &match->to->thread[t], &match->from->thread[order[i]]);
	}
	free(order);
	free(first);
	return status;
}

/* ---- I/O ---- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_io(const void *left, const void *right)
{
	const struct profile_io *a = left, *b = right;
	int order = compare(a->thread, b->thread);

	if (order == 0)
		order = compare(a->op, b->op);
	if (order == 0)
		order = compare(a->file, b->file);
	if (order == 0)
		order = compare(a->node, b->node);
	return order != 0 ? order : compare(a->index, b->index);
}

/* The first one that is not before the key. */
static size_t find_io(const struct profile *to, const struct profile_io *key)
{
	size_t low = 0, high = to->io_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare_io(&to->io[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* True if something is left of the amounts. */
static bool take_io(struct profile_io *io, struct profile_io *amount)
{
	match_take(&io->ops, &amount->ops);
	match_take(&io->failures, &amount->failures);
	match_take(&io->bytes, &amount->bytes);
	match_take(&io->ns, &amount->ns);
	return (amount->ops | amount->failures | amount->bytes | amount->ns) != 0;
}

static bool is_flat_at(const struct match *match, size_t thread, const struct profile_io *io)
{
	const struct profile_node *root = match->to->node + match->to->thread_first[thread];

	return profile_is_flat(root, &root[io->node]);
}

/* Takes the amounts from all of its thread, operation and file: first what was folded. */
static bool take_io_of_file(struct match *match, size_t thread, struct profile_io *amount)
{
	struct profile *to = match->to;
	const struct profile_io start = {
		.thread = amount->thread, .op = amount->op, .file = amount->file};
	size_t first = find_io(to, &start);
	bool left = true;

	for (int any = 0; any < 2 && left; any++)
		for (size_t i = first; i < to->io_count && left; i++) {
			struct profile_io *io = &to->io[i];

			if (io->thread != start.thread || io->op != start.op ||
				io->file != start.file)
				break;
			if (any || is_flat_at(match, thread, io))
				left = take_io(io, amount);
		}
	return left;
}

/* True if something is left of the amounts. */
static bool take_io_of_node(struct match *match, size_t thread, struct profile_io *amount)
{
	struct profile *to = match->to;
	size_t at = find_io(to, amount);

	if (at < to->io_count && to->io[at].thread == amount->thread &&
		to->io[at].op == amount->op && to->io[at].file == amount->file &&
		to->io[at].node == amount->node && !take_io(&to->io[at], amount))
		return false;
	return take_io_of_file(match, thread, amount);
}

/* Accounts of files that were folded since are those of their group; those that had no
 * room were added up by file, and then under no file. */
static void subtract_io(struct match *match, size_t from, const struct profile_io *io)
{
	struct profile *to = match->to;
	uint32_t into = match->into[from];
	struct profile_io amount = *io;

	if (into == 0)
		return;
	amount.thread = to->thread[into - 1].id;
	amount.node = match->place[match->from->thread_first[from] + io->node];
	amount.index = 0;
	if (!take_io_of_node(match, into - 1, &amount))
		return;
	amount.file = io->file ? to->file[io->file - 1].into : 0;
	if (amount.file && !take_io_of_node(match, into - 1, &amount))
		return;
	amount.file = 0;
	to->interval.clamped += take_io_of_file(match, into - 1, &amount);
}

static void subtract_all_io(struct match *match)
{
	const struct profile *from = match->from;
	size_t thread = 0;

	if (match->to->io_count > 0)
		qsort(match->to->io, match->to->io_count, sizeof *match->to->io, compare_io);
	for (size_t i = 0; i < from->io_count; i++) {
		while (from->thread[thread].id != from->io[i].thread)
			thread++;
		subtract_io(match, thread, &from->io[i]);
	}
}

/* ---- what is left out ---- */

static bool io_is_used(const struct profile_io *io)
{
	return (io->ops | io->failures | io->bytes | io->ns) != 0;
}

static bool thread_is_used(const struct match *match, const struct profile_thread *thread)
{
	uint64_t used = thread->events | thread->unwound | thread->repaired |
			thread->unmatched | thread->lost | thread->pruned |
			thread->mounts | thread->carrier_ns;

	for (unsigned m = 0; m < match->to->metric_count; m++)
		used |= thread->total[m];
	return used != 0;
}

/* Keeps the I/O that was done, and marks its nodes. */
static void drop_io(struct match *match)
{
	struct profile *to = match->to;
	size_t kept = 0, thread = 0;

	for (size_t i = 0; i < to->io_count; i++) {
		const struct profile_io *io = &to->io[i];

		while (to->thread[thread].id != io->thread)
			thread++;
		if (!io_is_used(io))
			continue;
		match->keep[to->thread_first[thread] + io->node] = true;
		to->io[kept++] = *io;
	}
	to->io_count = kept;
}

/* Marks what is used, and what leads to it. A thread's root stands for the thread. */
static void mark_used(struct match *match)
{
	struct profile *to = match->to;

	for (size_t t = 0; t < to->thread_count; t++) {
		size_t first = to->thread_first[t];

		for (size_t i = to->thread_first[t + 1]; i-- > first;) {
			match->keep[i] |= match_node_is_used(match, &to->node[i]);
			if (match->keep[i])
				match->keep[first + to->node[i].parent] = true;
		}
		if (to->thread_first[t + 1] > first)
			match->keep[first] |= thread_is_used(match, &to->thread[t]);
	}
}

/* index: by position, the index that a node that stays will have in its thread. */
static void number_nodes(const struct match *match, uint32_t *index)
{
	const struct profile *to = match->to;

	for (size_t t = 0; t < to->thread_count; t++) {
		uint32_t next = 0;

		for (size_t i = to->thread_first[t]; i < to->thread_first[t + 1]; i++)
			if (match->keep[i])
				index[i] = next++;
	}
}

static void renumber_io(struct match *match, const uint32_t *index)
{
	struct profile *to = match->to;
	size_t thread = 0;

	for (size_t i = 0; i < to->io_count; i++) {
		while (to->thread[thread].id != to->io[i].thread)
			thread++;
		to->io[i].node = index[to->thread_first[thread] + to->io[i].node];
	}
}

/* Moves the thread's nodes that stay behind the first `kept`; returns how many there are then. */
static size_t move_nodes(struct match *match, size_t thread, size_t kept, const uint32_t *index)
{
	struct profile *to = match->to;
	size_t first = to->thread_first[thread];

	for (size_t i = first; i < to->thread_first[thread + 1]; i++) {
		if (!match->keep[i])
			continue;
		to->node[kept] = to->node[i];
		to->node[kept].index = index[i];
		to->node[kept].parent = index[first + to->node[i].parent];
		kept++;
	}
	return kept;
}

static void drop_threads(struct match *match, const uint32_t *index)
{
	struct profile *to = match->to;
	size_t nodes = 0, threads = 0;

	for (size_t t = 0; t < to->thread_count; t++) {
		size_t before = nodes;

		nodes = move_nodes(match, t, nodes, index);
		if (nodes == before && !thread_is_used(match, &to->thread[t]))
			continue;
		to->thread_first[threads] = before;
		to->thread[threads++] = to->thread[t];
	}
	to->thread_first[threads] = nodes;
	to->thread_count = threads;
	to->node_count = nodes;
}

static int drop_unused(struct match *match)
{
	uint32_t *index = calloc(match->to->node_count + 1, sizeof *index);

	if (!index)
		return -1;
	drop_io(match);
	mark_used(match);
	number_nodes(match, index);
	renumber_io(match, index);
	drop_threads(match, index);
	free(index);
	return 0;
}

/* ---- the whole ---- */

static int open_match(struct match *match)
{
	/* Nodes are numbered with 32 bits here. */
	if (match->to->node_count >= UINT32_MAX)
		return -1;
	match->into = calloc(match->from->thread_count + 1, sizeof *match->into);
	match->place = calloc(match->from->node_count + 1, sizeof *match->place);
	match->exact = calloc(match->from->node_count + 1, sizeof *match->exact);
	match->keep = calloc(match->to->node_count + 1, sizeof *match->keep);
	return match->into && match->place && match->exact && match->keep ? 0 : -1;
}

int interval_subtract(struct profile *to, uint64_t *base, const struct profile *from)
{
	struct match match = {.to = to,
		.from = from,
		.base = base,
		.counters = COUNTERS_FIXED + 2 * to->metric_count};
	int status = open_match(&match);

	if (status == 0) {
		find_threads(&match);
		status = subtract_all(&match);
	}
	if (status == 0) {
		subtract_all_io(&match);
		status = drop_unused(&match);
	}
	free(match.into);
	free(match.place);
	free(match.exact);
	free(match.keep);
	return status;
}

/* The sequence of that code, or NULL. They are ordered by code. */
static const struct profile_sequence *find_sequence(
	const struct profile *profile, uint32_t code, size_t *at)
{
	while (*at < profile->sequence_count && profile->sequence[*at].code < code)
		++*at;
	if (*at < profile->sequence_count && profile->sequence[*at].code == code)
		return &profile->sequence[*at];
	return NULL;
}

void interval_subtract_sequences(
	struct profile *to, uint64_t *value, const struct profile *from)
{
	unsigned metrics = to->metric_count;
	size_t kept = 0, at = 0;

	for (size_t i = 0; i < to->sequence_count; i++) {
		struct profile_sequence *sequence = &to->sequence[i];
		const struct profile_sequence *before =
			find_sequence(from, sequence->code, &at);
		uint64_t *sum = value + 2 * i * metrics;

		for (unsigned m = 0; before && m < metrics; m++)
			sum[m] -= before->sum[m] < sum[m] ? before->sum[m] : sum[m];
		if (before)
			sequence->count -= before->count < sequence->count ? before->count
									   : sequence->count;
		if (sequence->count > 0)
			to->sequence[kept++] = *sequence;
	}
	to->sequence_count = kept;
}

void interval_cut_records(struct profile *profile)
{
	const struct profile_interval *interval = &profile->interval;
	size_t kept = 0;

	for (size_t i = 0; i < profile->record_count; i++) {
		uint64_t begin = profile->record[i].begin;

		if (begin < interval->begin || (interval->to && begin >= interval->end))
			continue;
		profile->record[kept++] = profile->record[i];
	}
	profile->record_count = kept;
}
