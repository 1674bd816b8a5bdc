/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* merged_threads: all selected threads as one tree. */
#include "profile/pairs.h"
#include "report/model/model.h"

/* Of a call site, joined with its number: no method has such an id. */
#define SITE_METHOD 0x80000000u

struct merged {
	struct profile profile;
	struct profile_thread thread;
	size_t thread_first[2];
	struct merged_node *node; /* by node */
	uint32_t *place;          /* by node of the model's own profile */
};

static void add_part(struct part *sum, const struct part *part)
{
	sum->cum_square += part->cum_square;
	sum->unseen += part->unseen;
	sum->unseen_square += part->unseen_square;
	sum->counting += part->counting;
	sum->counting_square += part->counting_square;
}

/* What a node as it was read has, to the sums of the merged node at. */
static void add_figures(
	const struct model *model, struct merged *merged, uint32_t at, size_t node)
{
	struct merged_sum *sum = merged->node[at].sum;
	uint64_t *base = (uint64_t *)merged->profile.node[at].base;
	union model_value values[MODEL_VALUES_MAX];

	for (unsigned m = 0; m < model->profile->metric_count; m++)
		base[m] += model->profile->node[node].base[m];
	for (unsigned m = 0; m < model->metric_count; m++)
		if (model->part[m])
			add_part(&sum->part[m], &model->part[m][node]);
	model_base(model, node, values);
	model_add(model, sum->values, values);
}

/* Gives the merged node figures of its own, which are none: until then it had those of its first one. */
static int make_sum(const struct model *model, struct merged *merged, uint32_t at)
{
	struct store *store = model->store;
	struct merged_sum *sum =
		store_room(store, 1, sizeof(*sum) + model->values * sizeof(*sum->values));

	if (!sum)
		return -1;
	if (model->is_divided)
		sum->part = store_room(store, model->metric_count, sizeof(*sum->part));
	merged->node[at].sum = sum;
	merged->profile.node[at].base =
		store_room(store, model->profile->metric_count, sizeof(uint64_t));
	return store->failed ? -1 : 0;
}

/* Makes the merged node one of this and of those that became it before. */
static int join_node(const struct model *model, struct merged *merged, uint32_t at, size_t node)
{
	const struct profile_node *from = &model->profile->node[node];
	struct profile_node *to = &merged->profile.node[at];

	if (!merged->node[at].sum) {
		if (make_sum(model, merged, at) != 0)
			return -1;
		add_figures(model, merged, at, merged->node[at].first);
	}
	add_figures(model, merged, at, node);
	to->sampled &= from->sampled;
	to->calls += from->calls;
	to->interpreted += from->interpreted;
	to->jitted += from->jitted;
	to->native += from->native;
	return 0;
}

/* The node's number among those of its path, from 1; 0 without memory. sites: of a method and a line. */
static uint32_t path_of(struct pairs *paths, struct pairs *sites, uint32_t parent,
	const struct profile_node *node)
{
	uint32_t site = node->line ? pairs_take(sites, node->method, node->line) : 0;

	if (node->line && site == 0)
		return 0;
	return pairs_take(paths, parent, site ? SITE_METHOD | site : node->method);
}

/* Parents stand before their children: place[] of the parent is known. The root has no pair: numbers are
 * nodes. -1 without memory. */
static int add_thread(const struct model *model, struct merged *merged, struct pairs *paths,
	struct pairs *sites, size_t thread)
{
	const struct profile *profile = model->profile;
	size_t first = profile->thread_first[thread];

	for (size_t i = first; i < profile->thread_first[thread + 1]; i++) {
		const struct profile_node *node = &profile->node[i];
		uint32_t parent = merged->place[node->parent], at = 0;

		/* It has nothing that comes along, nor has what is below it. */
		if (model->told && model->told[i]) {
			merged->place[i] = parent;
			continue;
		}
		if (i > first && (at = path_of(paths, sites, parent, node)) == 0)
			return -1;
		merged->place[i] = at;
		if (at < merged->profile.node_count) {
			if (join_node(model, merged, at, i) != 0)
				return -1;
			continue;
		}
		merged->profile.node_count++;
		merged->node[at].first = (uint32_t)i;
		merged->profile.node[at] = (struct profile_node){.id = at,
			.parent = parent,
			.method = node->method,
			.recursion = node->recursion,
			.line = node->line,
			.sampled = node->sampled,
			.calls = node->calls,
			.interpreted = node->interpreted,
			.jitted = node->jitted,
			.native = node->native,
			.base = node->base};
	}
	return 0;
}

