/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* merged_threads: see merged_threads.h. */
#include "cli/report/merged_threads.h"

#include <stdlib.h>

/* While paths are looked up: (parent, method) leads to a node. */
struct paths {
	uint32_t *slot; /* node + 1; 0: free */
	size_t slots;   /* a power of two */
};

static uint32_t *find_slot(const struct paths *paths, const struct profile *profile,
	uint32_t parent, uint32_t method)
{
	uint64_t hash = ((uint64_t)parent << 32 | method) * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 32) & (paths->slots - 1);

	for (; paths->slot[at] != 0; at = (at + 1) & (paths->slots - 1)) {
		const struct profile_node *node = &profile->node[paths->slot[at] - 1];

		if (node->parent == parent && node->method == method && node->index != 0)
			break;
	}
	return &paths->slot[at];
}

/* The node of that path, new if need be. */
static uint32_t take_node(struct merged_threads *merged, struct paths *paths,
	uint32_t parent, const struct profile_node *from)
{
	struct profile *profile = &merged->profile;
	uint32_t *slot = find_slot(paths, profile, parent, from->method), at;

	if (*slot != 0)
		return *slot - 1;
	at = (uint32_t)profile->node_count++;
	profile->node[at] = (struct profile_node){.index = at,
		.parent = parent,
		.method = from->method,
		.recursion = from->recursion,
		.base = merged->base + at * profile->metric_count};
	*slot = at + 1;
	return at;
}

static void add_node(const struct report *report, struct merged_threads *merged,
	uint32_t at, size_t from)
{
	const struct profile_node *own = &report->profile->node[from];
	struct profile_node *node = &merged->profile.node[at];
	union report_value values[REPORT_VALUES_MAX];

	node->calls += own->calls;
	node->interpreted += own->interpreted;
	node->jitted += own->jitted;
	node->native += own->native;
	for (unsigned m = 0; m < merged->profile.metric_count; m++)
		merged->base[at * merged->profile.metric_count + m] += own->base[m];
	report_base(report, from, values);
	report_add_values(report, report_values(report, merged->values, at), values);
}

/* Parents stand before their children: place[] of the parent is known. */
static void add_thread(const struct report *report, struct merged_threads *merged,
	struct paths *paths, size_t thread, uint32_t *place)
{
	const struct profile *profile = report->profile;
	size_t first = profile->thread_first[thread];

	for (size_t i = first; i < profile->thread_first[thread + 1]; i++) {
		const struct profile_node *node = &profile->node[i];

		place[i] = i == first ? 0
				      : take_node(merged, paths,
						place[first + node->parent], node);
		add_node(report, merged, place[i], i);
	}
}

static void sum_thread(struct profile_thread *sum, const struct profile_thread *thread)
{
	sum->events += thread->events;
	sum->unwound += thread->unwound;
	sum->repaired += thread->repaired;
	sum->unmatched += thread->unmatched;
	sum->lost += thread->lost;
	sum->pruned += thread->pruned;
	sum->folded += thread->folded;
	for (unsigned m = 0; m < PROFILE_METRIC_MAX; m++)
		sum->total[m] += thread->total[m];
}

/* A profile with room for all nodes, of which there is the root; NULL without memory. */
static struct merged_threads *make_room(const struct report *report)
{
	const struct profile *profile = report->profile;
	struct merged_threads *merged = calloc(1, sizeof(*merged));
	size_t count = profile->node_count + 1;

	if (merged == NULL)
		return NULL;
	merged->thread = (struct profile_thread){.name = "(all threads)", .alive = true};
	merged->base = calloc(count * profile->metric_count + 1, sizeof(*merged->base));
	merged->values = calloc(count * report->values + 1, sizeof(*merged->values));
	merged->profile = *profile;
	merged->profile.thread = &merged->thread;
	merged->profile.thread_first = merged->thread_first;
	merged->profile.thread_count = 1;
	merged->profile.node_count = 1;
	merged->profile.node = calloc(count, sizeof(*merged->profile.node));
	if (merged->base == NULL || merged->values == NULL || merged->profile.node == NULL) {
		merged_threads_destroy(merged);
		return NULL;
	}
	merged->profile.node[0].base = merged->base;
	return merged;
}

struct merged_threads *merged_threads_create(const struct report *report)
{
	const struct profile *profile = report->profile;
	size_t count = profile->node_count + 1;
	struct merged_threads *merged = make_room(report);
	struct paths paths = {.slots = 64};
	uint32_t *place = calloc(count, sizeof(*place));

	while (paths.slots < 2 * count)
		paths.slots *= 2;
	paths.slot = calloc(paths.slots, sizeof(*paths.slot));
	if (place == NULL || paths.slot == NULL) {
		merged_threads_destroy(merged);
		merged = NULL;
	}
	for (size_t t = 0; merged != NULL && t < profile->thread_count; t++) {
		if (!report->selected[t] ||
			profile->thread_first[t + 1] == profile->thread_first[t])
			continue;
		add_thread(report, merged, &paths, t, place);
		sum_thread(&merged->thread, &profile->thread[t]);
	}
	if (merged != NULL)
		merged->thread_first[1] = merged->profile.node_count;
	free(paths.slot);
	free(place);
	return merged;
}

void merged_threads_destroy(struct merged_threads *merged)
{
	if (merged == NULL)
		return;
	free(merged->profile.node);
	free(merged->base);
	free(merged->values);
	free(merged);
}
