/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* merged_threads: all selected threads as one tree. */
#include <string.h>

#include "profile/pairs.h"
#include "report/model/model.h"

struct merged {
	struct profile profile;
	struct profile_thread thread;
	size_t thread_first[2];
	uint64_t *base;                        /* of the nodes */
	union model_value *values;             /* by node: what model_base gives */
	struct part *part[PROFILE_METRIC_MAX]; /* what model_whole_errors needs */
	uint32_t *place;                       /* by node of the model's own profile */
};

static void add_squares(struct part *sum, const struct part *part)
{
	sum->cum_square += part->cum_square;
	sum->unseen += part->unseen;
	sum->unseen_square += part->unseen_square;
	sum->counting += part->counting;
	sum->counting_square += part->counting_square;
}

/* Parents stand before their children: place[] of the parent is known. The root has no pair: numbers are
 * nodes. -1 without memory. */
static int add_thread(
	const struct model *model, struct merged *merged, struct pairs *paths, size_t thread)
{
	const struct profile *profile = model->profile;
	size_t first = profile->thread_first[thread];
	unsigned metrics = profile->metric_count;

	for (size_t i = first; i < profile->thread_first[thread + 1]; i++) {
		const struct profile_node *node = &profile->node[i];
		uint32_t parent = merged->place[node->parent], at = 0;
		union model_value values[MODEL_VALUES_MAX];
		struct profile_node *to;

		if (i > first && (at = pairs_take(paths, parent, node->method)) == 0)
			return -1;
		to = &merged->profile.node[at];
		if (at == merged->profile.node_count) {
			merged->profile.node_count++;
			*to = (struct profile_node){.id = at,
				.parent = parent,
				.method = node->method,
				.recursion = node->recursion,
				.sampled = true,
				.base = merged->base + (size_t)at * metrics};
		}
		merged->place[i] = at;
		to->sampled &= node->sampled;
		to->calls += node->calls;
		to->interpreted += node->interpreted;
		to->jitted += node->jitted;
		to->native += node->native;
		for (unsigned m = 0; m < metrics; m++)
			merged->base[at * metrics + m] += node->base[m];
		for (unsigned m = 0; m < model->metric_count; m++)
			if (model->part[m])
				add_squares(&merged->part[m][at], &model->part[m][i]);
		model_base(model, i, values);
		model_add(model, model_at(model, merged->values, at), values);
	}
	return 0;
}

/* Samples and I/O of the selected threads, at the nodes that theirs have become. */
static void move_accounts(const struct model *model, struct merged *merged)
{
	const struct profile *profile = model->profile;

	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		unsigned condition;

		if (!model_is_sample(model, account, &condition) &&
			(account_kind_subject(account->kind) != SUBJECT_FILE ||
				!model->selected[profile->node[account->node].thread]))
			continue;
		merged->profile.account[merged->profile.account_count] = *account;
		merged->profile.account[merged->profile.account_count++].node =
			merged->place[account->node];
	}
}

int model_merge_threads(struct model *model)
{
	const struct profile *profile = model->profile;
	struct store *store = model->store;
	struct merged *merged = store_room(store, 1, sizeof(*merged));
	size_t count = profile->node_count + 1;
	struct pairs paths = {.slots = 64};
	struct profile_thread *sum;

	if (!merged)
		return -1;
	merged->profile = *profile;
	merged->profile.thread = sum = &merged->thread;
	merged->profile.thread_first = merged->thread_first;
	merged->profile.thread_count = 1;
	merged->profile.node_count = 1;
	merged->profile.account_count = 0; /* they are of nodes that are no more */
	merged->profile.account =
		store_room(store, profile->account_count + 1, sizeof(*merged->profile.account));
	merged->profile.node = store_room(store, count, sizeof(*merged->profile.node));
	merged->base = store_room(store, count, profile->metric_count * sizeof(*merged->base));
	merged->values = model_values(model, count);
	merged->place = store_room(store, count, sizeof(*merged->place));
	for (unsigned m = 0; m < model->metric_count; m++)
		if (model->part[m])
			merged->part[m] = store_room(store, count, sizeof(struct part));
	if (store->failed)
		return -1;
	merged->profile.node[0].base = merged->base;
	*sum = (struct profile_thread){.name = "(all threads)", .alive = true};
	while (paths.slots < 2 * profile->node_count)
		paths.slots *= 2;
	for (size_t t = 0; !store->failed && t < profile->thread_count; t++) {
		const struct profile_thread *thread = &profile->thread[t];

		if (!model->selected[t] ||
			profile->thread_first[t + 1] == profile->thread_first[t])
			continue;
		store->failed = add_thread(model, merged, &paths, t) != 0;
		for (unsigned i = 0; i < PROFILE_THREAD_COUNTS; i++)
			sum->count[i] += thread->count[i];
		sum->folded += thread->folded;
		for (unsigned m = 0; m < PROFILE_METRIC_MAX; m++)
			sum->total[m] += thread->total[m];
	}
	pairs_fini(&paths);
	if (!store->failed)
		move_accounts(model, merged);
	for (size_t t = 0; model->has_samples && t < profile->thread_count; t++)
		model->has_samples[0] |= model->has_samples[t];
	merged->thread_first[1] = merged->profile.node_count;
	model->profile = &merged->profile;
	model->merged = merged->values;
	memcpy(model->part, merged->part, sizeof(model->part));
	model->selected[0] = true;
	model->thread[0] = label_of(sum->name);
	return store->failed ? -1 : 0;
}
