/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* call_watch: see call_watch.h. */
#include "agent/trace/call_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/trace/tree_labels.h"

enum { ROOM_FIRST = 32, NONE = -1 };

struct watch_entry {
	uint32_t method, parent;
	uint32_t first_child, next; /* entries + 1, 0: none */
	uint32_t node;              /* whose counts it follows; 0: none at the moment */
	uint64_t calls, base, own;  /* so far, without what the node has had since: */
	uint64_t calls_at, base_at, own_at;
	int merged; /* while it is merged: its place in the outer one, or NONE; at the end in the small tree */
};

/* ---- entries, by node ---- */

static uint32_t slot_of(const struct call_watch *watch, uint32_t node)
{
	return node * 0x9e3779b1u >> 7 & watch->mask;
}

static int find(const struct call_watch *watch, uint32_t node)
{
	for (uint32_t at = slot_of(watch, node); watch->slot[at]; at = (at + 1) & watch->mask)
		if (watch->entry[watch->slot[at] - 1].node == node)
			return (int)watch->slot[at] - 1;
	return NONE;
}

static void note(struct call_watch *watch, uint32_t entry)
{
	uint32_t at = slot_of(watch, watch->entry[entry].node);

	while (watch->slot[at])
		at = (at + 1) & watch->mask;
	watch->slot[at] = entry + 1;
}

static size_t bytes_for(uint32_t room)
{
	return room * (sizeof(struct watch_entry) + 4 * sizeof(uint32_t));
}

/* Room for twice as many; there are four slots for each. False: no memory. */
static bool grow(struct call_watch *watch, struct memory_budget *budget)
{
	int saved_errno = errno;
	uint32_t room = watch->room ? 2 * watch->room : ROOM_FIRST;
	struct watch_entry *entry;
	uint32_t *slot;

	if (!memory_take(budget, bytes_for(room), MEMORY_SMALL))
		return false;
	entry = malloc(room * sizeof(*entry));
	slot = calloc(4 * (size_t)room, sizeof(*slot));
	errno = saved_errno;
	if (!entry || !slot) {
		free(entry);
		free(slot);
		memory_give(budget, bytes_for(room));
		return false;
	}
	if (watch->entries > 0)
		memcpy(entry, watch->entry, watch->entries * sizeof(*entry));
	free(watch->entry);
	free(watch->slot);
	memory_give(budget, watch->room ? bytes_for(watch->room) : 0);
	watch->entry = entry;
	watch->slot = slot;
	watch->room = room;
	watch->mask = 4 * room - 1;
	for (uint32_t i = 0; i < watch->entries; i++)
		if (entry[i].node)
			note(watch, i);
	return true;
}

/* The entry follows the node from now on; calls: so many of it are the entry's already. */
static void attach(struct call_watch *watch, const struct call_tree *tree, uint32_t at,
	uint32_t node, uint64_t calls)
{
	const struct tree_node *from = tree_at(tree, node);
	struct watch_entry *entry = &watch->entry[at];

	entry->node = node;
	entry->calls_at = from->calls - calls;
	entry->base_at = from->base[watch->wall];
	entry->own_at = from->base[tree->metrics + watch->wall];
	note(watch, at);
}

/* A new entry, the last child of its parent's list's front. NONE: no memory, or enough. */
static int add(struct call_watch *watch, struct memory_budget *budget, uint32_t parent,
	uint32_t method)
{
	struct watch_entry *entry;

	if (watch->entries >= CALL_WATCH_NODES ||
		(watch->entries == watch->room && !grow(watch, budget)))
		return NONE;
	entry = &watch->entry[watch->entries];
	*entry = (struct watch_entry){.method = method, .parent = parent};
	if (watch->entries > 0) {
		entry->next = watch->entry[parent].first_child;
		watch->entry[parent].first_child = watch->entries + 1;
	}
	return (int)watch->entries++;
}

static int child(struct call_watch *watch, struct memory_budget *budget, uint32_t parent,
	uint32_t method)
{
	uint32_t at = watch->entry[parent].first_child;

	while (at && watch->entry[at - 1].method != method)
		at = watch->entry[at - 1].next;
	return at ? (int)at - 1 : add(watch, budget, parent, method);
}

/* Nodes were renumbered: it is not known any more which they are. */
static bool is_lost(struct call_watch *watch, const struct call_tree *tree)
{
	watch->lost |= watch->moves != tree->moves;
	return watch->lost;
}

/* ---- the life of a call ---- */

void call_watch_begin(struct call_watch *watch, struct memory_budget *budget,
	const struct call_tree *tree, uint32_t node, unsigned wall)
{
	watch->moves = tree->moves;
	watch->wall = wall;
	watch->lost = add(watch, budget, 0, tree_at(tree, node)->method) == NONE;
	if (!watch->lost)
		attach(watch, tree, 0, node, 1);
}

