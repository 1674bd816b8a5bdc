/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* own_cost: see own_cost.h. */
#include "report/model/own_cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"

/* An event costs no more than so many times what the agent estimates: in interpreted methods it
 * is three to five times that. With calls=events the JVM adds its own part. */
enum { MOST_TIMES = 6, JVM_EVENT_NS = 200 };

/* Some threads of the program; all without names. */
static bool is_among(const struct profile_thread *thread, const struct pattern_list *threads)
{
	return !threads || threads->count == 0 ||
	       pattern_list_match(threads, model_thread_name(thread));
}

/* The condition on processor time, or else on time. -1: there is none. */
static int time_condition(const struct profile *profile)
{
	int found = -1;

	for (size_t i = profile->condition_count; i-- > 0;) {
		const struct profile_condition *condition = &profile->condition[i];

		if (strcmp(condition->unit, "ns") == 0 &&
			(found < 0 || strcmp(condition->event, "cpu") == 0))
			found = (int)i;
	}
	return found;
}

static double counting_part(
	const struct profile *profile, const struct pattern_list *threads, int condition)
{
	double counting = 0, all = 0, calls = 0;

	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		const struct profile_thread *thread;

		thread = &profile->thread[profile->node[account->node].thread];
		if (model_is_jvm_thread(thread) || !is_among(thread, threads))
			continue;
		if (account->kind == CALLS)
			calls += (double)account->count;
		if (account->kind != SAMPLES ||
			sample_place_condition(account->subject) != (uint32_t)condition)
			continue;
		all += (double)account->amount;
		if (sample_place_state(account->subject) == SAMPLE_JPROF)
			counting += (double)account->amount;
	}
	/* As what is taken out. */
	counting *= model_counting_part(profile, (uint32_t)condition, calls, counting);
	return all > 0 ? counting / all : 0;
}

/* Of the whole recording, and all threads. */
static double sampling_part(const struct profile *profile, int condition)
{
	static const char *const periods[] = {"taken", "inside", "outside"};
	const char *cost = profile_meta_get(profile, "sample.cost_ns");
	const struct profile_condition *row = &profile->condition[condition];
	double used = 0;
	char key[400];

	for (size_t i = 0; i < sizeof(periods) / sizeof(*periods); i++) {
		const char *value;

		snprintf(key, sizeof(key), "sample.%s.%s", row->name, periods[i]);
		value = profile_meta_get(profile, key);
		used += value ? strtod(value, NULL) * (double)row->period : 0;
	}
	return cost && used > 0 ? fmin(strtod(cost, NULL) / used, 1) : 0;
}

struct own_cost own_cost_of(const struct profile *profile, const struct pattern_list *threads)
{
	const char *event = profile_meta_get(profile, "overhead.event_ns");
	const char *cpu_ns = profile_meta_get(profile, "cpu_ns");
	const char *calls = profile_meta_get(profile, "calls");
	bool whole = !profile->interval.from && !profile->interval.to;
	bool by_jvm = calls && strcmp(calls, "events") == 0;
	int cpu = profile_metric_find(profile, "cpu");
	struct own_cost cost = {.event_ns = event ? strtod(event, NULL) : 0, .most = 1};
	double events = 0, used = 0;
	int condition = time_condition(profile);

	if (condition >= 0) {
		cost.counting = counting_part(profile, threads, condition);
		cost.sampling = sampling_part(profile, condition);
	}
	for (size_t t = 0; t < profile->thread_count; t++) {
		const struct profile_thread *thread = &profile->thread[t];

		if (thread->events == 0 || !is_among(thread, threads))
			continue;
		events += (double)thread->events;
		used += cpu >= 0 ? (double)thread->total[cpu] : 0;
	}
	/* Where threads' time was not counted, the process's, which is of the whole recording. */
	if (cpu < 0 && cpu_ns && whole)
		used = strtod(cpu_ns, NULL);
	if (events == 0)
		cost.most = 0;
	if (events == 0 || !(cost.event_ns > 0) || !(used > 0))
		return cost;
	cost.is_known = true;
	cost.least = fmin(events * cost.event_ns / used, 1);
	cost.most = fmin(
		events * (MOST_TIMES * cost.event_ns + (by_jvm ? JVM_EVENT_NS : 0)) / used, 1);
	return cost;
}

const char *own_cost_text(const struct own_cost *cost, char text[OWN_COST_TEXT])
{
	double percent = 100 * cost->least;

	snprintf(text, OWN_COST_TEXT, "%.*f %% of processor time or more", percent < 9.95,
		percent);
	return cost->is_known ? text : NULL;
}

const char *own_cost_parts(
	const struct own_cost *cost, double timing, char text[OWN_COST_PARTS])
{
	bool is_estimate = timing < 0;
	double by_events = is_estimate ? cost->least : timing,
	       all = 100 * (cost->counting + by_events + cost->sampling);

	snprintf(text, OWN_COST_PARTS,
		"%.*f %%%s (counting %.1f %%, timing %.1f %%, samples %.1f %%)", all < 9.95,
		all, is_estimate && cost->most > 0 ? " or more" : "", 100 * cost->counting,
		100 * by_events, 100 * cost->sampling);
	return text;
}
