/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* values: what something has of each metric. */
#include "report/model/model.h"

#include <math.h>
#include <string.h>

union model_value *model_values(const struct model *model, size_t count)
{
	return store_room(model->store, count * model->values + 1, sizeof(union model_value));
}

uint64_t model_error(const struct model *model, const union model_value *values, unsigned m)
{
	unsigned metrics = model->metric_count;
	const union model_value *part = values + model->counts;
	const struct adjust_errors errors = {.whole = part[m].part,
		.common = part[metrics + m].part,
		.square = part[2 * metrics + m].part};

	uint64_t figure = values[m].count, counted = values[model->figures + m].count;
	uint64_t error = adjust_half_width(&errors, figure, counted);
	double reach = fmax((double)figure, (double)counted - (double)figure);

	if (!model_is_part(model, values, m))
		return error;
	/* Beside that, by chance, and no farther than adjusting goes. */
	return (uint64_t)llround(fmin(
		hypot((double)error, sqrt(values[model->squares + m].part)), fmax(0, reach)));
}

void model_measured(const struct model *model, size_t node, union model_value *values)
{
	const struct adjusted *adjusted = model->adjusted;
	const uint64_t *raw = model->read->node[node].base;
	unsigned metrics = model->metric_count;

	if (model->has_errors)
		memset(values, 0, model->values * sizeof(*values));
	for (unsigned m = 0; m < metrics; m++)
		values[m].count = raw[model->metric_index[m]];
	for (unsigned m = 0; m < metrics && model->has_errors; m++)
		values[model->figures + m].count = raw[model->metric_index[m]];
	for (unsigned m = 0; m < metrics && adjusted; m++) {
		unsigned metric = model->metric_index[m];
		union model_value *part = values + model->counts;
		struct adjust_errors errors;

		values[m].count = adjusted->base[node * adjusted->metric_count + metric];
		errors = adjusted_errors(adjusted, model->read, node, metric);
		part[m].part = errors.whole;
		part[metrics + m].part = errors.common;
		part[2 * metrics + m].part = errors.square;
	}
}

/* A part of what was measured has as much of its errors. */
static void put_part(
	const struct model *model, size_t node, unsigned m, union model_value *values)
{
	const struct part *part = &model->part[m][node];
	unsigned metrics = model->metric_count;
	union model_value measured[MODEL_VALUES_MAX];
	double share;

	model_measured(model, model->owner[node], measured);
	share = measured[m].count > 0 ? (double)part->figure / (double)measured[m].count : 0;
	values[m].count = part->figure;
	for (unsigned v = model->counts + m; v < model->squares; v += metrics)
		values[v].part = share * measured[v].part;
	values[model->squares + m].part = part->base_square;
	values[model->counts + m].part += part->unseen;
	values[model->counts + 2 * metrics + m].part += part->unseen_square;
}

void model_whole_errors(const struct model *model, size_t node, union model_value *values)
{
	unsigned metrics = model->metric_count;

	for (unsigned m = 0; m < metrics; m++) {
		const struct part *part = model->part[m] ? model_part(model, m, node) : NULL;

		if (!part)
			continue;
		values[model->counts + m].part -= part->unseen;
		values[model->counts + 2 * metrics + m].part -= part->unseen_square;
		values[model->squares + m].part = part->cum_square;
	}
}

/* All that a thread used is as it was measured, but for what counting had of it. */
static void put_total_squares(const struct model *model, size_t node, union model_value *values)
{
	for (unsigned m = 0; m < model->values - model->squares; m++)
		values[model->squares + m].part =
			model->part[m] ? model_part(model, m, node)->counting_square : 0;
}

/* Of a part of it that is told by its root. */
static void put_chosen_squares(
	const struct model *model, size_t root, union model_value *values)
{
	for (unsigned m = 0; m < model->values - model->squares; m++)
		values[model->squares + m].part =
			model->part[m] ? model_part(model, m, root)->cum_square : 0;
}

void model_base(const struct model *model, size_t node, union model_value *values)
{
	const struct merged_node *merged = model->merged ? &model->merged[node] : NULL;

	if (merged && merged->sum) {
		memcpy(values, merged->sum->values, model->values * sizeof(*values));
		return;
	}
	node = merged ? merged->first : node;
	if (model->leads && model->leads[node]) {
		memset(values, 0, model->values * sizeof(*values));
		return;
	}
	model_measured(model, model->from ? model->from[node] : node, values);
	for (unsigned c = 0; c < model->condition_count; c++)
		values[model->metric_count + c].count =
			model->samples[node * model->condition_count + c];
	for (unsigned m = 0; m < model->metric_count && model->is_divided; m++)
		if (model->part[m])
			put_part(model, node, m, values);
}