static void enter(struct call_watch *watch, struct memory_budget *budget,
	const struct call_tree *tree, uint32_t parent, uint32_t node, uint64_t calls)
{
	const struct tree_node *entered = tree_at(tree, node);
	int at;

	if (is_lost(watch, tree) || find(watch, node) != NONE)
		return;
	/* Behind the method that the label tells apart. */
	if (is_label(entered->method)) {
		enter(watch, budget, tree, parent, entered->parent, calls);
		parent = entered->parent;
		calls = 0;
	}
	at = find(watch, parent);
	if (at != NONE)
		at = child(watch, budget, (uint32_t)at, entered->method);
	if (at != NONE && watch->entry[at].node == 0)
		attach(watch, tree, (uint32_t)at, node, calls);
}

void call_watch_enter(struct call_watch *watch, struct memory_budget *budget,
	const struct call_tree *tree, uint32_t parent, uint32_t node)
{
	enter(watch, budget, tree, parent, node, 1);
}

bool call_watch_knows(
	const struct call_watch *watch, const struct call_tree *tree, uint32_t node)
{
	return watch->lost || (watch->moves == tree->moves && find(watch, node) != NONE);
}

void call_watch_settle(struct call_watch *watch, const struct call_tree *tree)
{
	if (is_lost(watch, tree))
		return;
	for (uint32_t i = 0; i < watch->entries; i++) {
		struct watch_entry *entry = &watch->entry[i];
		const struct tree_node *node;

		if (entry->node == 0)
			continue;
		node = tree_at(tree, entry->node);
		entry->calls += node->calls - entry->calls_at;
		entry->base += node->base[watch->wall] - entry->base_at;
		entry->own += node->base[tree->metrics + watch->wall] - entry->own_at;
	}
	/* Behind that, as one is found by another's place. */
	for (uint32_t i = 0; i < watch->entries; i++) {
		uint32_t at = slot_of(watch, watch->entry[i].node);

		if (watch->entry[i].node == 0)
			continue;
		for (; watch->slot[at]; at = (at + 1) & watch->mask)
			watch->slot[at] = 0;
		watch->entry[i].node = 0;
	}
}

void call_watch_resume(struct call_watch *watch, struct memory_budget *budget,
	const struct call_tree *tree, uint32_t node)
{
	watch->moves = tree->moves;
	if (!watch->lost)
		attach(watch, tree, 0, node, 0);
}

void call_watch_resume_in(struct call_watch *watch, struct memory_budget *budget,
	const struct call_tree *tree, uint32_t parent, uint32_t node)
{
	enter(watch, budget, tree, parent, node, 0);
}

void call_watch_merge(struct call_watch *outer, struct memory_budget *budget,
	const struct call_tree *tree, uint32_t node, struct call_watch *inner)
{
	if (is_lost(outer, tree))
		return;
	if (inner->lost) {
		outer->lost = true;
		return;
	}
	for (uint32_t i = 0; i < inner->entries; i++) {
		struct watch_entry *from = &inner->entry[i], *to;
		int parent = i > 0 ? inner->entry[from->parent].merged : NONE;

		from->merged = i == 0 ? find(outer, node) : NONE;
		if (parent != NONE)
			from->merged = child(outer, budget, (uint32_t)parent, from->method);
		if (from->merged == NONE)
			continue;
		/* One that follows a node has what that used. */
		to = &outer->entry[from->merged];
		if (to->node)
			continue;
		to->calls += from->calls;
		to->base += from->base;
		to->own += from->own;
	}
}

uint32_t call_watch_nodes(const struct call_watch *watch)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < watch->entries && !watch->lost; i++)
		nodes += !is_label(watch->entry[i].method);
	return nodes;
}

uint64_t call_watch_tree(const struct call_watch *watch, struct small_node *node)
{
	uint64_t own = 0;
	int nodes = 0;

	for (uint32_t i = 0; i < watch->entries && !watch->lost; i++) {
		struct watch_entry *entry = &watch->entry[i];
		int parent = i > 0 ? watch->entry[entry->parent].merged : 0;
		bool label = is_label(entry->method);

		own += entry->own;
		entry->merged = label ? parent : nodes++;
		if (!node)
			continue;
		if (!label)
			node[entry->merged] = (struct small_node){
				.parent = (uint32_t)parent, .method = entry->method};
		/* A value counts the calls that its method has counted. */
		if (!label)
			node[entry->merged].calls += entry->calls;
		node[entry->merged].base +=
			entry->base > entry->own ? entry->base - entry->own : 0;
		node[entry->merged].own += entry->own;
	}
	return own;
}

void call_watch_end(struct call_watch *watch)
{
	/* It was not settled. */
	if (watch->slot && watch->lost)
		memset(watch->slot, 0, ((size_t)watch->mask + 1) * sizeof(*watch->slot));
	watch->entries = 0;
	watch->lost = false;
}

void call_watch_fini(struct call_watch *watch, struct memory_budget *budget)
{
	free(watch->entry);
	free(watch->slot);
	if (watch->room)
		memory_give(budget, bytes_for(watch->room));
	*watch = (struct call_watch){0};
}
