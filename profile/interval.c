/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* interval: one state of a recording less an earlier one, and what is left out of it. */
#include <stdlib.h>

#include "profile/reader.h"

enum {
	STATES = 3,                                            /* interpreted, jitted, native */
	COUNTERS_FIXED = STATES + 4,                           /* and the transitions */
	COUNTERS_MAX = COUNTERS_FIXED + 2 * PROFILE_METRIC_MAX /* base, spent */
};

/* Where a node of the earlier state is in the later one. */
#define NOWHERE ROWS_NONE

struct subtraction {
	struct profile *to;
	const struct profile *from;
	uint64_t *base; /* of to's nodes, each followed by its own cost */
	unsigned counters;
	size_t *place; /* by from's node: the place among to's nodes */
	/* by to's node: what is still to be subtracted there or further up */
	uint64_t *carry;
};

/* Subtracts as much as there is; amount: what is left over. */
static void take(uint64_t *value, uint64_t *amount)
{
	uint64_t less = *amount < *value ? *amount : *value;

	*value -= less;
	*amount -= less;
}

/* ---- threads ---- */

/* A sum of the thread, or the like. */
static void less(struct subtraction *subtraction, uint64_t *value, uint64_t amount)
{
	take(value, &amount);
	subtraction->to->interval.clamped += amount != 0;
}

/* A thread is where its root is; the row of a group has none, and stays. */
static void subtract_threads(struct subtraction *subtraction)
{
	const struct profile *from = subtraction->from;
	struct profile *to = subtraction->to;
	const struct profile_thread *old;
	struct profile_thread *new;
	uint64_t gone;

	for (size_t f = 0; f < from->thread_count; f++) {
		size_t root = from->thread_first[f];
		ptrdiff_t t = profile_thread_find(to, from->thread[f].id);

		if (t < 0 && root < from->thread_first[f + 1] &&
			subtraction->place[root] != NOWHERE)
			t = to->node[subtraction->place[root]].thread;
		if (t < 0) {
			to->interval.clamped++;
			continue;
		}
		old = &from->thread[f];
		new = &to->thread[t];
		/* A row counts the threads that it stands for; those that ended before did nothing.
		 * Of virtual ones these are not known: those that began since are counted. */
		gone = old->id == new->id ? old->folded : !old->alive;
		if (new->folded > 1)
			new->folded = new->folded > gone ? new->folded - gone : 1;
		for (unsigned i = 0; i < PROFILE_THREAD_COUNTS; i++)
			less(subtraction, &new->count[i], old->count[i]);
		for (unsigned m = 0; m < to->metric_count; m++)
			if (new->group)
				new->total[m] -= old->total[m]; /* may be negative */
			else
				less(subtraction, &new->total[m], old->total[m]);
	}
}

/* ---- nodes ---- */

static void load(
	const struct subtraction *subtraction, const struct profile_node *node, uint64_t *value)
{
	value[0] = node->interpreted;
	value[1] = node->jitted;
	value[2] = node->native;
	for (int i = 0; i < 4; i++)
		value[STATES + i] = node->transition[i / 2][i % 2];
	for (unsigned i = COUNTERS_FIXED; i < subtraction->counters; i++)
		value[i] = node->base[i - COUNTERS_FIXED]; /* and spent, behind base */
}

static void store(
	struct subtraction *subtraction, struct profile_node *node, const uint64_t *value)
{
	uint64_t *base = subtraction->base + (node->base - subtraction->base);

	const uint64_t before[STATES] = {node->interpreted, node->jitted, node->native};
	uint8_t most = 0;

	/* How most calls ran before. */
	for (uint8_t i = 1; i < STATES; i++)
		if (before[i] > before[most])
			most = i;
	if (value[0] + value[1] + value[2] == 0 && before[most] > 0)
		node->earlier = most + 1;
	node->interpreted = value[0];
	node->jitted = value[1];
	node->native = value[2];
	node->calls = value[0] + value[1] + value[2];
	for (int i = 0; i < 4; i++)
		node->transition[i / 2][i % 2] = value[STATES + i];
	for (unsigned i = COUNTERS_FIXED; i < subtraction->counters; i++)
		base[i - COUNTERS_FIXED] = value[i];
}

