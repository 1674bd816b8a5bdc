/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * interval: see interval.h.
 *
 * A path may have been folded and then made anew, so that a node of the earlier state and one
 * of the later state have the same path and nothing in common. Nodes keep their order when a
 * tree is renumbered, and new ones come last; counts never fall. So the first node that is out
 * of order, or counts less than before, and all behind it, are new (find_fresh).
 *
 * That finds most of them, not all: where a new node is taken for the old one, what is to be
 * subtracted may be more than it has. The rest is then subtracted where else it can be, which
 * is the flat node of its method in the fold of one of its callers (settle). As every count can be at
 * these places only, the nearest caller first, this never fails where the counts are right.
 *
 * A thread that runs is copied node by node, and the time of a stretch that is under way may
 * be seen at the node that the thread is just leaving: then its caller makes up for it.
 */
#include "profile/interval.h"

#include <stdlib.h>
#include <string.h>

enum {
	STATES = 3,                /* interpreted, jitted, native */
	COUNTERS_FIXED = STATES + 4, /* and the transitions */
	COUNTERS_MAX = COUNTERS_FIXED + 2 * PROFILE_METRIC_MAX, /* base, spent */
	IO_COUNTERS = 4
};

/* One thread of the later state, and what is found out about it. Nodes by their index. */
struct tree {
	struct profile_node *node;
	uint32_t count;
	uint32_t *slot; /* hash of (parent, method): index, 0: empty */
	size_t slots; /* a power of two */
	uint32_t *fold; /* its fold, 0: none */
	uint32_t *beside; /* of a fold the first flat node, of a flat node the next one; 0: none */
	uint32_t *before; /* index + 1 of the node of that path in the earlier state */
	uint64_t *carry;  /* by node: what is still to be subtracted further up; NULL: nothing */
	bool folded;      /* paths were folded, or other threads */
};

struct match {
	struct profile *to;
	const struct profile *from;
	uint64_t *base; /* of to's nodes, each followed by what was spent */
	unsigned counters;
	uint32_t *into; /* by from's thread: to's thread + 1; 0: it is nowhere */
	uint32_t *place; /* by from's node: the index that its counts are at now */
	bool *exact;     /* by from's node: that is the same path */
	bool *keep;      /* by to's node */
	struct tree tree;
};

/* ---- counters ---- */

static void load(const struct match *match, const struct profile_node *node, uint64_t *value)
{
	value[0] = node->interpreted;
	value[1] = node->jitted;
	value[2] = node->native;
	for (int i = 0; i < 4; i++)
		value[STATES + i] = node->transition[i / 2][i % 2];
	for (unsigned i = COUNTERS_FIXED; i < match->counters; i++)
		value[i] = node->base[i - COUNTERS_FIXED]; /* and spent, behind base */
}

/* How most calls ran: a state + 1; 0: there were none. */
static uint8_t state_of_most(const struct profile_node *node)
{
	const uint64_t calls[STATES] = {node->interpreted, node->jitted, node->native};
	int most = 0;

	for (int i = 1; i < STATES; i++)
		if (calls[i] > calls[most])
			most = i;
	return calls[most] > 0 ? (uint8_t)(most + 1) : 0;
}

static void store(struct match *match, struct profile_node *node, const uint64_t *value)
{
	uint64_t *base = match->base + (node->base - match->base);

	if (value[0] + value[1] + value[2] == 0 && node->calls > 0)
		node->earlier = state_of_most(node);
	node->interpreted = value[0];
	node->jitted = value[1];
	node->native = value[2];
	node->calls = value[0] + value[1] + value[2];
	for (int i = 0; i < 4; i++)
		node->transition[i / 2][i % 2] = value[STATES + i];
	for (unsigned i = COUNTERS_FIXED; i < match->counters; i++)
		base[i - COUNTERS_FIXED] = value[i];
}

static void take(uint64_t *value, uint64_t *amount)
{
	uint64_t less = *amount < *value ? *amount : *value;

	*value -= less;
	*amount -= less;
}

