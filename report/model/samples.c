/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* samples: those of each node, by condition. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/model/model.h"

/* On a chosen condition, of the program or of counting. */
static bool is_chosen(
	const struct model *model, const struct profile_account *account, unsigned *condition)
{
	if (account->kind != SAMPLES ||
		!model->selected[model->profile->node[account->node].thread])
		return false;
	for (unsigned c = 0; c < model->condition_count; c++) {
		*condition = c;
		if (model->condition[c]->id == sample_place_condition(account->subject))
			return true;
	}
	return false;
}

static bool is_jprof(const struct profile_account *account)
{
	return account->kind == SAMPLES && sample_place_state(account->subject) == SAMPLE_JPROF;
}

bool model_is_sample(
	const struct model *model, const struct profile_account *account, unsigned *condition)
{
	return !is_jprof(account) && is_chosen(model, account, condition);
}

bool model_is_counting(
	const struct model *model, const struct profile_account *account, unsigned *condition)
{
	return is_jprof(account) && is_chosen(model, account, condition);
}

/* Stacks that stand for unequal numbers of periods tell as much as fewer equal ones would: how many, of one (the
 * effective sample size, Kish 1965). */
static double evenness(const struct model *model, unsigned condition)
{
	double taken = (double)model_sample_fact(model, condition, "taken");
	double stacks = (double)model_sample_fact(model, condition, "stacks");
	double squares = (double)model_sample_fact(model, condition, "squares");

	return stacks > 0 && squares > 0 ? taken * taken / squares / stacks : 1;
}

double model_counting_part(
	const struct profile *profile, uint32_t condition, double calls, double samples)
{
	const struct profile_condition *row = &profile->condition[condition];

	if (profile->is_chosen) {
		calls = (double)profile->unlabelled_calls;
		samples = (double)profile->counting_samples[condition];
	}
	if (strcmp(row->event, "cpu") != 0 || samples == 0)
		return 1;
	return fmin(1, calls * COUNTED_CALL_NS / (samples * (double)row->period));
}

/* Samples of counting beyond that are the methods' own. */
static void bound_counting(const struct model *model, uint64_t *samples, uint64_t *counting)
{
	const struct profile *profile = model->profile;
	size_t conditions = model->condition_count;
	double calls = 0;

	for (size_t i = 0; i < profile->account_count; i++)
		if (profile->account[i].kind == CALLS &&
			model->selected[profile->node[profile->account[i].node].thread])
			calls += (double)profile->account[i].count;
	for (size_t c = 0; c < conditions; c++) {
		double all = 0, part;

		for (size_t i = c; i < profile->node_count * conditions; i += conditions)
			all += (double)counting[i];
		part = model_counting_part(profile, model->condition[c]->id, calls, all);
		if (part == 1)
			continue;
		for (size_t i = c; i < profile->node_count * conditions; i += conditions) {
			uint64_t own = (uint64_t)llround((double)counting[i] * part);

			samples[i] += counting[i] - own;
			counting[i] = own;
		}
	}
}

int model_count_samples(struct model *model)
{
	const struct profile *profile = model->profile;
	size_t conditions = model->condition_count;
	uint64_t *samples, *counting;

	if (conditions == 0)
		return 0;
	samples = store_room(
		model->store, profile->node_count * conditions + 1, sizeof(*samples));
	counting = store_room(
		model->store, profile->node_count * conditions + 1, sizeof(*counting));
	model->has_samples = store_room(
		model->store, profile->thread_count + 1, sizeof(*model->has_samples));
	if (model->store->failed)
		return -1;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		uint32_t state = sample_place_state(account->subject);
		unsigned c;

		if (account->kind == SAMPLES && model->choice->program_alone &&
			!model->selected[profile->node[account->node].thread] &&
			model->condition_count > 0 &&
			profile->condition[sample_place_condition(account->subject)].id ==
				model->condition[0]->id)
			model->jvm_samples[state] += account->amount;
		if (model_is_counting(model, account, &c))
			counting[account->node * conditions + c] += account->amount;
		if (!model_is_sample(model, account, &c))
			continue;
		samples[account->node * conditions + c] += account->amount;
		model->taken[c] += account->count;
		model->has_samples[profile->node[account->node].thread] = true;
	}
	for (unsigned c = 0; c < conditions; c++)
		model->taken[c] =
			(uint64_t)llround((double)model->taken[c] * evenness(model, c));
	bound_counting(model, samples, counting);
	model->samples = samples;
	model->counting = counting;
	return 0;
}

