/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* merged_threads: see merged_threads.h. */
#include "report/model/merged_threads.h"

#include "profile/pairs.h"

/* The node of that path, new if need be; NULL without memory. */
static struct profile_node *take_node(struct merged_threads *merged, struct pairs *paths,
	uint32_t parent, const struct profile_node *from)
{
	struct profile *profile = &merged->profile;
	/* The root has no pair: numbers are nodes. */
	uint32_t found = pairs_take(paths, parent, from->method);
	struct profile_node *node = &profile->node[found];

	if (found == 0)
		return NULL;
	if (found < profile->node_count)
		return node;
	profile->node_count++;
	*node = (struct profile_node){.id = found,
		.parent = parent,
		.method = from->method,
		.recursion = from->recursion,
		.base = merged->base + (size_t)found * profile->metric_count};
	return node;
}

static void add_node(
	const struct model *model, struct merged_threads *merged, uint32_t at, size_t from)
{
	const struct profile_node *own = &model->profile->node[from];
	struct profile_node *node = &merged->profile.node[at];
	union model_value values[MODEL_VALUES_MAX];

	node->calls += own->calls;
	node->interpreted += own->interpreted;
	node->jitted += own->jitted;
	node->native += own->native;
	for (unsigned m = 0; m < merged->profile.metric_count; m++)
		merged->base[at * merged->profile.metric_count + m] += own->base[m];
	model_base(model, from, values);
	model_add(model, model_at(model, merged->values, at), values);
}

/* Parents stand before their children: place[] of the parent is known. */
static int add_thread(const struct model *model, struct merged_threads *merged,
	struct pairs *paths, size_t thread, uint32_t *place)
{
	const struct profile *profile = model->profile;
	size_t first = profile->thread_first[thread];

	for (size_t i = first; i < profile->thread_first[thread + 1]; i++) {
		const struct profile_node *node = &profile->node[i];
		struct profile_node *own = merged->profile.node;

		if (i > first)
			own = take_node(merged, paths, place[first + node->parent], node);
		if (!own)
			return -1;
		place[i] = (uint32_t)(own - merged->profile.node);
		add_node(model, merged, place[i], i);
	}
	return 0;
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
static struct merged_threads *make_room(const struct model *model)
{
	const struct profile *profile = model->profile;
	struct merged_threads *merged = store_room(model->store, 1, sizeof(*merged));
	size_t count = profile->node_count + 1;

	if (!merged)
		return NULL;
	merged->thread = (struct profile_thread){.name = "(all threads)", .alive = true};
	merged->base =
		store_room(model->store, count, profile->metric_count * sizeof(*merged->base));
	merged->values = model_values(model, count);
	merged->profile = *profile;
	merged->profile.thread = &merged->thread;
	merged->profile.thread_first = merged->thread_first;
	merged->profile.thread_count = 1;
	merged->profile.node_count = 1;
	merged->profile.node = store_room(model->store, count, sizeof(*merged->profile.node));
	if (model->store->failed)
		return NULL;
	merged->profile.node[0].base = merged->base;
	return merged;
}

struct merged_threads *merged_threads_make(const struct model *model)
{
	const struct profile *profile = model->profile;
	struct merged_threads *merged = make_room(model);
	uint32_t *place = store_room(model->store, profile->node_count + 1, sizeof(*place));
	struct pairs paths = {.slots = 64};

	while (paths.slots < 2 * profile->node_count)
		paths.slots *= 2;
	for (size_t t = 0; !model->store->failed && t < profile->thread_count; t++) {
		if (!model->selected[t] ||
			profile->thread_first[t + 1] == profile->thread_first[t])
			continue;
		model->store->failed = add_thread(model, merged, &paths, t, place) != 0;
		sum_thread(&merged->thread, &profile->thread[t]);
	}
	pairs_fini(&paths);
	if (model->store->failed)
		return NULL;
	merged->thread_first[1] = merged->profile.node_count;
	return merged;
}
