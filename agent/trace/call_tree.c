/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * call_tree: nodes, their links, and how a child is found.
 *
 * In an existing node only the counters, last_child and, when a child is made beside or
 * below it, its links change without the lock: relaxed stores, as a copy may be under
 * way.
 */
#include "agent/trace/call_tree.h"

#include <string.h>

#include "agent/trace/tree_labels.h"
#include "metric/metric.h"

enum { FEW = sizeof(((struct tree_index *)0)->few) / sizeof(uint32_t) };

static void store32(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static uint32_t children_of(const struct tree_node *node)
{
	return node->children & TREE_CHILDREN;
}

/* ---- the hash of children, by parent and method ---- */

static uint32_t hash(uint32_t parent, uint32_t method)
{
	uint64_t key = ((uint64_t)parent << 32 | method) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(key >> 32) ^ (uint32_t)(key >> 15);
}

/* The slot that holds the node of this key, or the empty one where it belongs. */
static uint32_t *index_slot(const struct call_tree *tree, uint32_t parent, uint32_t method)
{
	const struct tree_index *index = &tree->children;

	for (uint32_t i = hash(parent, method);; i++) {
		uint32_t *slot = &index->slot[i & index->mask];

		if (*slot == 0 || (tree_at(tree, *slot)->method == method &&
					  tree_at(tree, *slot)->parent == parent))
			return slot;
	}
}

static void index_put(struct call_tree *tree, uint32_t node)
{
	uint32_t *slot =
		index_slot(tree, tree_at(tree, node)->parent, tree_at(tree, node)->method);

	tree->children.used += *slot == 0;
	*slot = node;
}

/* Few slots, all empty. */
static void index_reset(struct call_tree *tree)
{
	struct tree_index *index = &tree->children;

	arena_fini(&index->arena, tree->budget);
	memset(index->few, 0, sizeof(index->few));
	index->slot = index->few;
	index->mask = FEW - 1;
	index->used = 0;
}

/* All slots empty, and not more of them than so many nodes need, whatever the budget says. False: the
 * system has no memory for more than there were; there are few now. */
static bool index_clear(struct call_tree *tree, uint32_t nodes)
{
	struct tree_index *index = &tree->children;
	uint64_t slots = FEW;

	while (slots * 2 < (uint64_t)nodes * 3)
		slots *= 2;
	if (slots == FEW) {
		index_reset(tree);
		return true;
	}
	/* Shrinking may be refused, too: the old size does as well. */
	if (arena_resize(&index->arena, tree->budget, slots * 4, MEMORY_FORCED) == 0)
		index->mask = (uint32_t)(slots - 1);
	if (index->mask < slots - 1) {
		index_reset(tree);
		return false;
	}
	index->slot = index->arena.base;
	index->used = 0;
	memset(index->slot, 0, ((size_t)index->mask + 1) * 4);
	return true;
}

/* Makes room for so many more, at most two thirds full. */
static bool index_room(struct call_tree *tree, uint32_t more, enum memory_claim claim)
{
	struct tree_index *index = &tree->children;
	struct tree_index old = *index;
	uint64_t slots = (uint64_t)index->mask + 1;

	while (slots * 2 < ((uint64_t)index->used + more) * 3)
		slots *= 2;
	if (slots == (uint64_t)index->mask + 1)
		return true;
	index->arena = (struct arena){0};
	if (arena_resize(&index->arena, tree->budget, slots * 4, claim) != 0) {
		index->arena = old.arena;
		return false;
	}
	if (old.slot == index->few)
		old.slot = old.few;
	index->slot = index->arena.base;
	index->mask = (uint32_t)(slots - 1);
	index->used = 0;
	for (uint32_t i = 0; i <= old.mask; i++)
		if (old.slot[i] != 0)
			index_put(tree, old.slot[i]);
	arena_fini(&old.arena, tree->budget);
	return true;
}

/* ---- memory ---- */

/* So many nodes with what was written of them. */
static size_t nodes_bytes(const struct call_tree *tree, size_t nodes)
{
	return nodes * (tree->stride + sizeof(*tree_written(tree, 0)));
}

/* The arena has room for so many: what was written moves behind the last of them. */
static void place_nodes(struct call_tree *tree, size_t capacity)
{
	const uint64_t *before;

	tree->nodes = tree->arena.base;
	before = tree_written(tree, 0);
	tree->capacity = capacity > TREE_CHILDREN ? TREE_CHILDREN : (uint32_t)capacity;
	memmove(tree_written(tree, 0), before, tree->count * sizeof(*before));
}

/* A quarter more; if that is not to be had, less. */
static bool grow_nodes(struct call_tree *tree, enum memory_claim claim)
{
	size_t bytes = tree->arena.bytes;
	int result = -1;

	if (tree->capacity == TREE_CHILDREN)
		return false;
	lock_take(&tree->lock);
	for (size_t more = claim == MEMORY_FORCED ? 0 : bytes / 4;
		result != 0 && more >= arena_page(); more /= 4)
		result = arena_resize(&tree->arena, tree->budget, bytes + more, claim);
	if (result != 0)
		result = arena_resize(&tree->arena, tree->budget, bytes + 1, claim);
	if (result == 0)
		place_nodes(tree, tree->arena.bytes / nodes_bytes(tree, 1));
	/* What was forced is to be pruned away soon: as if all of it had been asked for. */
	if (claim == MEMORY_FORCED) {
		uint32_t nodes = tree->capacity - tree->count;

		tree->patience -= tree->patience < nodes ? tree->patience : nodes;
	}
	lock_give(&tree->lock);
	return result == 0;
}

void tree_shrink(struct call_tree *tree, uint32_t nodes)
{
	size_t page = arena_page();
	size_t bytes = (nodes_bytes(tree, nodes) + page - 1) / page * page;

	if (bytes >= tree->arena.bytes)
		return;
	place_nodes(tree, bytes / nodes_bytes(tree, 1));
	/* Shrinking may be refused: what is behind is not used then. */
	arena_resize(&tree->arena, tree->budget, bytes, MEMORY_SMALL);
	tree->nodes = tree->arena.base;
}

/* ---- more metrics ---- */

bool tree_room(struct call_tree *tree, uint32_t metrics)
{
	size_t node = tree_stride(metrics) + sizeof(*tree_written(tree, 0));
	size_t bytes = tree->count * node;
	bool room = bytes <= tree->arena.bytes ||
		    arena_resize(&tree->arena, tree->budget, bytes, MEMORY_FORCED) == 0;

	tree->nodes = tree->arena.base;
	return room;
}

/* Further figures come behind base, and spent behind those: the rest of the node moves as it is. */
static void widen_node(struct call_tree *tree, uint32_t index, uint32_t from, uint32_t to)
{
	struct tree_node *node = tree_at(tree, index);
	struct tree_node *place = (void *)(tree->nodes + index * tree_stride(to));
	uint64_t spent[METRIC_MAX];

	memcpy(spent, node->base + from, from * sizeof(*spent));
	memmove(place, node, sizeof(*node) + from * sizeof(*spent));
	memset(place->base + from, 0, (2 * to - from) * sizeof(*spent));
	memcpy(place->base + to, spent, from * sizeof(*spent));
}

/* What was written lies behind the nodes, and moves first; no node is then moved onto one that is still to be moved. */
void tree_widen(struct call_tree *tree, uint32_t metrics)
{
	uint32_t from = tree->metrics;
	const uint64_t *written = tree_written(tree, 0);
	size_t capacity = tree->arena.bytes / (tree_stride(metrics) + sizeof(*written));

	if (metrics <= from)
		return;
	capacity = capacity > TREE_CHILDREN ? TREE_CHILDREN : capacity;
	memmove(tree->nodes + capacity * tree_stride(metrics), written,
		tree->count * sizeof(*written));
	for (uint32_t i = tree->count; i-- > 0;)
		widen_node(tree, i, from, metrics);
	tree->capacity = (uint32_t)capacity;
	tree->metrics = metrics;
	tree->stride = (uint32_t)tree_stride(metrics);
}

size_t tree_bytes(const struct call_tree *tree)
{
	return tree->arena.bytes + tree->children.arena.bytes + accounts_bytes(&tree->accounts);
}

/* ---- nodes ---- */

/* Puts the child behind the parent's last one. */
static void link_child(struct call_tree *tree, struct tree_node *parent, uint32_t index)
{
	struct tree_node *child = tree_at(tree, index);

	if (parent->last_child == 0) {
		store32(&parent->first_child, index);
	} else {
		struct tree_node *last = tree_at(tree, parent->last_child);

		child->next_sibling = last->next_sibling;
		store32(&last->next_sibling, index);
	}
	store32(&parent->last_child, index);
	store32(&parent->children, parent->children + 1);
}

/* TREE_FLAT for children of a fold. */
static uint32_t flat_below(const struct call_tree *tree, uint32_t parent)
{
	return tree_at(tree, parent)->method == METHOD_FOLDED ? TREE_FLAT : 0;
}

/* A list that becomes too long goes into the hash, whole. 0: no memory for it. */
static uint32_t add(
	struct call_tree *tree, uint32_t parent, uint32_t method, enum memory_claim claim)
{
	uint32_t children = children_of(tree_at(tree, parent)), hashed = 0, index, same;
	uint32_t own = label_method(method);
	struct tree_node *node;

	if (children >= TREE_LIST_MAX && !tree->listed)
		hashed = children == TREE_LIST_MAX ? TREE_LIST_MAX + 1 : 1;
	if (tree->count >= tree->capacity && !grow_nodes(tree, claim))
		return 0;
	if (!index_room(tree, hashed, claim))
		return 0;
	index = tree->count;
	node = tree_at(tree, index);
	memset(node, 0, tree->stride);
	*tree_written(tree, index) = 0;
	node->id = tree->next_id++;
	node->method = method;
	node->parent = parent;
	node->children = flat_below(tree, parent);
	for (same = parent; same != TREE_ROOT; same = tree_at(tree, same)->parent)
		if (tree_at(tree, same)->method == own)
			break;
	if (same != TREE_ROOT)
		node->recursion = tree_at(tree, same)->recursion + 1;
	link_child(tree, tree_at(tree, parent), index);
	if (hashed == 1)
		index_put(tree, index);
	else if (hashed > 1)
		for (uint32_t i = tree_at(tree, parent)->first_child; i != 0;
			i = tree_at(tree, i)->next_sibling)
			index_put(tree, i);
	__atomic_store_n(&tree->count, index + 1, __ATOMIC_RELEASE);
	return index;
}

uint32_t tree_find(struct call_tree *tree, uint32_t node, uint32_t method)
{
	uint32_t parent = tree_callees(tree, node);
	struct tree_node *list = tree_at(tree, parent);
	uint32_t child = list->last_child;

	if (child == 0)
		return 0;
	if (tree_at(tree, child)->method != method)
		child = tree_at(tree, child)->next_sibling;
	if (child == 0 || tree_at(tree, child)->method != method) {
		if (children_of(list) <= TREE_LIST_MAX || tree->listed)
			for (child = list->first_child;
				child != 0 && tree_at(tree, child)->method != method;)
				child = tree_at(tree, child)->next_sibling;
		else
			child = *index_slot(tree, parent, method);
	}
	if (child != 0) {
		store32(&list->last_child, child);
		store32(&tree_at(tree, node)->last_child, child);
	}
	return child;
}

uint32_t tree_add(struct call_tree *tree, uint32_t node, uint32_t method)
{
	return add(tree, tree_callees(tree, node), method,
		memory_claim_of(tree->budget, tree_bytes(tree)));
}

static uint32_t find_or_force(struct call_tree *tree, uint32_t parent, uint32_t method)
{
	uint32_t child = tree_find(tree, parent, method);

	if (child != 0)
		return child;
	tree->forced = true;
	return add(tree, parent, method, MEMORY_FORCED);
}

uint32_t tree_flat(struct call_tree *tree, uint32_t node, uint32_t method)
{
	uint32_t fold = tree_callees(tree, node), flat;

	method = label_folded(method);
	if (tree_at(tree, fold)->method != METHOD_FOLDED)
		fold = tree_find(tree, fold, METHOD_FOLDED);
	flat = fold == 0 || method == METHOD_FOLDED ? fold : tree_find(tree, fold, method);
	if (flat != 0)
		return flat;
	fold = memory_is_exceeded(tree->budget) ? TREE_ROOT : tree_callees(tree, node);
	if (tree_at(tree, fold)->method != METHOD_FOLDED)
		fold = find_or_force(tree, fold, METHOD_FOLDED);
	if (fold != 0)
		flat = method == METHOD_FOLDED ? fold : find_or_force(tree, fold, method);
	return flat != 0 ? flat : TREE_FOLDED;
}

uint32_t tree_place(struct call_tree *tree, uint32_t node, uint32_t method)
{
	uint32_t parent = tree_callees(tree, node), place;

	if (tree_at(tree, parent)->method == METHOD_FOLDED) {
		if (method == METHOD_FOLDED)
			return parent;
		method = label_folded(method);
	}
	place = tree_find(tree, parent, method);
	if (place == 0)
		place = tree_add(tree, parent, method);
	return place != 0 ? place : tree_flat(tree, parent, method);
}

/* Children first without hashes: they are known to be long only at the end. */
void tree_relink(struct call_tree *tree)
{
	uint32_t hashed = 0;

	for (uint32_t i = 0; i < tree->count; i++) {
		struct tree_node *node = tree_at(tree, i);

		node->first_child = node->next_sibling = node->last_child = 0;
		node->children &= TREE_NATIVE | TREE_REFERRED;
		node->children |= flat_below(tree, node->parent);
		if (i != TREE_ROOT)
			link_child(tree, tree_at(tree, node->parent), i);
	}
	if (tree->closed)
		return;
	for (uint32_t i = 0; i < tree->count; i++) {
		struct tree_node *node = tree_at(tree, i);

		if (children_of(node) > TREE_LIST_MAX)
			hashed += children_of(node);
	}
	tree->listed = !index_clear(tree, hashed);
	for (uint32_t i = 1; i < tree->count && !tree->listed; i++)
		if (children_of(tree_at(tree, tree_at(tree, i)->parent)) > TREE_LIST_MAX)
			index_put(tree, i);
}

/* ---- life ---- */

int tree_init(struct call_tree *tree, struct memory_budget *budget, uint32_t metrics,
	enum memory_claim claim)
{
	*tree = (struct call_tree){
		.stride = (uint32_t)tree_stride(metrics),
		.metrics = metrics,
		.budget = budget,
	};
	lock_init(&tree->lock, LOCK_TREE);
	index_reset(tree);
	if (arena_resize(&tree->arena, budget, nodes_bytes(tree, 2), claim) != 0)
		return -1;
	place_nodes(tree, tree->arena.bytes / nodes_bytes(tree, 1));
	tree->count = tree->next_id = 1; /* the root: all zero */
	tree_add(tree, TREE_ROOT, METHOD_FOLDED);
	return 0;
}

void tree_close(struct call_tree *tree)
{
	lock_take(&tree->lock);
	index_reset(tree);
	tree->closed = true;
	tree_shrink(tree, tree->count);
	lock_give(&tree->lock);
}

void tree_fini(struct call_tree *tree)
{
	index_reset(tree);
	arena_fini(&tree->arena, tree->budget);
	arena_fini(&tree->forwards, tree->budget);
	accounts_fini(&tree->accounts, tree->budget);
	tree->count = tree->capacity = 0;
	tree->nodes = NULL;
	lock_fini(&tree->lock);
}