void model_sum(const struct model *model, size_t thread, union model_value *values)
{
	const struct profile *profile = model->profile;

	memset(values, 0, model->values * sizeof(*values));
	for (size_t i = profile->thread_first[thread]; i < profile->thread_first[thread + 1];
		i++) {
		union model_value base[MODEL_VALUES_MAX];

		model_base(model, i, base);
		model_add(model, values, base);
	}
}

uint64_t model_counting_of(const struct model *model, size_t thread, unsigned m)
{
	const size_t *first = model->profile->thread_first;
	uint64_t used = 0;

	for (size_t i = first[thread]; model->part[m] && i < first[thread + 1]; i++)
		used += model_part(model, m, i)->counting;
	return used;
}

void model_total(const struct model *model, size_t thread, union model_value *values)
{
	const uint64_t *raw = model->profile->thread[thread].total;
	const struct adjusted *adjusted = model->adjusted;

	memset(values, 0, model->values * sizeof(*values));
	for (size_t i = model->profile->thread_first[thread];
		i < model->profile->thread_first[thread + 1]; i++) {
		union model_value base[MODEL_VALUES_MAX];

		model_base(model, i, base);
		model_whole_errors(model, i, base);
		put_total_squares(model, i, base);
		model_add(model, values, base);
	}
	if (model->leads) {
		put_chosen_squares(model, model->profile->thread_first[thread], values);
		return;
	}
	for (unsigned m = 0; m < model->metric_count; m++) {
		unsigned metric = model->metric_index[m];

		values[m].count = raw[metric] - model_counting_of(model, thread, m);
		if (adjusted)
			values[m].count -=
				adjusted->total[thread * adjusted->metric_count + metric].taken;
		if (model->has_errors)
			values[model->figures + m].count = raw[metric];
	}
}

union model_value *model_cum(const struct model *model)
{
	const struct profile *profile = model->profile;
	union model_value *cum = model_values(model, profile->node_count);
	union model_value base[MODEL_VALUES_MAX];

	/* Children stand behind their parents: from the end, each node is complete when it is met. */
	for (size_t i = profile->node_count; cum && i-- > 0;) {
		union model_value *own = model_at(model, cum, i);
		uint32_t parent = profile->node[i].parent;

		model_base(model, i, base);
		model_add(model, own, base);
		model_whole_errors(model, i, own);
		if (parent != i)
			model_add(model, model_at(model, cum, parent), own);
	}
	return cum;
}

void model_whole(const struct model *model, uint64_t whole[MODEL_FIGURES_MAX])
{
	union model_value base[MODEL_VALUES_MAX];

	for (size_t i = 0; i < model->node_count; i++) {
		model_base(model, model->node[i], base);
		for (unsigned m = 0; m < model->figures; m++)
			whole[m] += base[m].count;
	}
}

/* ---- sums by method ---- */

void call_count_add(struct call_count *count, const struct model *model, size_t node)
{
	const struct profile_node *from = &model->profile->node[node];

	count->nodes++;
	count->sampled += from->sampled;
	count->calls += from->calls;
	count->interpreted += from->interpreted;
	count->jitted += from->jitted;
	count->native += from->native;
	count->at_least |= model_is_at_least(model, node);
}

int model_count_calls(struct model *model)
{
	const struct profile *profile = model->profile;
	uint64_t *counted = NULL;

	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		if (account->kind != CALLS ||
			!model->selected[profile->node[account->node].thread])
			continue;
		if (!counted)
			counted = store_room(
				model->store, profile->method_count + 1, sizeof(*counted));
		if (!counted)
			return -1;
		counted[account->subject] += account->count;
	}
	model->counted = counted;
	return 0;
}

int tally_init(struct tally *tally, const struct model *model, const union model_value *cum)
{
	const struct profile *profile = model->profile;
	size_t methods = profile->method_count;

	tally->method = store_room(model->store, methods + 1, sizeof(*tally->method));
	tally->base = model_values(model, methods);
	tally->cum = model_values(model, methods);
	tally->seen = store_room(model->store, methods + 1, sizeof(*tally->seen));
	tally->seen_count = 0;
	if (model->store->failed)
		return -1;
	for (size_t i = 0; i < model->node_count; i++) {
		size_t at = model->node[i];
		const struct profile_node *node = &profile->node[at];
		union model_value base[MODEL_VALUES_MAX];

		call_count_add(&tally->method[node->method], model, at);
		model_base(model, at, base);
		model_add(model, model_at(model, tally->base, node->method), base);
		if (node->recursion == 0)
			model_add(model, model_at(model, tally->cum, node->method),
				model_at(model, cum, at));
	}
	for (uint32_t id = METHOD_ROOT + 1; id < methods; id++) {
		struct call_count *count = &tally->method[id];

		count->counted = model->counted ? model->counted[id] : 0;
		count->calls += count->counted;
		if (count->nodes + count->counted > 0)
			tally->seen[tally->seen_count++] = id;
	}
	return 0;
}
