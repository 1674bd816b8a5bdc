/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* groups: parts of virtual threads put together, and paths that both calls and samples have found. */
#include <stdlib.h>

#include "profile/pairs.h"
#include "profile/reader.h"

/* The profile as it becomes. */
struct merged {
	const struct profile *profile; /* as it was */
	struct profile_thread *thread;
	struct profile_node *node;
	uint64_t *
		base; /* of nodes that were put together: base, then spent; the next free ones */
	size_t *first;
	size_t nodes, threads;
	bool apart;      /* paths of samples are not put together with those of calls */
	uint32_t *place; /* by a node as it was: its new place */
	bool *called; /* where they are apart, by a node as it was: calls have found it, or one below it */
};

/* Of labels, joined with their line, value or tags: likewise. */
#define LINE_METHOD  0x40000000u
#define VALUE_METHOD 0x20000000u
#define TAGS_METHOD  0x10000000u

uint32_t path_method(const struct profile_node *node)
{
	if (node->line)
		return LINE_METHOD | node->line;
	if (node->value)
		return VALUE_METHOD | node->value;
	return node->tags ? TAGS_METHOD | node->tags : node->method;
}

/* The others are on the stacks of operations, between or below methods that were counted; or samples alone have found them. */
static void find_called(const struct profile *profile, bool *called)
{
	for (size_t i = profile->node_count; i-- > 0;) {
		const struct profile_node *node = &profile->node[i];

		called[i] |= !node->sampled && (node->calls > 0 || node->method < METHOD_FIRST);
		for (unsigned k = 0; k < profile->metric_count && !node->sampled; k++)
			called[i] |= node->base[k] > 0;
		called[node->parent] |= called[i];
	}
}

/* Adds a thread's nodes to those of the group at work; parents stand before their children. paths: (parent,
 * method) leads to a node's number in the new thread, from 1. -1 without memory. */
static int add_tree(struct merged *merged, struct pairs *paths, size_t from)
{
	const struct profile *profile = merged->profile;
	size_t old = profile->thread_first[from], first = merged->first[merged->threads];
	unsigned metrics = profile->metric_count;

	for (size_t i = old; i < profile->thread_first[from + 1]; i++) {
		const struct profile_node *node = &profile->node[i];
		uint32_t parent = i == old ? (uint32_t)first : merged->place[node->parent];
		bool sampled = node->sampled || (merged->apart && !merged->called[i]);
		bool is_apart = merged->apart && sampled;
		uint32_t method = path_method(node);
		uint32_t number =
			pairs_take(paths, parent, method | (is_apart ? SAMPLED_METHOD : 0));
		struct profile_node *to;
		uint64_t *base;

		if (number == 0)
			return -1;
		merged->place[i] = (uint32_t)first + number - 1;
		to = &merged->node[merged->place[i]];
		if (first + number > merged->nodes) {
			*to = (struct profile_node){.thread = (uint32_t)merged->threads,
				.id = number - 1,
				.parent = parent,
				.method = node->method,
				.recursion = node->recursion,
				.line = node->line,
				.value = node->value,
				.tags = node->tags,
				.earlier = node->earlier,
				.sampled = true,
				.base = merged->base,
				.spent = merged->base + metrics};
			merged->base += 2 * metrics;
			merged->nodes++;
		}
		to->sampled &= sampled;
		/* Of sampled ones it is counted later. */
		if (!node->sampled)
			to->recursion = node->recursion;
		to->calls += node->calls;
		to->interpreted += node->interpreted;
		to->jitted += node->jitted;
		to->native += node->native;
		for (int k = 0; k < 4; k++)
			to->transition[k / 2][k % 2] += node->transition[k / 2][k % 2];
		base = merged->base + (to->base - merged->base);
		for (unsigned k = 0; k < 2 * metrics; k++)
			base[k] += node->base[k];
	}
	return 0;
}

/* The parts are as of one instant, but for a call that came between that and the look at its thread: it is short of what passed meanwhile,
 * and its caller has that too much. Where nobody has, the thread's total is too small. */
static void level_group(struct merged *merged, struct profile_thread *thread)
{
	size_t first = merged->first[merged->threads];
	unsigned metrics = merged->profile->metric_count;

	for (size_t i = merged->nodes; i-- > first;) {
		const struct profile_node *node = &merged->node[i];
		uint64_t *base = merged->base + (node->base - merged->base);
		uint64_t *caller =
			merged->base + (merged->node[node->parent].base - merged->base);

		for (unsigned k = 0; k < 2 * metrics; k++) {
			uint64_t short_of = (int64_t)base[k] < 0 ? -base[k] : 0;

			base[k] += short_of;
			if (i > first)
				caller[k] -= short_of;
			else if (k < metrics)
				thread->total[k] += short_of;
		}
	}
}

