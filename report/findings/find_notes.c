/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* find_notes: what is to be known of the profile before its figures are believed. */
#include "report/findings/search.h"

#include <math.h>
#include <string.h>

void find_outside(struct search *search, const struct finding_rule *rule)
{
	const struct model *model = search->model;
	const char *calls = profile_meta_get(model->profile, "calls");
	union model_value base[MODEL_VALUES_MAX];
	struct finding *finding;
	double share;

	/* Samples have no outside. */
	if (search->time == NOWHERE || model->is_divided ||
		search->time >= (int)model->metric_count || !calls ||
		strcmp(calls, "off") == 0 || model->profile->node_count < 2)
		return;
	model_base(model, 0, base);
	share = share_of(base[search->time].count, search->whole[search->time]);
	if (!is_enough(rule, base[search->time].count, share))
		return;
	finding = search_add(search, rule, base[search->time].count, share);
	finding->title =
		search_text(search, "%s of processor time is outside all included methods",
			search_share(search, share));
	finding->evidence = search_text(search,
		"%s were used where no recorded call was under way: in the JDK's own code "
		"that no included method called, in classes that are left out, or before "
		"methods had their probes.",
		search_time(search, finding->value));
	finding->command = search_command(search, "summary");
}

void find_few_samples(struct search *search, const struct finding_rule *rule)
{
	const struct model *model = search->model;
	struct finding *finding;
	uint64_t samples;

	if (search->cpu_samples == NOWHERE ||
		(!model_leads_by_samples(model) && !model->is_divided))
		return;
	samples = search->whole[model->metric_count + (unsigned)search->cpu_samples];
	if (samples == 0 || samples >= rule->count)
		return;
	finding = search_add(search, rule, samples, 1 / sqrt((double)samples));
	finding->title = search_text(
		search, "Only %s samples: shares are rough", search_count(search, samples));
	finding->evidence = search_text(search,
		"A share of 50%% may be off by %s of the whole (two standard errors), and "
		"what was seen in fewer than 20 samples tells next to nothing.",
		search_share(search, finding->share > 0.5 ? 0.5 : finding->share));
	finding->command = search_command(search, "states");
}

/* Of the whole process and the whole recording: of threads, or an interval, nobody counted what was lost. */
void find_lost_samples(struct search *search, const struct finding_rule *rule)
{
	const struct model *model = search->model;

	for (unsigned c = 0; c < model->condition_count; c++) {
		uint64_t taken = model_sample_fact(model, c, "taken"), lost = 0;
		struct finding *finding;

		for (int i = 0; i < SAMPLE_REASONS; i++)
			if (sample_reasons[i].lost)
				lost += model_sample_fact(model, c, sample_reasons[i].key);
		if (!is_enough(rule, lost, share_of(lost, lost + taken)))
			continue;
		finding = search_add(search, rule, lost, share_of(lost, lost + taken));
		finding->title = search_text(search, "%s of the samples were lost",
			search_share(search, finding->share));
		finding->evidence = search_text(search,
			"%s of condition %s, beside %s that were taken, in all threads and "
			"the whole recording: what ran then is missing.",
			search_count(search, lost),
			search_name(search, model->condition_name[c]),
			search_count(search, taken));
		finding->command = search_command(search, "summary");
	}
}

/* The error of the heaviest method's own figure. */
void find_uncertain(struct search *search, const struct finding_rule *rule)
{
	const struct model *model = search->model;
	const union model_value *most = NULL;
	struct finding *finding;
	uint32_t method = METHOD_ROOT;
	uint64_t figure, error;

	/* Where samples divide figures their number tells. */
	if (!model->adjusted || model->is_divided || search->time == NOWHERE ||
		search->time >= (int)model->metric_count)
		return;
	for (size_t i = 0; i < search->tally->seen_count; i++) {
		const union model_value *base =
			model_at(model, search->tally->base, search->tally->seen[i]);

		if (!most || base[search->time].count > most[search->time].count) {
			most = base;
			method = search->tally->seen[i];
		}
	}
	if (!most)
		return;
	figure = most[search->time].count;
	error = model_error(model, most, (unsigned)search->time);
	if (!is_enough(rule, error, figure > 0 ? (double)error / (double)figure : 0))
		return;
	finding = search_add(search, rule, error, share_of(error, figure));
	finding->method = method;
	finding->title = "Figures are not certain: what was taken out is about as large";
	finding->evidence = search_text(search,
		"Even of the method that used most itself, %s, the figure is %s, and may be "
		"off by %s.",
		search_method(search, method), search_time(search, figure),
		search_time(search, error));
	finding->command = search_command_method(search, "methods", method);
}