/* Subtracts as much of the amounts as the node has. True if something is left of them. */
static bool take_from(struct subtraction *subtraction, size_t place, uint64_t *amount)
{
	struct profile *to = subtraction->to;
	struct profile_node *node = &to->node[place];
	bool part = to->thread[node->thread].group != 0;
	uint64_t value[COUNTERS_MAX], left = 0;

	load(subtraction, node, value);
	for (unsigned i = 0; i < subtraction->counters; i++) {
		if (part && i >= COUNTERS_FIXED) {
			value[i] -= amount[i]; /* may be negative */
			amount[i] = 0;
		}
		take(&value[i], &amount[i]);
	}
	/* Calls are of the right number even while one is being counted; states may not be. */
	for (int i = 0; i < STATES * STATES; i++)
		take(&value[i % STATES], &amount[i / STATES]);
	for (unsigned i = 0; i < subtraction->counters; i++)
		left |= amount[i];
	store(subtraction, node, value);
	return left != 0;
}

static int carry(struct subtraction *subtraction, size_t place, const uint64_t *amount)
{
	if (!subtraction->carry)
		subtraction->carry = calloc(subtraction->to->node_count * subtraction->counters,
			sizeof *subtraction->carry);
	if (!subtraction->carry)
		return -1;
	for (unsigned i = 0; i < subtraction->counters; i++)
		subtraction->carry[place * subtraction->counters + i] += amount[i];
	return 0;
}

/* Of any node of the thread that has it: the caller was folded, too, and has its counts beside. */
static void take_anywhere(struct subtraction *subtraction, size_t root, uint64_t *amount)
{
	const struct profile *to = subtraction->to;
	size_t end = to->thread_first[to->node[root].thread + 1];
	bool left = true;

	for (size_t i = root; i < end && left; i++)
		left = take_from(subtraction, i, amount);
	for (unsigned i = 0; i < subtraction->counters && left; i++)
		subtraction->to->interval.clamped += amount[i] != 0;
}

/* From the leaves up: a node has all that comes from below. */
static int settle(struct subtraction *subtraction)
{
	const struct profile *to = subtraction->to;
	int status = 0;

	for (size_t i = to->node_count; i-- > 0 && status == 0;) {
		uint64_t *amount = subtraction->carry + i * subtraction->counters;

		if (!take_from(subtraction, i, amount))
			continue;
		if (to->node[i].parent == i)
			take_anywhere(subtraction, i, amount);
		else
			status = carry(subtraction, to->node[i].parent, amount);
	}
	return status;
}

/* A thread that runs is copied node by node, and the time of a delta that is under way may
 * be seen at the node that the thread is just leaving: then its caller makes up for it. */
static int subtract_nodes(struct subtraction *subtraction)
{
	const struct profile *from = subtraction->from;
	uint64_t amount[COUNTERS_MAX];
	int status = 0;

	for (size_t i = 0; i < from->node_count && status == 0; i++) {
		size_t place = subtraction->place[i];

		load(subtraction, &from->node[i], amount);
		if (place == NOWHERE)
			subtraction->to->interval.clamped++;
		else if (take_from(subtraction, place, amount))
			status = carry(subtraction, place, amount);
	}
	return status == 0 && subtraction->carry ? settle(subtraction) : status;
}

