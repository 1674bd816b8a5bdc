/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * tree_prune: what a tree gives up when memory is short, and how trees become one.
 *
 * Every node has a fineness: 0 where a frame is on it, else 1 and more, the smaller its
 * share of its parent's cum; at least its parent's. A cut is chosen such that the nodes
 * at or above it are about half of all, and these are folded: the first folded child of a
 * node that stays becomes its "(pruned)" child (unless it has one), the others and
 * everything below are added to that. Then the nodes that stay are moved together, in
 * order.
 *
 * No memory is taken for this: the links, which can be made anew, are the scratch.
 */
#include "agent/trace/call_tree.h"

#include <string.h>

enum {
	FINENESS_STEPS = 8, /* in a factor of two */
	FINENESS_MAX = 64 * FINENESS_STEPS - 1,
	MARK_FRAME = 1,      /* on the shadow stack: stays */
	MARK_HAS_PRUNED = 2, /* has a "(pruned)" child already */
	MARK_FOLDED = 4,     /* added to another node: its slot is free */
	HOLD_PATIENCE = 1000 /* a copy takes about a millisecond a megabyte */
};

static void add64(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/* Adds all counts of a node to another one. */
static void add_node(uint32_t metrics, struct tree_node *to, const struct tree_node *from)
{
	struct tree_states states = tree_node_states(from);

	if (to->method == METHOD_PRUNED)
		add64(&to->pruned_native, states.native);
	else if (from->method != METHOD_PRUNED)
		to->children |= from->children & TREE_NATIVE;
	add64(&to->calls, from->calls);
	add64(&to->jitted, from->jitted);
	for (int i = 0; i < 4; i++)
		add64(&to->transition[i / 2][i % 2], from->transition[i / 2][i % 2]);
	for (uint32_t i = 0; i < 2 * metrics; i++) /* spent, too */
		add64(&to->base[i], from->base[i]);
}

/* ---- merging ---- */

uint32_t tree_place(struct call_tree *tree, uint32_t parent, uint32_t method)
{
	uint32_t place;

	if (tree_at(tree, parent)->method == METHOD_PRUNED)
		return parent;
	place = tree_find(tree, parent, method);
	if (place == 0)
		place = tree_add(tree, parent, method);
	return place != 0 ? place : tree_pruned_place(tree, parent);
}

void tree_add_counts(struct call_tree *tree, uint32_t to, const struct tree_node *from)
{
	add_node(tree->metrics, tree_at(tree, to), from);
}

static uint32_t merged_to(const void *from, uint32_t node)
{
	return tree_at(from, node)->prune.to;
}

void tree_merge(struct call_tree *tree, struct call_tree *from)
{
	for (uint32_t i = 0; i < from->count; i++) {
		struct tree_node *node = tree_at(from, i);
		uint32_t place = TREE_ROOT;

		if (i != TREE_ROOT)
			place = tree_place(tree, tree_at(from, node->parent)->prune.to,
				node->method);
		add_node(tree->metrics, tree_at(tree, place), node);
		node->prune.to = place;
	}
	io_accounts_merge(&tree->io, tree->budget, &from->io, merged_to, from);
	add64(&tree->pruned, from->pruned);
}

/* ---- pruning: weigh, choose, fold, compact ---- */

/* log2 in steps: the next three bits below the highest one, so within a twelfth. */
static unsigned log_steps(uint64_t n)
{
	unsigned high = 63 - (unsigned)__builtin_clzll(n);
	unsigned fraction = (unsigned)(high >= 3 ? n >> (high - 3) : n << (3 - high));

	return high * FINENESS_STEPS + (fraction & (FINENESS_STEPS - 1));
}

static unsigned fineness(uint64_t cum, uint64_t parent_cum)
{
	unsigned steps;

	if (cum == 0)
		return FINENESS_MAX;
	if (cum >= parent_cum)
		return 1;
	steps = log_steps(parent_cum) - log_steps(cum) + 1;
	return steps < FINENESS_MAX ? steps : FINENESS_MAX - 1;
}

static void weigh(struct call_tree *tree)
{
	for (uint32_t i = 0; i < tree->count; i++) {
		struct tree_node *node = tree_at(tree, i);

		node->prune.cum = node->base[0];
		node->prune.fineness = node->prune.finest = 0;
		node->prune.marks = 0;
	}
	for (uint32_t i = tree->count - 1; i > TREE_ROOT; i--) {
		struct tree_node *node = tree_at(tree, i);

		tree_at(tree, node->parent)->prune.cum += node->prune.cum;
	}
}

static void mark_frames(
	struct call_tree *tree, const struct shadow_frame *frame, size_t frames)
{
	tree_at(tree, TREE_ROOT)->prune.marks |= MARK_FRAME;
	tree_at(tree, TREE_PRUNED)->prune.marks |= MARK_FRAME;
	for (size_t i = 0; i < frames; i++)
		tree_at(tree, frame[i].node)->prune.marks |= MARK_FRAME;
}

/* A "(pruned)" node is folded with its parent, never by itself. */
static void grade(struct call_tree *tree)
{
	for (uint32_t i = 1; i < tree->count; i++) {
		struct tree_node *node = tree_at(tree, i);
		struct tree_node *parent = tree_at(tree, node->parent);
		unsigned own = 0;

		if (node->method == METHOD_PRUNED)
			parent->prune.marks |= MARK_HAS_PRUNED;
		else if (!(node->prune.marks & MARK_FRAME))
			own = fineness(node->prune.cum, parent->prune.cum);
		if (own > parent->prune.finest)
			parent->prune.finest = (uint16_t)own;
		if (own < parent->prune.fineness)
			own = parent->prune.fineness;
		node->prune.fineness = (uint16_t)own;
	}
}

/* The highest cut that halves the nodes, else the one that takes most. Returns how many
 * nodes go by it, less the "(pruned)" ones that come. */
static int64_t choose(const struct call_tree *tree, unsigned *cut)
{
	int32_t change[FINENESS_MAX + 2] = {0};
	int64_t going = 0, best = 0;

	for (uint32_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = tree_at(tree, i);

		change[node->prune.fineness]++;
	}
	/* With a cut above its own fineness and up to its finest child's a node stays and
	 * gets a "(pruned)" child. */
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct tree_node *node = tree_at(tree, i);

		if (node->prune.finest <= node->prune.fineness ||
			node->prune.marks & MARK_HAS_PRUNED)
			continue;
		change[node->prune.finest]--;
		change[node->prune.fineness]++;
	}
	for (unsigned at = FINENESS_MAX; at > 0; at--) {
		going += change[at];
		if (going <= best)
			continue;
		best = going;
		*cut = at;
		if (best >= tree->count / 2)
			break;
	}
	return best;
}