void find_lost_calls(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->profile;
	uint64_t lost = 0, events = 0, threads = profile_meta_number(profile, "threads.lost"),
		 methods = profile_meta_number(profile, "methods.lost");
	struct finding *finding;
	double share;

	for (size_t t = 0; t < profile->thread_count; t++) {
		if (!search->model->selected[t])
			continue;
		lost += profile->thread[t].lost;
		events += profile->thread[t].events;
	}
	share = share_of(lost, lost + events / 2);
	if (!is_enough(rule, lost, share) && threads + methods == 0)
		return;
	finding = search_add(search, rule, lost, share);
	finding->title = "Calls are missing";
	finding->evidence = search_text(search,
		"For want of memory these were not recorded: %s calls (%s of those that were "
		"timed), %s threads, %s methods.",
		search_count(search, lost), search_share(search, share),
		search_count(search, threads), search_count(search, methods));
	finding->command = search_command(search, "summary");
}

void find_folded(struct search *search, const struct finding_rule *rule)
{
	const struct model *model = search->model;
	const struct profile *profile = model->profile;
	uint64_t calls = 0, flat = 0;
	struct finding *finding;

	for (size_t n = 0; model->at_least && n < model->node_count; n++) {
		const struct profile_node *node = &profile->node[model->node[n]];

		calls += node->calls;
		flat += profile_is_flat(profile, node) ? node->calls : 0;
	}
	if (!is_enough(rule, flat, share_of(flat, calls)))
		return;
	finding = search_add(search, rule, flat, share_of(flat, calls));
	finding->title = search_text(search, "%s of the calls have lost their call path",
		search_share(search, finding->share));
	finding->evidence = search_text(search,
		"%s of %s calls stand below '%s': their methods are right, their callers are "
		"not known, and totals of methods above them are too small.",
		search_count(search, flat), search_count(search, calls), PROFILE_FOLDED_NAME);
	finding->command = search_command(search, "summary");
}

void find_own_cost(struct search *search, const struct finding_rule *rule)
{
	const struct adjustment *adjustment = search->model->choice->adjustment;
	const struct own_cost *cost = adjustment ? &adjustment->own_cost : NULL;
	struct finding *finding;
	double counting, share;

	/* It is taken out, or nothing is known of it. */
	if (!cost || search->model->adjusted)
		return;
	counting = search->model->is_divided && !search->model->takes_counting ? cost->counting
									       : 0;
	share = fmin(cost->least + counting + cost->sampling, 1);
	if (share < rule->share)
		return;
	finding = search_add(
		search, rule, (uint64_t)llround(share * (double)search->cpu_ns), share);
	finding->title = search_text(search, "%s of processor time or more is jprof's own",
		search_share(search, share));
	finding->evidence = search_text(search,
		"In the figures are %s or more for timing calls, %s for counting them, %s "
		"for samples: small methods that are called often look dearer than they are.",
		search_share(search, cost->least), search_share(search, counting),
		search_share(search, cost->sampling));
	finding->command = search_command(search, "summary");
}

void find_budget(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->profile;
	uint64_t dear = profile_meta_number(profile, "budget.dear"),
		 timed = profile_meta_number(profile, "budget.timed");
	struct finding *finding;

	if (!is_enough(rule, dear, share_of(dear, dear + timed)))
		return;
	finding = search_add(search, rule, dear, share_of(dear, dear + timed));
	finding->title = search_text(search, "The budget was too small to time %s methods",
		search_count(search, dear));
	finding->evidence = search_text(search,
		"%s methods are timed; %s were too dear and are counted, so their figures "
		"are known by samples (~), and their callers by samples alone.",
		search_count(search, timed), search_count(search, dear));
	finding->command = search_command(search, "summary");
}