/* A thread with its parts, of which there may be none. parts: by thread, the first of its parts + 1, and of a part the next. */
static int put_group(struct merged *merged, size_t from, const size_t *parts)
{
	struct profile_thread *thread = &merged->thread[merged->threads];
	struct pairs paths = {0};
	bool is_group = parts[from] != 0;
	int status = add_tree(merged, &paths, from);

	for (size_t part = parts[from]; part != 0 && status == 0; part = parts[part - 1]) {
		status = add_tree(merged, &paths, part - 1);
		from = part - 1;
		for (unsigned i = 0; i < PROFILE_THREAD_COUNTS; i++)
			thread->count[i] += merged->profile->thread[from].count[i];
		for (unsigned m = 0; m < PROFILE_METRIC_MAX; m++)
			thread->total[m] += merged->profile->thread[from].total[m];
	}
	pairs_fini(&paths);
	if (is_group && status == 0)
		level_group(merged, thread);
	return status;
}

/* False: there are none. */
static bool find_parts(const struct profile *profile, size_t *parts)
{
	bool any = false;

	for (size_t t = profile->thread_count; t-- > 0;) {
		if (profile->thread[t].group) {
			ptrdiff_t group =
				profile_thread_find(profile, profile->thread[t].group);

			parts[t] = parts[group];
			parts[group] = t + 1;
			any = true;
		}
	}
	return any;
}

/* Sampled nodes are behind the others. */
static bool has_samples(const struct profile *profile, size_t thread)
{
	size_t end = profile->thread_first[thread + 1];

	return end > profile->thread_first[thread] && profile->node[end - 1].sampled;
}

static bool needs_merging(const struct profile *profile, size_t *parts)
{
	bool any = find_parts(profile, parts);

	for (size_t t = 0; t < profile->thread_count && !any; t++)
		any = has_samples(profile, t);
	return any;
}

static bool is_same(const struct profile_node *up, const struct profile_node *node)
{
	return up->method == node->method && path_method(up) == up->method;
}

/* Callers stand before what they call. A label is a part of its method. */
void paths_count_recursion(struct profile *profile, bool all)
{
	for (size_t i = 0; i < profile->node_count; i++) {
		struct profile_node *node = &profile->node[i];
		const struct profile_node *up = &profile->node[node->parent];

		if ((!node->sampled && !all) || node->parent == i)
			continue;
		while (!is_same(up, node) && up->id != 0)
			up = &profile->node[up->parent];
		node->recursion = is_same(up, node) ? up->recursion + 1 : 0;
	}
}

int groups_merge(struct owned_profile *owned)
{
	struct profile *profile = &owned->profile;
	struct store *store = &owned->store;
	size_t threads = profile->thread_count, nodes = profile->node_count;
	size_t *parts = store_room(store, threads + 1, sizeof *parts);
	struct merged merged = {.profile = profile, .apart = profile_is_auto(profile)};

	if (!parts)
		return -1;
	if (!needs_merging(profile, parts))
		return 0;
	merged.thread = store_room(store, threads + 1, sizeof *merged.thread);
	merged.first = store_room(store, threads + 1, sizeof *merged.first);
	merged.node = store_room(store, nodes + 1, sizeof *merged.node);
	merged.place = store_room(store, nodes + 1, sizeof *merged.place);
	merged.base =
		store_room(store, 2 * nodes * profile->metric_count + 1, sizeof *merged.base);
	merged.called = store_room(store, nodes + 1, sizeof *merged.called);
	if (store->failed)
		return -1;
	if (merged.apart)
		find_called(profile, merged.called);
	for (size_t t = 0; t < threads; t++) {
		size_t first = profile->thread_first[t];
		bool merges = parts[t] != 0 || has_samples(profile, t);

		if (profile->thread[t].group)
			continue;
		merged.first[merged.threads] = merged.nodes;
		merged.thread[merged.threads] = profile->thread[t];
		if (merges && put_group(&merged, t, parts) != 0)
			return -1;
		for (size_t i = first; !merges && i < profile->thread_first[t + 1]; i++) {
			struct profile_node *node = &merged.node[merged.nodes];

			merged.place[i] = (uint32_t)merged.nodes++;
			*node = profile->node[i];
			node->thread = (uint32_t)merged.threads;
			node->parent = merged.place[node->parent];
		}
		merged.threads++;
	}
	merged.first[merged.threads] = merged.nodes;
	for (size_t i = 0; i < profile->account_count; i++)
		profile->account[i].node = merged.place[profile->account[i].node];
	profile->thread = merged.thread;
	profile->thread_first = merged.first;
	profile->thread_count = merged.threads;
	profile->node = merged.node;
	profile->node_count = merged.nodes;
	paths_count_recursion(profile, false);
	return 0;
}