/* Subtracts as much of the amounts as the node has. True if something is left of them. */
static bool take_from(struct match *match, struct profile_node *node, uint64_t *amount)
{
	uint64_t value[COUNTERS_MAX], left = 0;

	load(match, node, value);
	for (unsigned i = 0; i < match->counters; i++)
		take(&value[i], &amount[i]);
	/* Calls are of the right number even while one is being counted; states may not be. */
	for (int i = 0; i < STATES * STATES && !match->tree.folded; i++)
		take(&value[i % STATES], &amount[i / STATES]);
	for (unsigned i = 0; i < match->counters; i++)
		left |= amount[i];
	store(match, node, value);
	return left != 0;
}

/* A sum of the thread, or the like. */
static void less(struct match *match, uint64_t *value, uint64_t amount)
{
	take(value, &amount);
	match->to->interval.clamped += amount != 0;
}

/* ---- threads ---- */

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

/* ---- one tree: looking up ---- */

static size_t slot_of(const struct tree *tree, uint32_t parent, uint32_t method)
{
	uint64_t key = ((uint64_t)parent << 32 | method) * 0x9e3779b97f4a7c15u;

	return (size_t)(key >> 24) & (tree->slots - 1);
}

/* The child of that method, or 0. */
static uint32_t find_child(const struct tree *tree, uint32_t parent, uint32_t method)
{
	size_t slot = slot_of(tree, parent, method);
	uint32_t found;

	for (; (found = tree->slot[slot]) != 0; slot = (slot + 1) & (tree->slots - 1))
		if (tree->node[found].parent == parent && tree->node[found].method == method)
			return found;
	return 0;
}

static void index_children(struct tree *tree)
{
	for (uint32_t i = 1; i < tree->count; i++) {
		const struct profile_node *node = &tree->node[i];
		size_t slot = slot_of(tree, node->parent, node->method);

		while (tree->slot[slot] != 0)
			slot = (slot + 1) & (tree->slots - 1);
		tree->slot[slot] = i;
		if (node->method == PROFILE_METHOD_FOLDED)
			tree->fold[node->parent] = i;
	}
	for (uint32_t i = tree->count; i-- > 1;) {
		uint32_t parent = tree->node[i].parent;

		if (tree->node[parent].method != PROFILE_METHOD_FOLDED)
			continue;
		tree->beside[i] = tree->beside[parent];
		tree->beside[parent] = i;
	}
}

static int open_tree(struct match *match, size_t thread)
{
	const size_t *first = match->to->thread_first + thread;
	struct tree *tree = &match->tree;
	size_t slots = 16;

	*tree = (struct tree){.node = match->to->node + first[0],
		.count = (uint32_t)(first[1] - first[0])};
	while (slots < 2 * (size_t)tree->count)
		slots *= 2;
	tree->slots = slots;
	tree->slot = calloc(slots, sizeof *tree->slot);
	tree->fold = calloc((size_t)tree->count + 1, sizeof *tree->fold);
	tree->beside = calloc((size_t)tree->count + 1, sizeof *tree->beside);
	tree->before = calloc((size_t)tree->count + 1, sizeof *tree->before);
	if (!tree->slot || !tree->fold || !tree->beside || !tree->before)
		return -1;
	index_children(tree);
	return 0;
}

static void close_tree(struct tree *tree)
{
	free(tree->slot);
	free(tree->fold);
	free(tree->beside);
	free(tree->before);
	free(tree->carry);
	*tree = (struct tree){0};
}

/* ---- one tree: matching ---- */

/* The nodes of one of from's threads; place and exact are of its first one. */
struct earlier {
	const struct profile_node *node;
	uint32_t count;
	uint32_t *place;
	bool *exact;
};

static struct earlier earlier_of(const struct match *match, size_t thread)
{
	const size_t *first = match->from->thread_first + thread;

	return (struct earlier){.node = match->from->node + first[0],
		.count = (uint32_t)(first[1] - first[0]),
		.place = match->place + first[0],
		.exact = match->exact + first[0]};
}

static bool is_flat(const struct tree *tree, uint32_t node)
{
	return tree->node[tree->node[node].parent].method == PROFILE_METHOD_FOLDED;
}

