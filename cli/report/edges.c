/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* edges: found by one walk over each tree, kept in a hash. */
#include "cli/report/edges.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 1024
#define NOT_ACTIVE  0

/* The nodes from the root to where the walk is, and for each method its innermost one. */
struct path {
	uint32_t *node;  /* by level */
	uint32_t *outer; /* by level: what active[method] was before this node */
	size_t capacity;
	uint32_t *active; /* by method: level + 1 of its innermost node, or NOT_ACTIVE */
	uint32_t depth;   /* levels in use */
};

/* ---- the hash ---- */

static size_t hash_of(const struct edges *edges, uint32_t caller, uint32_t callee)
{
	uint64_t key = (uint64_t)caller << 32 | callee;

	/* Fibonacci hashing: the high bits of a product with 2^64 / golden ratio. */
	return (size_t)((key * 0x9E3779B97F4A7C15u) >> 20) & (edges->slots - 1);
}

static uint32_t *find_slot(const struct edges *edges, uint32_t caller, uint32_t callee)
{
	size_t at = hash_of(edges, caller, callee);

	for (;; at = (at + 1) & (edges->slots - 1)) {
		const struct edge *edge;

		if (edges->slot[at] == 0)
			return &edges->slot[at];
		edge = &edges->edge[edges->slot[at] - 1];
		if (edge->caller == caller && edge->callee == callee)
			return &edges->slot[at];
	}
}

static int rehash(struct edges *edges)
{
	size_t slots = edges->slots == 0 ? SLOTS_FIRST : edges->slots * 2;
	uint32_t *slot = calloc(slots, sizeof(*slot));

	if (slot == NULL)
		return -1;
	free(edges->slot);
	edges->slot = slot;
	edges->slots = slots;
	for (size_t i = 0; i < edges->count; i++)
		*find_slot(edges, edges->edge[i].caller, edges->edge[i].callee) =
			(uint32_t)i + 1;
	return 0;
}

static int grow_array(void *array, size_t size)
{
	void *grown = realloc(*(void **)array, size);

	if (grown == NULL)
		return -1;
	*(void **)array = grown;
	return 0;
}

static int grow(struct edges *edges, unsigned values)
{
	size_t capacity = edges->capacity == 0 ? SLOTS_FIRST : edges->capacity * 2;
	size_t size = capacity * values * sizeof(union report_value) + 1;

	if (grow_array(&edges->edge, capacity * sizeof(*edges->edge)) != 0 ||
		grow_array(&edges->base, size) != 0 ||
		grow_array(&edges->cum, size) != 0 ||
		grow_array(&edges->below, size) != 0)
		return -1;
	edges->capacity = capacity;
	return 0;
}

/* Index of the edge, which is made if there was none; -1 without memory. */
static int64_t take_edge(
	struct edges *edges, unsigned values, uint32_t caller, uint32_t callee)
{
	uint32_t *slot;
	size_t at, row = values * sizeof(union report_value);

	if (edges->count * 2 >= edges->slots && rehash(edges) != 0)
		return -1;
	slot = find_slot(edges, caller, callee);
	if (*slot != 0)
		return *slot - 1;
	if (edges->count == edges->capacity && grow(edges, values) != 0)
		return -1;
	at = edges->count++;
	edges->edge[at] = (struct edge){.caller = caller, .callee = callee};
	memset(edges->base + at * values, 0, row);
	memset(edges->cum + at * values, 0, row);
	memset(edges->below + at * values, 0, row);
	*slot = (uint32_t)at + 1;
	return (int64_t)at;
}

/* ---- the walk ---- */

static int path_init(struct path *path, size_t methods)
{
	*path = (struct path){.active = calloc(methods + 1, sizeof(*path->active))};
	return path->active != NULL ? 0 : -1;
}

static void path_fini(struct path *path)
{
	free(path->node);
	free(path->outer);
	free(path->active);
}

/* Leaves the nodes at this level and below. */
static void path_leave(struct path *path, const struct profile *profile, uint32_t level)
{
	while (path->depth > level) {
		path->depth--;
		path->active[profile->node[path->node[path->depth]].method] =
			path->outer[path->depth];
	}
}

static int path_enter(struct path *path, const struct profile *profile, uint32_t at)
{
	uint32_t method = profile->node[at].method;

	if (path->depth == path->capacity) {
		size_t capacity = path->capacity * 2 + 1024;

		if (grow_array(&path->node, capacity * sizeof(*path->node)) != 0 ||
			grow_array(&path->outer, capacity * sizeof(*path->outer)) != 0)
			return -1;
		path->capacity = capacity;
	}
	path->node[path->depth] = at;
	path->outer[path->depth] = path->active[method];
	path->active[method] = ++path->depth;
	return 0;
}

static void add_values(const struct report *report, union report_value *sums, size_t edge,
	const union report_value *values)
{
	report_add_values(report, report_values(report, sums, edge), values);
}