int interval_settle(struct profile *profile, uint64_t *base)
{
	struct subtraction subtraction = {.to = profile,
		.base = base,
		.counters = COUNTERS_FIXED + 2 * profile->metric_count};
	uint64_t value[COUNTERS_MAX], lack[COUNTERS_MAX];
	int status = 0;

	for (size_t i = 0; i < profile->node_count && status == 0; i++) {
		struct profile_node *node = &profile->node[i];
		uint8_t earlier = node->earlier;
		uint64_t any = 0;

		load(&subtraction, node, value);
		for (unsigned c = 0; c < subtraction.counters; c++) {
			bool less =
				(int64_t)value[c] < 0 &&
				!(profile->thread[node->thread].group && c >= COUNTERS_FIXED);

			lack[c] = less ? -value[c] : 0;
			value[c] = less ? 0 : value[c];
			any |= lack[c];
		}
		if (any == 0)
			continue;
		store(&subtraction, node, value);
		node->earlier = earlier;
		status = carry(&subtraction, i, lack);
	}
	if (status == 0 && subtraction.carry)
		status = settle(&subtraction);
	free(subtraction.carry);
	return status;
}

/* ---- accounts ---- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_account(const void *left, const void *right)
{
	const struct profile_account *a = left, *b = right;
	int order = compare(a->node, b->node);

	if (order == 0)
		order = compare(a->kind, b->kind);
	return order != 0 ? order : compare(a->subject, b->subject);
}

/* Subtracts from the accounts of the same node, operation and file. True if something is left. */
static bool take_account(struct profile *to, struct profile_account *amount)
{
	size_t low = 0, high = to->account_count;
	bool left = true;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare_account(&to->account[middle], amount) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < to->account_count && left &&
		compare_account(&to->account[low], amount) == 0;
		low++) {
		struct profile_account *io = &to->account[low];

		take(&io->count, &amount->count);
		take(&io->failures, &amount->failures);
		take(&io->amount, &amount->amount);
		take(&io->ns, &amount->ns);
		left = (amount->count | amount->failures | amount->amount | amount->ns) != 0;
	}
	return left;
}

/* What was charged to a file that was folded since is its group's. */
static void subtract_accounts(struct subtraction *subtraction)
{
	const struct profile *from = subtraction->from;
	struct profile *to = subtraction->to;

	if (to->account_count > 0)
		qsort(to->account, to->account_count, sizeof *to->account, compare_account);
	for (size_t i = 0; i < from->account_count; i++) {
		struct profile_account amount = from->account[i];
		size_t place = subtraction->place[amount.node];
		bool left = true;

		amount.node = (uint32_t)place;
		if (place != NOWHERE)
			left = take_account(to, &amount);
		if (account_kind_subject(amount.kind) != SUBJECT_FILE || place == NOWHERE)
			amount.subject = 0;
		for (size_t f = 0; f < to->file_count && left && amount.subject &&
				   to->file[amount.subject - 1].into;
			f++) {
			amount.subject = to->file[amount.subject - 1].into;
			left = take_account(to, &amount);
		}
		to->interval.clamped += left;
	}
}

/* ---- the whole ---- */

int interval_subtract(struct profile *to, uint64_t *base, const struct profile *from)
{
	struct subtraction subtraction = {.to = to,
		.from = from,
		.base = base,
		.counters = COUNTERS_FIXED + 2 * to->metric_count,
		.place = calloc(from->node_count + 1, sizeof *subtraction.place)};
	int status = subtraction.place ? 0 : -1;

	if (status == 0) {
		/* Ids are never used again: where there is one, it is the same path. */
		for (size_t i = 0; i < from->node_count; i++)
			subtraction.place[i] = profile_node_find(to, to->node_count,
				from->thread[from->node[i].thread].id, from->node[i].id);
		subtract_threads(&subtraction);
		status = subtract_nodes(&subtraction);
	}
	if (status == 0)
		subtract_accounts(&subtraction);
	free(subtraction.place);
	free(subtraction.carry);
	return status;
}

/* ---- what is left out ---- */

static bool node_is_used(const struct profile *profile, const struct profile_node *node)
{
	uint64_t used = node->calls;

	for (int i = 0; i < 4; i++)
		used |= node->transition[i / 2][i % 2];
	for (unsigned i = 0; i < profile->metric_count; i++)
		used |= node->base[i] | node->spent[i];
	return used != 0;
}