/* The flat node of the method that is the nearest on the way up from the node, whose own fold is
 * the first that is looked at; 0: none. */
static uint32_t flat_above(const struct tree *tree, uint32_t node, uint32_t method)
{
	for (;; node = tree->node[node].parent) {
		uint32_t flat = tree->fold[node] ? find_child(tree, tree->fold[node], method)
						 : 0;

		if (flat != 0 || node == 0)
			return flat;
	}
}

/* Where what a method did below the node went, which was folded; `node` is what is left of the path.
 * The fold of a node that was folded is gone: it had nothing. */
static uint32_t folded_to(const struct tree *tree, uint32_t node, uint32_t method)
{
	uint32_t flat = flat_above(tree, node, method);

	return flat != 0 ? flat : node;
}

/* Finds each node's place; those of the later state from fresh on are no old ones. */
static void find_places(const struct tree *tree, struct earlier *earlier, uint32_t fresh)
{
	for (uint32_t i = 0; i < earlier->count; i++) {
		const struct profile_node *node = &earlier->node[i];
		uint32_t parent = earlier->place[node->parent], found = 0;

		earlier->exact[i] = i == 0;
		earlier->place[i] = 0;
		if (i == 0)
			continue;
		if (earlier->exact[node->parent])
			found = find_child(tree, parent, node->method);
		if (found >= fresh)
			found = 0;
		earlier->exact[i] = found != 0;
		earlier->place[i] = found != 0 ? found : folded_to(tree, parent, node->method);
	}
}

/* Only what never falls, even while it is being counted. */
static bool counts_less(const struct profile_node *node, const struct profile_node *before)
{
	bool is_less = node->calls < before->calls;

	for (int i = 0; i < 4; i++)
		is_less |= node->transition[i / 2][i % 2] < before->transition[i / 2][i % 2];
	return is_less;
}

/* The first node that was made since the earlier state, as far as can be told. The places are
 * by path alone. */
static uint32_t find_fresh(struct tree *tree, const struct earlier *earlier)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < earlier->count; i++)
		if (earlier->exact[i])
			tree->before[earlier->place[i]] = i + 1;
	for (uint32_t i = 1; i < tree->count; i++) {
		uint32_t before = tree->before[i];

		/* A fold and a flat node have the places of some that were folded. */
		if (tree->node[i].method == PROFILE_METHOD_FOLDED || is_flat(tree, i))
			continue;
		if (before <= last || counts_less(&tree->node[i], &earlier->node[before - 1]))
			return i;
		last = before;
	}
	return tree->count;
}

/* ---- one tree: subtracting ---- */

static int carry_at(struct match *match, uint32_t node, const uint64_t *amount)
{
	struct tree *tree = &match->tree;
	uint64_t *carry;

	if (!tree->carry)
		tree->carry =
			calloc((size_t)tree->count * match->counters, sizeof *tree->carry);
	if (!tree->carry)
		return -1;
	carry = tree->carry + (size_t)node * match->counters;
	for (unsigned i = 0; i < match->counters; i++)
		carry[i] += amount[i];
	return 0;
}

static int subtract_nodes(struct match *match, const struct earlier *earlier)
{
	struct tree *tree = &match->tree;
	uint64_t amount[COUNTERS_MAX];

	for (uint32_t i = 0; i < earlier->count; i++) {
		uint32_t place = earlier->place[i];

		load(match, &earlier->node[i], amount);
		if (take_from(match, &tree->node[place], amount) &&
			carry_at(match, place, amount) < 0)
			return -1;
	}
	return 0;
}

/* Nothing on the way up had it. Anywhere in the tree, the method's own nodes first; or else it cannot
 * be. */
static void take_anywhere(struct match *match, uint32_t method, uint64_t *amount)
{
	struct tree *tree = &match->tree;
	bool left = true;

	for (uint32_t i = 0; i < tree->count && left; i++)
		if (tree->node[i].method == method)
			left = take_from(match, &tree->node[i], amount);
	for (uint32_t i = 0; i < tree->count && left; i++)
		left = take_from(match, &tree->node[i], amount);
	for (unsigned i = 0; i < match->counters && left; i++)
		match->to->interval.clamped += amount[i] != 0;
}