/* The node becomes a "(pruned)" one, and keeps its counts. */
static void become_pruned(struct tree_node *node)
{
	uint64_t native = tree_node_states(node).native;

	node->method = METHOD_PRUNED;
	node->pruned_native = native;
}

static void fold_node(struct call_tree *tree, uint32_t index, unsigned cut)
{
	struct tree_node *node = tree_at(tree, index);
	struct tree_node *parent = tree_at(tree, node->parent);
	uint32_t to;

	if (parent->prune.fineness >= cut) {
		to = parent->prune.to;
	} else if (parent->prune.folds != 0) {
		to = parent->prune.folds;
	} else {
		parent->prune.folds = index;
		node->prune.to = index;
		become_pruned(node);
		return;
	}
	node->prune.to = to;
	node->prune.marks |= MARK_FOLDED;
	add_node(tree->metrics, tree_at(tree, to), node);
}

/* Every node but the root has to or folds for itself when its children look at it: they
 * come later. A "(pruned)" child that exists may come later than a sibling, so these
 * first. */
static void fold(struct call_tree *tree, unsigned cut)
{
	for (uint32_t i = 0; i < tree->count; i++)
		tree_at(tree, i)->prune.cum = 0;
	for (uint32_t i = 1; i < tree->count; i++) {
		struct tree_node *node = tree_at(tree, i);

		if (node->method == METHOD_PRUNED)
			tree_at(tree, node->parent)->prune.folds = i;
	}
	for (uint32_t i = 1; i < tree->count; i++)
		if (tree_at(tree, i)->prune.fineness >= cut)
			fold_node(tree, i, cut);
}

/* When those that stay have their new indices. */
static uint32_t compacted_to(const void *tree, uint32_t index)
{
	const struct tree_node *node = tree_at(tree, index);

	if (node->prune.marks & MARK_FOLDED)
		node = tree_at(tree, node->prune.to);
	return node->prune.to;
}

/* New indices for what stays; they are never above the old ones, so all can move down in
 * order. */
static uint32_t compact(struct call_tree *tree, struct shadow_frame *frame, size_t frames)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < tree->count; i++) {
		struct tree_node *node = tree_at(tree, i);

		if (node->prune.marks & MARK_FOLDED)
			continue;
		node->prune.to = kept++;
		node->parent = tree_at(tree, node->parent)->prune.to;
	}
	for (size_t i = 0; i < frames; i++)
		frame[i].node = tree_at(tree, frame[i].node)->prune.to;
	io_accounts_move(&tree->io, compacted_to, tree);
	kept = 0;
	for (uint32_t i = 0; i < tree->count; i++) {
		if (tree_at(tree, i)->prune.marks & MARK_FOLDED)
			continue;
		if (kept != i)
			memcpy(tree_at(tree, kept), tree_at(tree, i), tree->stride);
		kept++;
	}
	return kept;
}

static uint32_t prune_locked(
	struct call_tree *tree, struct shadow_frame *frame, size_t frames)
{
	uint32_t before = tree->count;
	unsigned cut = 0;

	weigh(tree);
	mark_frames(tree, frame, frames);
	grade(tree);
	if (choose(tree, &cut) > 0) {
		fold(tree, cut);
		tree->count = compact(tree, frame, frames);
		__atomic_store_n(&tree->generation, tree->generation + 1, __ATOMIC_RELAXED);
		add64(&tree->pruned, before - tree->count);
	}
	tree_relink(tree);
	tree_shrink(tree, tree->count + tree->count / 8);
	return before - tree->count;
}

uint32_t tree_prune(struct call_tree *tree, struct shadow_frame *frame, size_t frames,
	uint32_t *current)
{
	uint32_t gone = 0;

	if (tree->patience > 0) {
		tree->patience--;
		return 0;
	}
	lock_take(&tree->lock);
	if (tree->hold) {
		tree->patience = HOLD_PATIENCE;
	} else {
		gone = prune_locked(tree, frame, frames);
		if (current != NULL)
			__atomic_store_n(
				current, frame[frames - 1].node, __ATOMIC_RELEASE);
		if (gone < tree->count / 3) /* a quarter of what it was */
			tree->patience = tree->count / 4;
	}
	lock_give(&tree->lock);
	return gone;
}