/* Samples of the selected threads, their I/O, and what collections stopped of them, at the nodes that theirs have become. */
static void move_accounts(const struct model *model, struct merged *merged)
{
	const struct profile *profile = model->profile;

	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		unsigned condition;

		if (!model_is_sample(model, account, &condition) &&
			((account_kind_subject(account->kind) != SUBJECT_FILE &&
				 account->kind != PAUSES) ||
				!model->selected[profile->node[account->node].thread]))
			continue;
		merged->profile.account[merged->profile.account_count] = *account;
		merged->profile.account[merged->profile.account_count++].node =
			merged->place[account->node];
	}
}

/* Samples that are none of the program, likewise. Those of other threads are not there. */
static void move_counting(struct model *model, const struct merged *merged)
{
	size_t conditions = model->condition_count, count = merged->profile.node_count;
	uint64_t *to = store_room(model->store, count * conditions + 1, sizeof(*to));

	for (size_t i = 0; to && i < model->profile->node_count; i++)
		for (size_t c = 0; c < conditions; c++)
			to[merged->place[i] * conditions + c] +=
				model->counting[i * conditions + c];
	model->counting = to;
}

int model_merge_threads(struct model *model)
{
	const struct profile *profile = model->profile;
	struct store *store = model->store;
	struct merged *merged = store_room(store, 1, sizeof(*merged));
	size_t count = profile->node_count + 1;
	struct pairs paths = {.slots = 64}, sites = {0};
	struct profile_thread *sum;

	if (!merged)
		return -1;
	merged->profile = *profile;
	merged->profile.thread = sum = &merged->thread;
	merged->profile.thread_first = merged->thread_first;
	merged->profile.thread_count = 1;
	merged->profile.node_count = 1;    /* the root, of all of theirs */
	merged->profile.account_count = 0; /* they are of nodes that are no more */
	merged->profile.account =
		store_room(store, profile->account_count + 1, sizeof(*merged->profile.account));
	merged->profile.node = store_room(store, count, sizeof(*merged->profile.node));
	merged->node = store_room(store, count, sizeof(*merged->node));
	merged->place = store_room(store, count, sizeof(*merged->place));
	if (store->failed || make_sum(model, merged, 0) != 0)
		return -1;
	*sum = (struct profile_thread){.name = "(all threads)", .alive = true};
	while (paths.slots < 2 * profile->node_count)
		paths.slots *= 2;
	for (size_t t = 0; !store->failed && t < profile->thread_count; t++) {
		const struct profile_thread *thread = &profile->thread[t];

		if (!model->selected[t] ||
			profile->thread_first[t + 1] == profile->thread_first[t])
			continue;
		store->failed = add_thread(model, merged, &paths, &sites, t) != 0;
		for (unsigned i = 0; i < PROFILE_THREAD_COUNTS; i++)
			sum->count[i] += thread->count[i];
		sum->folded += thread->folded;
		for (unsigned m = 0; m < PROFILE_METRIC_MAX; m++)
			sum->total[m] += thread->total[m];
	}
	pairs_fini(&paths);
	pairs_fini(&sites);
	if (!store->failed)
		move_accounts(model, merged);
	if (!store->failed && model->counting)
		move_counting(model, merged);
	for (size_t t = 0; model->has_samples && t < profile->thread_count; t++)
		model->has_samples[0] |= model->has_samples[t];
	merged->thread_first[1] = merged->profile.node_count;
	model->profile = &merged->profile;
	model->merged = merged->node;
	model->selected[0] = true;
	model->thread[0] = label_of(sum->name);
	return store->failed ? -1 : 0;
}