/* Where else what is carried at the node can be, on the way up: of folded trees in a flat node of its
 * method, of others at its caller. 0: nowhere. */
static uint32_t carried_to(const struct tree *tree, uint32_t node)
{
	const struct profile_node *at = &tree->node[node];
	uint32_t from = at->parent;

	if (!tree->folded || node == 0)
		return from;
	if (is_flat(tree, node)) {
		if (tree->node[from].parent == 0)
			return 0;
		from = tree->node[tree->node[from].parent].parent;
	}
	return flat_above(tree, from, at->method);
}

static void settle_node(struct match *match, uint32_t node)
{
	struct tree *tree = &match->tree;
	uint64_t *amount = tree->carry + (size_t)node * match->counters;
	bool left = false;
	uint32_t to;

	for (unsigned c = 0; c < match->counters; c++)
		left |= amount[c] != 0;
	if (!left)
		return;
	to = carried_to(tree, node);
	if (to == 0)
		take_anywhere(match, tree->node[node].method, amount);
	else if (take_from(match, &tree->node[to], amount))
		carry_at(match, to, amount);
}

/* What is carried: from the leaves up, so that each node has all that comes from below. Flat nodes
 * come with the owner of their fold. */
static void settle(struct match *match)
{
	struct tree *tree = &match->tree;

	for (uint32_t i = tree->count; tree->carry && i-- > 0;) {
		if (is_flat(tree, i))
			continue;
		if (tree->fold[i] != 0)
			for (uint32_t flat = tree->beside[tree->fold[i]]; flat != 0;
				flat = tree->beside[flat])
				settle_node(match, flat);
		settle_node(match, i);
	}
}

static int subtract_tree(struct match *match, size_t to, size_t from)
{
	struct tree *tree = &match->tree;
	const struct profile_thread *thread = &match->to->thread[to];
	struct earlier earlier = earlier_of(match, from);
	uint32_t fresh = UINT32_MAX;

	if (tree->count == 0 || earlier.count == 0)
		return 0;
	find_places(tree, &earlier, fresh);
	if (thread->id != match->from->thread[from].id) {
		tree->folded = true;
	} else if (thread->pruned != match->from->thread[from].pruned ||
		   (thread->is_virtual && thread->pruned > 0)) {
		tree->folded = true;
		fresh = find_fresh(tree, &earlier);
		find_places(tree, &earlier, fresh);
	}
	return subtract_nodes(match, &earlier);
}

/* All of from's threads that are in one of to's. */
static int subtract_trees(struct match *match, size_t to, const uint32_t *order, size_t count)
{
	int status = count > 0 ? open_tree(match, to) : 0;

	for (size_t i = 0; i < count && status == 0; i++)
		status = subtract_tree(match, to, order[i]);
	if (status == 0 && count > 0)
		settle(match);
	close_tree(&match->tree);
	for (size_t i = 0; i < count; i++)
		subtract_thread(
			match, &match->to->thread[to], &match->from->thread[order[i]]);
	return status;
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
	for (size_t t = 0; t < match->to->thread_count && status == 0; t++)
		status = subtract_trees(
			match, t, order + first[t + 1], first[t + 2] - first[t + 1]);
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
	take(&io->ops, &amount->ops);
	take(&io->failures, &amount->failures);
	take(&io->bytes, &amount->bytes);
	take(&io->ns, &amount->ns);
	return (amount->ops | amount->failures | amount->bytes | amount->ns) != 0;
}

static bool is_folded_at(const struct match *match, size_t thread, const struct profile_io *io)
{
	const struct profile_node *first =
		match->to->node + match->to->thread_first[thread];

	return first[first[io->node].parent].method == PROFILE_METHOD_FOLDED;
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
			if (any || is_folded_at(match, thread, io))
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

static bool node_is_used(const struct match *match, const struct profile_node *node)
{
	uint64_t value[COUNTERS_MAX], used = 0;

	load(match, node, value);
	for (unsigned i = 0; i < match->counters; i++)
		used |= value[i];
	return used != 0;
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
			match->keep[i] |= node_is_used(match, &to->node[i]);
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
