/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* groups: see groups.h. */
#include "profile/groups.h"

#include <stdlib.h>
#include <string.h>

/* The profile as it becomes. */
struct merged {
	struct profile *profile;
	struct profile_node *node;
	uint64_t *base; /* of each: base, then spent */
	size_t *first;
	size_t nodes, threads;
	uint32_t *place; /* by a node as it was: its place in its new thread */
	/* hash of (parent, method) of the thread at work: node + 1; 0: free */
	uint32_t *slot;
	size_t slots; /* a power of two */
};

/* The node of that path in the thread at work, new if need be. */
static struct profile_node *take_node(struct merged *merged, uint32_t thread, uint32_t parent,
	const struct profile_node *from)
{
	size_t first = merged->first[merged->threads];
	uint64_t hash = ((uint64_t)parent << 32 | from->method) * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 32);
	unsigned metrics = merged->profile->metric_count;
	struct profile_node *node;
	uint32_t *slot;

	for (; *(slot = &merged->slot[at & (merged->slots - 1)]) != 0; at++) {
		node = &merged->node[first + *slot - 1];
		if (node->parent == parent && node->method == from->method &&
			(node->id == 0) == (from->id == 0))
			return node;
	}
	node = &merged->node[merged->nodes];
	*node = (struct profile_node){.thread = thread,
		.id = (uint32_t)(merged->nodes - first),
		.parent = parent,
		.method = from->method,
		.recursion = from->recursion,
		.base = merged->base + 2 * metrics * merged->nodes,
		.spent = merged->base + 2 * metrics * merged->nodes + metrics};
	*slot = (uint32_t)(++merged->nodes - first);
	return node;
}

static void add_node(
	const struct merged *merged, struct profile_node *to, const struct profile_node *from)
{
	uint64_t *base = merged->base + (to->base - merged->base);

	to->calls += from->calls;
	to->interpreted += from->interpreted;
	to->jitted += from->jitted;
	to->native += from->native;
	for (int i = 0; i < 4; i++)
		to->transition[i / 2][i % 2] += from->transition[i / 2][i % 2];
	for (unsigned i = 0; i < 2 * merged->profile->metric_count; i++)
		base[i] += from->base[i];
}

/* Parents stand before their children. */
static void add_tree(struct merged *merged, uint32_t thread, size_t from)
{
	const struct profile *profile = merged->profile;
	size_t first = profile->thread_first[from];

	for (size_t i = first; i < profile->thread_first[from + 1]; i++) {
		const struct profile_node *node = &profile->node[i];
		struct profile_node *to = take_node(merged, thread,
			i == first ? 0 : merged->place[first + node->parent], node);

		add_node(merged, to, node);
		merged->place[i] = to->id;
	}
}

static void add_thread(struct profile_thread *to, const struct profile_thread *from)
{
	to->events += from->events;
	to->unwound += from->unwound;
	to->repaired += from->repaired;
	to->unmatched += from->unmatched;
	to->lost += from->lost;
	to->pruned += from->pruned;
	to->mounts += from->mounts;
	to->carrier_ns += from->carrier_ns;
	to->waited_ns += from->waited_ns;
	for (unsigned m = 0; m < PROFILE_METRIC_MAX; m++)
		to->total[m] += from->total[m];
}

/* As of one instant something may be some nanoseconds short of nothing. */
static void mend(struct merged *merged, struct profile_thread *thread)
{
	unsigned metrics = merged->profile->metric_count;
	size_t end = 2 * metrics * merged->nodes;

	for (size_t i = 2 * metrics * merged->first[merged->threads]; i < end; i++)
		if ((int64_t)merged->base[i] < 0)
			merged->base[i] = 0;
	for (unsigned m = 0; m < metrics; m++)
		if ((int64_t)thread->total[m] < 0)
			thread->total[m] = 0;
}

static void move_thread(struct merged *merged, size_t from)
{
	const struct profile *profile = merged->profile;
	size_t first = profile->thread_first[from];
	unsigned metrics = profile->metric_count;

	for (size_t i = first; i < profile->thread_first[from + 1]; i++) {
		uint64_t *base = merged->base + 2 * metrics * merged->nodes;

		memcpy(base, profile->node[i].base, 2 * metrics * sizeof *base);
		merged->place[i] = (uint32_t)(i - first);
		merged->node[merged->nodes] = profile->node[i];
		merged->node[merged->nodes].base = base;
		merged->node[merged->nodes++].spent = base + metrics;
	}
}

/* The thread, with its parts if it has some; parts: by thread, the first of its parts + 1, and of a part
 * the next. */
