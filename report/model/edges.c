/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* edges: found by one walk over each tree, kept in a hash. */
#include "report/model/edges.h"

#include <string.h>

#include "profile/pairs.h"

#define NOT_ACTIVE 0

/* The nodes from the root to where the walk is, and for each method its innermost one. */
struct path {
	uint32_t *node;   /* by level */
	uint32_t *outer;  /* by level: what active[method] was before this node */
	uint32_t *active; /* by method: level + 1 of its innermost node, or NOT_ACTIVE */
	uint32_t depth;   /* levels in use */
};

/* All that is needed while edges are found. */
struct search {
	struct edges *edges;
	const struct model *model;
	const union model_value *cum; /* of nodes */
	const struct io_amount *io;   /* the same; or NULL */
	struct link *link;
	struct path path;
	struct pairs found; /* (caller, callee) leads to the edge + 1 */
};

/* The edge, which is made if there was none; NULL without memory. */
static struct edge *take_edge(struct search *search, uint32_t caller, uint32_t callee)
{
	struct edges *edges = search->edges;
	uint32_t found = pairs_take(&search->found, caller, callee);
	char **chunk = &edges->chunk[edges->count / EDGE_CHUNK];
	struct edge *edge;

	if (found == 0)
		return NULL;
	if (found <= edges->count)
		return edge_at(edges, found - 1);
	if (!*chunk)
		*chunk = store_room(search->model->store, EDGE_CHUNK, edges->row_size);
	if (!*chunk)
		return NULL;
	edge = edge_at(edges, edges->count++);
	edge->caller = caller;
	edge->callee = callee;
	return edge;
}

/* ---- the walk ---- */

/* Leaves the nodes at this level and below. */
static void path_leave(struct path *path, const struct profile *profile, uint32_t level)
{
	while (path->depth > level) {
		path->depth--;
		path->active[profile->node[path->node[path->depth]].method] =
			path->outer[path->depth];
	}
}

/* Adds the node at the end of the path. outer - 1 is the level of its method's next outer node, if it
 * is not NOT_ACTIVE: what is within that node is none of the callers', and comes off the edge by which
 * the path left it. */
static int add_node(struct search *search, uint32_t outer)
{
	const struct model *model = search->model;
	const struct profile_node *node = model->profile->node;
	const struct path *path = &search->path;
	uint32_t own = path->node[path->depth - 1], method = node[own].method;
	const union model_value *cum = model_at(model, search->cum, own);
	struct edge *edge = take_edge(search, node[path->node[path->depth - 2]].method, method);
	union model_value base[MODEL_VALUES_MAX];

	if (!edge)
		return -1;
	call_count_add(&edge->count, model, own);
	model_base(model, own, base);
	model_add(model, edge->values, base);
	model_add(model, model_at(model, edge->values, 2), cum);
	if (search->io)
		io_amount_add(&edge->io_below, &search->io[own]);
	if (outer == NOT_ACTIVE) {
		model_add(model, model_at(model, edge->values, 1), cum);
		if (search->io)
			io_amount_add(&edge->io_cum, &search->io[own]);
		return 0;
	}
	/* It is there: the node at its end, at least, was added before. */
	edge = take_edge(search, method, node[path->node[outer]].method);
	model_subtract(model, model_at(model, edge->values, 2), cum);
	if (search->io)
		io_amount_subtract(&edge->io_below, &search->io[own]);
	return 0;
}

/* Of the thread with that root. */
static int add_thread(struct search *search, uint32_t root)
{
	const struct profile *profile = search->model->profile;
	struct path *path = &search->path;
	struct walk walk = walk_from(search->model, search->link, root);
	uint32_t method;

	for (bool more = true; more; more = walk_next(&walk)) {
		path_leave(path, profile, walk.level);
		method = profile->node[walk.at].method;
		path->node[path->depth] = walk.at;
		path->outer[path->depth] = path->active[method];
		path->active[method] = ++path->depth;
		if (walk.level > 0 && add_node(search, path->outer[walk.level]) != 0)
			return -1;
	}
	path_leave(path, profile, 0);
	return 0;
}

/* ---- sorting by end ---- */

/* Counting sort: first[m] .. first[m + 1] are the places of method m's edges. */
static void sort_edges(const struct edges *edges, const struct model *model, bool callee,
	uint32_t **sorted, uint32_t **first)
{
	size_t methods = model->profile->method_count;

	*sorted = store_room(model->store, edges->count + 1, sizeof(**sorted));
	*first = store_room(model->store, methods + 2, sizeof(**first));
	if (model->store->failed)
		return;
	for (size_t i = 0; i < edges->count; i++) {
		const struct edge *edge = edge_at(edges, i);

		(*first)[(callee ? edge->callee : edge->caller) + 1]++;
	}
	for (size_t m = 0; m < methods; m++)
		(*first)[m + 1] += (*first)[m];
	/* Filled from the front, first[m] moves to first[m + 1]; then all move back. */
	for (size_t i = 0; i < edges->count; i++) {
		const struct edge *edge = edge_at(edges, i);

		(*sorted)[(*first)[callee ? edge->callee : edge->caller]++] = (uint32_t)i;
	}
	memmove(*first + 1, *first, methods * sizeof(**first));
	(*first)[0] = 0;
}

int edges_init_io(struct edges *edges, const struct model *model, const union model_value *cum,
	const struct io_amount *io)
{
	const struct profile *profile = model->profile;
	struct search search = {.edges = edges, .model = model, .cum = cum, .io = io};
	struct path *path = &search.path;
	int failed = 0;

	*edges = (struct edges){
		.chunk = store_room(model->store, profile->node_count / EDGE_CHUNK + 1,
			sizeof(*edges->chunk)),
		.row_size =
			sizeof(struct edge) + 3 * model->values * sizeof(union model_value)};
	search.link = links_make(model, NULL, 0);
	path->node = store_room(model->store, profile->node_count + 1, sizeof(*path->node));
	path->outer = store_room(model->store, profile->node_count + 1, sizeof(*path->outer));
	path->active =
		store_room(model->store, profile->method_count + 1, sizeof(*path->active));
	if (model->store->failed)
		return -1;
	for (size_t i = 0; failed == 0 && i < model->node_count; i++)
		if (profile->node[model->node[i]].id == 0)
			failed = add_thread(&search, model->node[i]);
	pairs_fini(&search.found);
	if (failed != 0)
		return -1;
	sort_edges(edges, model, true, &edges->by_callee, &edges->callee_first);
	sort_edges(edges, model, false, &edges->by_caller, &edges->caller_first);
	return model->store->failed ? -1 : 0;
}
