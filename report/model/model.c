/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* model: what is chosen of a profile. What its nodes have of each metric is in values.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/chosen.h"

/* ---- choosing ---- */

static void add_metric(struct model *model, unsigned index)
{
	for (unsigned i = 0; i < model->metric_count; i++)
		if (model->metric_index[i] == index)
			return;
	model->metric_index[model->metric_count] = index;
	model->metric[model->metric_count++] = &model->profile->metric[index];
}

/* What it is called: its event, where no other has the same. */
static const char *condition_name(const struct profile *profile, size_t at)
{
	for (size_t i = 0; i < profile->condition_count; i++)
		if (i != at &&
			strcmp(profile->condition[i].event, profile->condition[at].event) == 0)
			return profile->condition[at].name;
	return profile->condition[at].event;
}

/* Those of that name or event; NULL: all. False: there is none. */
static bool add_conditions(struct model *model, const char *name)
{
	const struct profile *profile = model->profile;
	bool found = false;

	for (size_t i = 0; i < profile->condition_count; i++) {
		const struct profile_condition *condition = &profile->condition[i];
		bool is_new = true;

		if (name && strcmp(condition->name, name) != 0 &&
			strcmp(condition->event, name) != 0)
			continue;
		found = true;
		for (unsigned c = 0; c < model->condition_count; c++)
			is_new &= model->condition[c] != condition;
		if (!is_new)
			continue;
		model->condition_name[model->condition_count] = condition_name(profile, i);
		model->condition[model->condition_count++] = condition;
	}
	return found;
}

static void add_known(char *known, size_t size, const char *name)
{
	size_t used = strlen(known);

	snprintf(known + used, size - used, "%s%s", used == 0 ? "" : ", ", name);
}

/* The metric that views sort by: the one that samples divide; else `cpu`, for what waiting for a processor adds to `wall` is
 * not the program's alone. -1: there is none. */
static int leading_metric(const struct profile *profile)
{
	int divided = -1;

	for (size_t i = 0; i < profile->condition_count && divided < 0; i++)
		divided = profile_metric_find(profile, profile->condition[i].event);
	return divided >= 0 && profile_is_auto(profile) ? divided
							: profile_metric_find(profile, "cpu");
}

/* Names joined by '+' or ',', in their order. A metric and a condition may have the same. */
static int choose_metrics(struct model *model, struct error *error)
{
	const struct profile *profile = model->profile;
	const char *names = model->choice->metrics;
	int leading = leading_metric(profile);
	char *rest, *name, known[512] = "";

	if (!names && leading >= 0)
		add_metric(model, (unsigned)leading);
	for (unsigned i = 0; i < profile->metric_count; i++) {
		add_known(known, sizeof(known), profile->metric[i].name);
		if (!names)
			add_metric(model, i);
	}
	for (size_t i = 0; i < profile->condition_count; i++)
		add_known(known, sizeof(known), profile->condition[i].name);
	if (!names) {
		add_conditions(model, NULL);
		return 0;
	}
	rest = (char *)store_bytes(model->store, names, strlen(names)).text;
	if (model->store->failed)
		return model_no_memory(error);
	while ((name = strsep(&rest, "+,")) != NULL) {
		int index = profile_metric_find(profile, name);
		bool is_condition = add_conditions(model, name);

		if (index < 0 && !is_condition)
			return error_set(error, ERROR_MISSING,
				"the profile has no metric '%s'; it has: %s", name, known);
		if (index >= 0)
			add_metric(model, (unsigned)index);
	}
	return 0;
}

static int choose_threads(struct model *model, struct error *error)
{
	const struct pattern_list *wanted = &model->choice->threads;
	size_t count = model->profile->thread_count, found = 0;

	model->selected = store_room(model->store, count + 1, sizeof(*model->selected));
	model->thread = store_room(model->store, count + 1, sizeof(*model->thread));
	if (model->store->failed)
		return model_no_memory(error);
	for (size_t i = 0; i < count; i++) {
		model->thread[i] = label_of(model_thread_name(&model->profile->thread[i]));
		model->selected[i] = model_wants_thread(model, &model->profile->thread[i]);
		found += model->selected[i];
	}
	if (found == 0 && wanted->count > 0)
		return error_set(error, ERROR_MISSING,
			"no thread of the profile matches '%s'; --view threads lists them",
			wanted->pattern[0]);
	return 0;
}

/* ---- folds ---- */

static bool is_used(const struct model *model, size_t at)
{
	const struct profile_node *node = &model->profile->node[at];
	union model_value base[MODEL_VALUES_MAX];
	uint64_t used = node->calls;

	for (unsigned m = 0; m < model->profile->metric_count; m++)
		used |= node->base[m];
	model_base(model, at, base);
	for (unsigned v = model->metric_count; v < model->figures; v++)
		used |= base[v].count;
	return used != 0;
}

/* Nodes that events of traces have found, and neither calls nor samples: what they have is in the views of those traces, and all
 * others show the tree without them. Of the profile as it was read. */