static bool thread_is_used(const struct profile *profile, const struct profile_thread *thread)
{
	uint64_t used = 0;

	/* But for what it waited. */
	for (unsigned i = 0; i + 1 < PROFILE_THREAD_COUNTS; i++)
		used |= thread->count[i];
	for (unsigned m = 0; m < profile->metric_count; m++)
		used |= thread->total[m];
	return used != 0;
}

/* Threads that others wait for, or that wait, are named by rows of locks; their roots stand for them. */
static void keep_thread(const struct profile *profile, uint32_t id, bool *keep)
{
	ptrdiff_t t = id ? profile_thread_find(profile, id) : -1;

	if (t >= 0 && profile->thread_first[t] < profile->thread_first[t + 1])
		keep[profile->thread_first[t]] = true;
}

static void keep_waiting(const struct profile *profile, bool *keep)
{
	for (size_t i = 0; i < profile->contention_count; i++) {
		keep_thread(profile, profile->contention[i].thread, keep);
		keep_thread(profile, profile->contention[i].holder_thread, keep);
	}
	for (size_t i = 0; i < profile->unfinished_wait_count; i++) {
		keep_thread(profile, profile->unfinished_wait[i].thread, keep);
		keep_thread(profile, profile->unfinished_wait[i].holder_thread, keep);
	}
	for (size_t i = 0; i < profile->long_wait_count; i++) {
		keep_thread(profile, profile->long_wait[i].thread, keep);
		keep_thread(profile, profile->long_wait[i].holder_thread, keep);
	}
}

int interval_drop_unused(struct profile *profile)
{
	uint32_t *by_place = calloc(profile->node_count + 1, sizeof *by_place);
	bool *keep = calloc(profile->node_count + 1, sizeof *keep);
	size_t accounts = 0, nodes = 0, threads = 0;
	bool ready = by_place && keep;

	/* Keeps what did something, and all its callers. A thread's root stands for the thread. */
	for (size_t i = 0; ready && i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		if ((account->count | account->failures | account->amount | account->ns) == 0)
			continue;
		keep[account->node] = true;
		profile->account[accounts++] = *account;
	}
	if (ready)
		keep_waiting(profile, keep);
	for (size_t i = profile->node_count; ready && i-- > 0;) {
		const struct profile_node *node = &profile->node[i];

		keep[i] |= node_is_used(profile, node) ||
			   (node->parent == i &&
				   thread_is_used(profile, &profile->thread[node->thread]));
		keep[node->parent] |= keep[i];
	}
	for (size_t t = 0; ready && t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t], end = profile->thread_first[t + 1];
		size_t first_node = nodes;

		for (size_t i = first; i < end; i++) {
			if (!keep[i])
				continue;
			by_place[i] = (uint32_t)nodes;
			profile->node[nodes] = profile->node[i];
			profile->node[nodes].thread = (uint32_t)threads;
			profile->node[nodes++].parent = by_place[profile->node[i].parent];
		}
		if (nodes == first_node && !thread_is_used(profile, &profile->thread[t]))
			continue;
		profile->thread_first[threads] = first_node;
		profile->thread[threads++] = profile->thread[t];
	}
	for (size_t i = 0; ready && i < accounts; i++)
		profile->account[i].node = by_place[profile->account[i].node];
	free(by_place);
	free(keep);
	if (!ready)
		return -1;
	profile->thread_first[threads] = nodes;
	profile->thread_count = threads;
	profile->node_count = nodes;
	profile->account_count = accounts;
	return 0;
}

/* ---- sequences, records ---- */

void interval_subtract_sequences(
	struct profile *to, uint64_t *value, const struct profile *from)
{
	unsigned metrics = to->metric_count;
	size_t kept = 0, at = 0;

	for (size_t i = 0; i < to->sequence_count; i++) {
		struct profile_sequence *sequence = &to->sequence[i];
		const struct profile_sequence *before = NULL;
		uint64_t *sum = value + 2 * i * metrics;

		/* They are ordered by code. */
		while (at < from->sequence_count && from->sequence[at].code < sequence->code)
			at++;
		if (at < from->sequence_count && from->sequence[at].code == sequence->code)
			before = &from->sequence[at];
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
