/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trace_times: see trace_times.h. */
#include "report/model/trace_times.h"

#include <stdio.h>

#include "report/text/figure.h"

/* A trace begins and ends with its recording some ms behind and before it; no more of it than that part. */
#define NEARLY_NS   UINT64_C(1000000000)
#define NEARLY_PART 4

/* The end of what was read; 0: not known. */
static uint64_t end_of(const struct profile *profile)
{
	uint64_t end = profile->interval.end;

	return end ? end : profile_meta_number(profile, "flushed_ns");
}

struct trace_times trace_times(const struct profile *profile, enum trace_kind kind)
{
	uint64_t from = profile->interval.begin, to = end_of(profile);
	struct trace_times times = {.whole = to > from ? to - from : 0};
	uint64_t nearly;

	for (size_t i = 0; i < profile->trace_period_count; i++) {
		const struct profile_trace_period *period = &profile->trace_period[i];
		uint64_t began = period->began > from ? period->began : from;
		uint64_t ended =
			period->ended == PROFILE_NOT_KNOWN || (uint64_t)period->ended > to
				? to
				: (uint64_t)period->ended;

		if (period->trace != kind || (ended <= began && to > 0))
			continue;
		times.periods++;
		times.ns += ended > began ? ended - began : 0;
	}
	nearly = times.whole / NEARLY_PART < NEARLY_NS ? times.whole / NEARLY_PART : NEARLY_NS;
	times.all = times.periods == 1 && times.ns + nearly >= times.whole;
	return times;
}

struct trace_span trace_span(const struct profile *profile, enum trace_kind kind)
{
	struct trace_times times = trace_times(profile, kind);
	struct trace_span line = {""};

	if (times.all)
		snprintf(line.text, sizeof(line.text), "all the time");
	else if (times.periods > 0)
		snprintf(line.text, sizeof(line.text), "%s of %s, %u time%s",
			figure_text(FIGURE_TIME, times.ns).text,
			figure_text(FIGURE_TIME, times.whole).text, times.periods,
			times.periods == 1 ? "" : "s");
	return line;
}

/* At whatever time of the recording. */
static bool was_on(const struct profile *profile, enum trace_kind kind)
{
	for (size_t i = 0; i < profile->trace_period_count; i++)
		if (profile->trace_period[i].trace == kind)
			return true;
	return false;
}

struct trace_line trace_line(const struct profile *profile, enum trace_kind kind)
{
	const char *name = trace_kind_names[kind];
	struct trace_times times = trace_times(profile, kind);
	struct trace_line line = {""};

	if (times.periods == 0 && was_on(profile, kind))
		snprintf(line.text, sizeof(line.text),
			"no trace of %s in this interval: it was on at another time", name);
	else if (times.periods == 0)
		snprintf(line.text, sizeof(line.text),
			"no trace of %s: record with --traces %s; in a recording that runs "
			"`jprof trace PID +%s` has it on",
			name, name, name);
	else if (!times.all)
		snprintf(line.text, sizeof(line.text), "%s traced for %s", name,
			trace_span(profile, kind).text);
	return line;
}