static int find_told(struct model *model)
{
	const struct profile *profile = model->profile;
	bool *others;

	if (profile->trace_period_count == 0)
		return 0;
	model->told = store_room(model->store, profile->node_count + 1, sizeof(*model->told));
	others = store_room(model->store, profile->node_count + 1, sizeof(*others));
	if (model->store->failed)
		return -1;
	for (size_t i = 0; i < profile->account_count; i++)
		others[profile->account[i].node] |=
			!account_kind_is_told(profile->account[i].kind);
	/* Parents stand before their children. */
	for (size_t i = profile->node_count; i-- > 0;) {
		model->told[i] = profile->node[i].sampled && !others[i];
		others[profile->node[i].parent] |= others[i] || !profile->node[i].sampled;
	}
	return 0;
}

/* Every tree has a fold below its root from the start, for the case of need.
 * Where it stayed empty it is not shown. A node with children is never hidden. */
static void find_hidden(struct model *model)
{
	const struct profile *profile = model->profile;

	model->hidden =
		store_room(model->store, profile->node_count + 1, sizeof(*model->hidden));
	for (size_t i = 0; model->hidden && i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		model->hidden[i] = node->method == METHOD_FOLDED && !is_used(model, i);
		model->hidden[node->parent] = false;
	}
	for (size_t i = 0; model->hidden && model->told && i < profile->node_count; i++)
		model->hidden[i] |= model->told[i];
}

/* What is called from a flat node is beside it, and what was called where even that found no memory is in
 * the root's fold: such nodes, in the latter case all of the thread's, have at least their cum. */
static void find_folds(struct model *model)
{
	const struct profile *profile = model->profile;
	bool *at_least = store_room(model->store, profile->node_count + 1, sizeof(*at_least)),
	     any = false;

	for (size_t t = 0; at_least && t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t];
		bool all = false;

		for (size_t i = first + 1; i < profile->thread_first[t + 1]; i++) {
			const struct profile_node *node = &profile->node[i];

			at_least[i] = profile_is_flat(profile, node);
			any |= at_least[i];
			all |= at_least[i] && profile->node[node->parent].parent == first;
		}
		for (size_t i = first + 1; all && i < profile->thread_first[t + 1]; i++)
			at_least[i] = profile->node[i].method != METHOD_FOLDED;
	}
	model->at_least = any ? at_least : NULL;
}

static void list_nodes(struct model *model)
{
	const struct profile *profile = model->profile;

	model->node = store_room(model->store, profile->node_count + 1, sizeof(*model->node));
	for (size_t i = 0; !model->store->failed && i < profile->node_count; i++)
		if (model->selected[profile->node[i].thread] && !model->hidden[i]) {
			model->node[model->node_count++] = (uint32_t)i;
			model->has_sites |= profile->node[i].line > 0;
		}
}

/* ---- life ---- */

/* Which values things have. */
static void lay_out(struct model *model)
{
	unsigned metrics = model->metric_count;

	model->has_errors = model->adjusted || model->is_divided;
	model->figures = metrics + model->condition_count;
	model->counts = model->figures + (model->has_errors ? metrics : 0);
	model->squares = model->counts + (model->has_errors ? 3 * metrics : 0);
	model->values = model->squares + (model->is_divided ? metrics : 0);
}

int model_init(struct model *model, const struct profile *profile,
	const struct model_choice *choice, struct error *error)
{
	const struct adjustment *adjustment = choice->adjustment;
	int failed;

	*model = (struct model){.profile = profile,
		.apart = profile,
		.read = profile,
		.choice = choice,
		.store = calloc(1, sizeof(*model->store))};
	if (!model->store)
		return model_no_memory(error);
	failed = choose_metrics(model, error);
	if (failed == 0)
		failed = choose_threads(model, error);
	if (failed != 0)
		return failed;
	if (adjustment && adjustment->calibration)
		model->adjusted = &adjustment->adjusted;
	model->takes_counting = adjustment && !adjustment->observed;
	model_choose_division(model);
	lay_out(model);
	if (model_count_samples(model) != 0 || model_count_calls(model) != 0 ||
		model_divide(model) != 0 || find_told(model) != 0)
		return model_no_memory(error);
	failed = model_choose_places(model, error);
	if (failed != 0)
		return failed;
	if (choice->components && model_fold_components(model) != 0)
		return model_no_memory(error);
	if (choice->merge_threads && !choice->components && model_merge_threads(model) != 0)
		return model_no_memory(error);
	model->method = method_labels(model->store, model->profile);
	find_hidden(model);
	find_folds(model);
	if (model->condition_count > 0 && model->hidden && !model->is_divided)
		model->lacks_calls = model_lacks_calls(model);
	if (model->lacks_calls)
		model->lead = model->metric_count;
	list_nodes(model);
	return model->store->failed ? model_no_memory(error) : 0;
}

void model_fini(struct model *model)
{
	if (model->store)
		store_fini(model->store);
	free(model->store);
	*model = (struct model){0};
}

/* ---- what is asked of it ---- */

bool model_has_virtual(const struct model *model)
{
	for (size_t t = 0; t < model->profile->thread_count; t++) {
		if (model->profile->thread[t].is_virtual)
			return true;
	}
	return false;
}