static void put_thread(struct merged *merged, size_t from, const size_t *parts)
{
	struct profile *profile = merged->profile;
	struct profile_thread thread = profile->thread[from];

	merged->first[merged->threads] = merged->nodes;
	if (parts[from] == 0) {
		move_thread(merged, from);
	} else {
		memset(merged->slot, 0, merged->slots * sizeof *merged->slot);
		add_tree(merged, thread.id, from);
		for (size_t part = parts[from]; part != 0; part = parts[part - 1]) {
			add_tree(merged, thread.id, part - 1);
			add_thread(&thread, &profile->thread[part - 1]);
		}
		mend(merged, &thread);
	}
	profile->thread[merged->threads++] = thread;
}

static int compare_thread(const void *left, const void *right)
{
	const struct profile_account *a = left, *b = right;

	return (a->thread > b->thread) - (a->thread < b->thread);
}

/* Before threads are moved. */
static void move_accounts(struct profile *profile, const uint32_t *place)
{
	for (size_t i = 0; i < profile->account_count; i++) {
		struct profile_account *io = &profile->account[i];
		ptrdiff_t thread = profile_thread_find(profile, io->thread);

		io->node = place[profile->thread_first[thread] + io->node];
		if (profile->thread[thread].group)
			io->thread = profile->thread[thread].group;
	}
}

/* The largest group's nodes, with those of its parts; 0: there are no parts. */
static size_t find_parts(const struct profile *profile, size_t *parts, size_t *nodes)
{
	size_t largest = 0;

	for (size_t t = profile->thread_count; t-- > 0;) {
		ptrdiff_t group;

		nodes[t] += profile->thread_first[t + 1] - profile->thread_first[t];
		if (profile->thread[t].group == 0)
			continue;
		group = profile_thread_find(profile, profile->thread[t].group);
		parts[t] = parts[group];
		parts[group] = t + 1;
		nodes[group] += nodes[t];
		if (nodes[group] >= largest)
			largest = nodes[group] + 1;
	}
	return largest;
}

static void merge_all(struct merged *merged, const size_t *parts)
{
	struct profile *profile = merged->profile;
	size_t threads = profile->thread_count;
	struct profile_thread *thread = profile->thread;

	for (size_t t = 0; t < threads; t++)
		if (thread[t].group == 0)
			put_thread(merged, t, parts);
	merged->first[merged->threads] = merged->nodes;
}

int groups_merge(struct profile *profile, uint64_t **base)
{
	size_t *parts = calloc(profile->thread_count + 1, sizeof *parts);
	size_t *nodes = calloc(profile->thread_count + 1, sizeof *nodes);
	size_t largest = parts && nodes ? find_parts(profile, parts, nodes) : 0;
	struct merged merged = {.profile = profile, .slots = 16};
	int status = parts && nodes ? 0 : -1;

	free(nodes);
	if (status < 0 || largest == 0) {
		free(parts);
		return status;
	}
	while (merged.slots < 2 * largest)
		merged.slots *= 2;
	merged.node = calloc(profile->node_count + 1, sizeof *merged.node);
	merged.base = calloc(
		2 * profile->node_count * profile->metric_count + 1, sizeof *merged.base);
	merged.first = calloc(profile->thread_count + 1, sizeof *merged.first);
	merged.place = calloc(profile->node_count + 1, sizeof *merged.place);
	merged.slot = calloc(merged.slots, sizeof *merged.slot);
	if (merged.node && merged.base && merged.first && merged.place && merged.slot) {
		struct profile before = *profile;

		before.thread = malloc((profile->thread_count + 1) * sizeof *before.thread);
		if (before.thread) {
			memcpy(before.thread, profile->thread,
				profile->thread_count * sizeof *before.thread);
			merge_all(&merged, parts);
			move_accounts(&before, merged.place);
		}
		status = before.thread ? 0 : -1;
		free(before.thread);
	} else {
		status = -1;
	}
	free(parts);
	free(merged.place);
	free(merged.slot);
	if (status < 0) {
		free(merged.node);
		free(merged.base);
		free(merged.first);
		return status;
	}
	free(profile->node);
	free(profile->thread_first);
	free(*base);
	profile->node = merged.node;
	profile->thread_first = merged.first;
	profile->thread_count = merged.threads;
	profile->node_count = merged.nodes;
	*base = merged.base;
	if (profile->account_count > 0)
		qsort(profile->account, profile->account_count, sizeof *profile->account,
			compare_thread);
	return 0;
}
