/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * interval_tree: see interval_tree.h.
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
#include "profile/interval_tree.h"

#include <stdlib.h>

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

/* Subtracts as much of the amounts as the node has. True if something is left of them. */
static bool take_from(struct match *match, struct profile_node *node, uint64_t *amount)
{
	uint64_t value[COUNTERS_MAX], left = 0;

	load(match, node, value);
	for (unsigned i = 0; i < match->counters; i++)
		match_take(&value[i], &amount[i]);
	/* Calls are of the right number even while one is being counted; states may not be. */
	for (int i = 0; i < STATES * STATES && !match->tree->folded; i++)
		match_take(&value[i % STATES], &amount[i / STATES]);
	for (unsigned i = 0; i < match->counters; i++)
		left |= amount[i];
	store(match, node, value);
	return left != 0;
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
	struct tree *tree = match->tree;
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
	return profile_is_flat(tree->node, &tree->node[node]);
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
	struct tree *tree = match->tree;
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
	struct tree *tree = match->tree;
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
	struct tree *tree = match->tree;
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
	struct tree *tree = match->tree;
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
	struct tree *tree = match->tree;

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
	struct tree *tree = match->tree;
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

int match_subtract_trees(
	struct match *match, size_t to, const uint32_t *order, size_t count)
{
	struct tree tree = {0};
	int status;

	match->tree = &tree;
	status = open_tree(match, to);
	for (size_t i = 0; i < count && status == 0; i++)
		status = subtract_tree(match, to, order[i]);
	if (status == 0)
		settle(match);
	close_tree(&tree);
	match->tree = NULL;
	return status;
}

bool match_node_is_used(const struct match *match, const struct profile_node *node)
{
	uint64_t value[COUNTERS_MAX], used = 0;

	load(match, node, value);
	for (unsigned i = 0; i < match->counters; i++)
		used |= value[i];
	return used != 0;
}
