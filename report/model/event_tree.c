/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* event_tree: see event_tree.h. */
#include "report/model/event_tree.h"

#include <stdlib.h>

struct making {
	struct event_tree *tree;
	bool (*wants)(void *user, uint32_t thread);
	void *user;
	uint64_t from, to;
	bool no_memory;
};

static uint32_t add_node(
	struct event_tree *tree, uint32_t parent, uint32_t method, uint32_t thread)
{
	if (tree->count == tree->room) {
		size_t room = tree->room ? 2 * tree->room : 1024;
		struct event_node *more = realloc(tree->node, room * sizeof(*more));

		if (!more)
			return 0;
		tree->node = more;
		tree->room = room;
	}
	if (tree->count == 0)
		tree->node[tree->count++] = (struct event_node){0};
	if (tree->count == tree->room)
		return add_node(tree, parent, method, thread);
	tree->node[tree->count] = (struct event_node){.parent = parent,
		.method = method,
		.thread = thread,
		.level = parent ? tree->node[parent].level + 1 : 0};
	return tree->count++;
}

/* The node of a method below another one, or (parent 0) of a thread: it has the number of its pair. */
static uint32_t node_of(
	struct making *making, uint32_t parent, uint32_t method, uint32_t thread)
{
	struct event_tree *tree = making->tree;
	size_t known = tree->children.count;
	uint32_t number = parent ? pairs_take(&tree->children, parent, method)
				 : pairs_take(&tree->children, 0, thread);

	if (number == 0 || (number > known && add_node(tree, parent, method, thread) != number))
		making->no_memory = true;
	return making->no_memory ? 0 : number;
}

/* Where the thread is. 0: no memory. */
static uint32_t here(struct event_walk *walk)
{
	struct making *making = walk->user;

	return walk->top ? walk->top->node : node_of(making, 0, 0, walk->thread);
}

static bool wants(void *user, uint32_t thread)
{
	struct making *making = user;

	return !making->wants || making->wants(making->user, thread);
}

static int enter(struct event_walk *walk, struct event_frame *frame)
{
	struct making *making = walk->user;
	uint32_t parent =
		walk->depth > 1 ? frame[-1].node : node_of(making, 0, 0, walk->thread);

	frame->node = parent ? node_of(making, parent, frame->method, walk->thread) : 0;
	if (frame->node == 0)
		return -1;
	if (frame->called && walk->at >= making->from && walk->at <= making->to)
		making->tree->node[frame->node].calls++;
	return 0;
}

/* The part of the time behind this moment that is wanted. */
static int charge(struct event_walk *walk, uint64_t ns)
{
	struct making *making = walk->user;
	uint32_t node = here(walk);
	uint64_t begin = walk->at > ns ? walk->at - ns : 0, end = walk->at;

	if (node == 0)
		return -1;
	if (begin < making->from)
		begin = making->from;
	if (end > making->to)
		end = making->to;
	if (making->from == 0 && making->to == UINT64_MAX)
		making->tree->node[node].self += ns;
	else if (end > begin)
		making->tree->node[node].self += end - begin;
	return 0;
}

int event_tree_make(struct event_tree *tree, const struct profile *profile, uint64_t from,
	uint64_t to, bool (*wanted)(void *user, uint32_t thread), void *user,
	struct error *error)
{
	struct making making = {
		.tree = tree, .wants = wanted, .user = user, .from = from, .to = to};
	struct event_walk walk = {.user = &making,
		.wants = wants,
		.enter = enter,
		.charge = charge,
		.profile = profile,
		.from = from,
		.to = to};
	int status = event_walk(&walk, error);

	event_walk_fini(&walk);
	if (making.no_memory)
		return error_set(error, ERROR_MEMORY, "no memory for a tree of events");
	tree->events = walk.events;
	tree->lost = walk.lost;
	tree->damaged = walk.damaged;
	tree->odd = walk.odd;
	for (uint32_t i = tree->count; i-- > 1;) {
		struct event_node *node = &tree->node[i];

		node->total += node->self;
		tree->node[node->parent].total += node->total;
	}
	return status;
}

void event_tree_give(struct event_tree *tree, struct event_node *node)
{
	free(tree->node);
	pairs_fini(&tree->children);
	tree->children = (struct pairs){0};
	tree->node = node;
}

void event_tree_fini(struct event_tree *tree)
{
	free(tree->node);
	pairs_fini(&tree->children);
	*tree = (struct event_tree){0};
}
