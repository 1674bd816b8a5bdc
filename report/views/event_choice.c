/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* event_choice: see event_choice.h. */
#include "report/views/event_choice.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/model/event_walk.h"
#include "report/text/figure.h"

uint64_t event_from(const struct report *report)
{
	const struct profile_interval *interval = &report->model->profile->interval;
	uint64_t from = interval->from ? interval->begin : 0;

	return report->request->from > from ? report->request->from : from;
}

uint64_t event_to(const struct report *report)
{
	const struct profile_interval *interval = &report->model->profile->interval;
	uint64_t to = interval->to ? interval->end : UINT64_MAX;

	return report->request->to != 0 && report->request->to < to ? report->request->to : to;
}

bool event_wants_thread(const struct report *report, uint32_t thread)
{
	const struct profile_thread row = event_thread_row(report->model->profile, thread);

	return model_wants_thread(report->model, &row);
}

const char *event_thread_name(const struct report *report, uint32_t thread)
{
	const struct profile_thread row = event_thread_row(report->model->profile, thread);

	return model_thread_name(&row);
}

struct label event_method_name(const struct report *report, uint32_t method)
{
	return method ? report->model->method[method].display : label_of("(not known)");
}

static void say_count(
	const struct report *report, uint64_t count, const char *one, const char *many)
{
	char line[200];

	if (count == 0 || !report->request->say)
		return;
	snprintf(line, sizeof(line), "%" PRIu64 " %s", count, count == 1 ? one : many);
	report->request->say(line);
}

void event_say(const struct report *report, uint64_t lost, uint64_t damaged, uint64_t odd)
{
	say_count(report, lost,
		"event was lost: there was no memory for it (max_memory=1g has more)",
		"events were lost: there was no memory for them (max_memory=1g has more)");
	say_count(report, damaged, "block of events cannot be read",
		"blocks of events cannot be read");
	say_count(report, odd, "exit matches no entry", "exits match no entry");
}

void event_note(const struct report *report, struct sink *sink)
{
	const struct profile *profile = report->model->profile;

	for (size_t i = 0; i < profile->event_write_count; i++) {
		const struct profile_event_write *write = &profile->event_write[i];

		sink_title(sink, "Written at %s since %s: %s%s",
			figure_text(FIGURE_TIME, write->at).text,
			figure_text(FIGURE_TIME, write->begin).text, write->reason,
			write->whole ? "" : " (what came before had gone already)");
	}
}