bool model_is_jvm_thread(const struct profile_thread *thread)
{
	uint64_t used = thread->events;

	for (unsigned m = 0; m < PROFILE_METRIC_MAX; m++)
		used |= thread->total[m];
	return thread->java_id == 0 && !thread->is_virtual && thread->folded == 1 && used == 0;
}

bool model_lacks_calls(const struct model *model)
{
	const struct profile *profile = model->profile;
	bool any = false;

	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		/* Paths of I/O have nodes, too. */
		if (node->calls > 0)
			return false;
		any |= node->sampled;
	}
	return any;
}

/* ---- what the agent counted of them ---- */

const struct sample_reason sample_reasons[SAMPLE_REASONS] = {
	{"full", "there was no room", true},
	{"kernel", "the kernel lost them, or took fewer", true},
	{"rest", "none: no period was over, as at threads' ends", false},
	{"inside", "none: the thread was in jprof", false},
	{"outside", "none: the thread is not recorded", false},
	{"throttled", "times the kernel held them back", false},
	{"taken", "taken in all", false},
};

uint64_t model_sample_fact(const struct model *model, unsigned condition, const char *key)
{
	char name[256];

	snprintf(name, sizeof(name), "sample.%s.%s", model->condition[condition]->name, key);
	return profile_meta_number(model->profile, name);
}

/* ---- estimates ---- */

unsigned model_condition_of(const struct model *model, const struct profile_metric *metric)
{
	for (unsigned c = 0; c < model->condition_count; c++)
		if (strcmp(model->condition[c]->event, metric->name) == 0)
			return c + 1;
	return 0;
}

bool model_can_estimate(const struct model *model)
{
	const struct profile *profile = model->profile;
	bool can = false;

	for (unsigned m = 0; m < model->metric_count && !model->is_divided; m++)
		can |= model_condition_of(model, model->metric[m]) != 0;
	/* What is chosen may lack what it would be a part of. */
	for (size_t i = 0; can && !model->leads && i < profile->node_count; i++)
		if (profile->node[i].sampled)
			return true;
	return false;
}

int estimates_init(struct estimates *estimates, const struct model *model)
{
	const struct profile *profile = model->profile;
	unsigned conditions = model->condition_count;
	uint64_t all[SAMPLE_CONDITIONS_MAX] = {0};
	union model_value base[MODEL_VALUES_MAX];

	estimates->owner = store_room(model->store, profile->node_count + 1, sizeof(uint32_t));
	estimates->samples = store_room(
		model->store, profile->node_count * conditions + 1, sizeof(uint64_t));
	for (unsigned m = 0; m < model->metric_count; m++)
		estimates->condition[m] = model_condition_of(model, model->metric[m]);
	if (model->store->failed)
		return -1;
	for (uint32_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];
		uint32_t owner = node->sampled ? estimates->owner[node->parent] : i;

		estimates->owner[i] = owner;
		model_base(model, i, base);
		for (unsigned c = 0; c < conditions; c++) {
			uint64_t samples = base[model->metric_count + c].count;

			estimates->samples[owner * (size_t)conditions + c] +=
				samples + model->counting[i * (size_t)conditions + c];
			all[c] += samples;
		}
	}
	for (unsigned c = 0; c < conditions; c++)
		estimates->stacks[c] =
			all[c] > 0 ? (double)model->taken[c] / (double)all[c] : 1;
	return 0;
}

struct estimate estimate_part(const struct estimates *estimates, const struct model *model,
	uint32_t node, unsigned metric, uint64_t samples)
{
	uint32_t owner = estimates->owner[node];
	unsigned c = estimates->condition[metric] - 1;
	double all = (double)estimates->samples[owner * (size_t)model->condition_count + c];
	double share = all > 0 ? (double)samples / all : 0, stacks = all * estimates->stacks[c],
	       whole;
	union model_value base[MODEL_VALUES_MAX];

	model_base(model, owner, base);
	whole = (double)base[metric].count;
	return (struct estimate){(uint64_t)llround(whole * share),
		(uint64_t)llround(
			stacks > 0 ? 2 * whole * sqrt(share * (1 - share) / stacks) : 0)};
}
