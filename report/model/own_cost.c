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

	for (size_t t = 0; t < profile->thread_count; t++) {
		const struct profile_thread *thread = &profile->thread[t];

		if (thread->events == 0 ||
			(threads && threads->count > 0 &&
				!pattern_list_match(threads, model_thread_name(thread))))
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