/* Takes an inner node's cum off the edge by which the path left the outer one. The edge is
 * there: the node at its end, at least, was added before. */
static void subtract_inner(struct edges *edges, const struct report *report,
	const struct path *path, uint32_t method, uint32_t outer_level,
	const union report_value *cum)
{
	uint32_t child = path->node[outer_level + 1];
	size_t edge = *find_slot(edges, method, report->profile->node[child].method) - 1;

	report_subtract_values(report, report_values(report, edges->below, edge), cum);
}

/* Adds the node at the end of the path, whose method's next outer node is at level
 * outer - 1, if outer is not NOT_ACTIVE. */
static int add_node(struct edges *edges, const struct report *report,
	const struct path *path, uint32_t outer, const union report_value *cum)
{
	uint32_t own = path->node[path->depth - 1];
	const struct profile_node *node = &report->profile->node[own];
	const struct profile_node *parent =
		&report->profile->node[path->node[path->depth - 2]];
	int64_t at = take_edge(edges, report->values, parent->method, node->method);
	struct method_count *count;
	union report_value base[REPORT_VALUES_MAX];

	if (at < 0)
		return -1;
	count = &edges->edge[at].count;
	count->nodes++;
	count->calls += node->calls;
	count->interpreted += node->interpreted;
	count->jitted += node->jitted;
	count->native += node->native;
	count->at_least |= report_at_least(report, own);
	report_base(report, own, base);
	add_values(report, edges->base, (size_t)at, base);
	add_values(report, edges->below, (size_t)at, cum);
	if (outer == NOT_ACTIVE)
		add_values(report, edges->cum, (size_t)at, cum);
	else
		subtract_inner(edges, report, path, node->method, outer - 1, cum);
	return 0;
}

static int add_thread(struct edges *edges, const struct report *report, struct path *path,
	const struct links *links, size_t thread, const union report_value *cum)
{
	const struct profile *profile = report->profile;
	struct walk walk;
	bool more = walk_start(&walk, profile, links, thread);

	for (; more; more = walk_next(&walk)) {
		path_leave(path, profile, walk.level);
		if (path_enter(path, profile, walk.at) != 0)
			return -1;
		if (walk.level > 0 &&
			add_node(edges, report, path, path->outer[walk.level],
				cum + (size_t)walk.at * report->values) != 0)
			return -1;
	}
	path_leave(path, profile, 0);
	return 0;
}

/* ---- sorting by end ---- */

static uint32_t end_of(const struct edge *edge, bool callee)
{
	return callee ? edge->callee : edge->caller;
}

/* Counting sort: first[m] .. first[m + 1] are the places of method m's edges. */
static int sort_edges(const struct edges *edges, size_t methods, bool callee,
	uint32_t **sorted, uint32_t **first)
{
	*sorted = calloc(edges->count + 1, sizeof(**sorted));
	*first = calloc(methods + 2, sizeof(**first));
	if (*sorted == NULL || *first == NULL)
		return -1;
	for (size_t i = 0; i < edges->count; i++)
		(*first)[end_of(&edges->edge[i], callee) + 1]++;
	for (size_t m = 0; m < methods; m++)
		(*first)[m + 1] += (*first)[m];
	/* Filled from the front, first[m] moves to first[m + 1]; then all move back. */
	for (size_t i = 0; i < edges->count; i++)
		(*sorted)[(*first)[end_of(&edges->edge[i], callee)]++] = (uint32_t)i;
	memmove(*first + 1, *first, methods * sizeof(**first));
	(*first)[0] = 0;
	return 0;
}

static int collect(struct edges *edges, const struct report *report, const union report_value *cum)
{
	const struct profile *profile = report->profile;
	struct links links;
	struct path path;
	int failed;

	if (links_init(&links, report, NULL, 0) != 0)
		return -1;
	failed = path_init(&path, profile->method_count);
	if (failed == 0)
		failed = rehash(edges);
	for (size_t t = 0; failed == 0 && t < profile->thread_count; t++) {
		if (report->selected[t])
			failed = add_thread(edges, report, &path, &links, t, cum);
	}
	path_fini(&path);
	links_fini(&links);
	return failed;
}

int edges_init(struct edges *edges, const struct report *report, const union report_value *cum)
{
	size_t methods = report->profile->method_count;

	*edges = (struct edges){0};
	if (collect(edges, report, cum) != 0 ||
		sort_edges(edges, methods, true, &edges->by_callee,
			&edges->callee_first) != 0 ||
		sort_edges(edges, methods, false, &edges->by_caller,
			&edges->caller_first) != 0) {
		edges_fini(edges);
		return -1;
	}
	return 0;
}

void edges_fini(struct edges *edges)
{
	free(edges->edge);
	free(edges->base);
	free(edges->cum);
	free(edges->below);
	free(edges->slot);
	free(edges->by_callee);
	free(edges->callee_first);
	free(edges->by_caller);
	free(edges->caller_first);
	*edges = (struct edges){0};
}
