/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* head: see head.h. */
#include "cli/report/head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/folded.h"
#include "options/matches.h"

struct head {
	struct report *report;
	struct out *out;
	size_t lines;
};

static void put_line(void *user, const char *line)
{
	struct head *head = user;

	head->lines++;
	out_harmless(head->out, line, strlen(line));
	out_char(head->out, '\n');
}

/* Calls were to be recorded, none was, and the profile can tell. */
static bool lacks_calls(const struct profile *profile)
{
	const char *way = profile_meta_get(profile, "calls");

	if ((way != NULL && strcmp(way, "off") == 0) || profile_is_unwritten(profile))
		return false;
	for (size_t i = 0; i < profile->node_count; i++)
		if (profile->node[i].calls > 0)
			return false;
	return true;
}

/* option: why, if that is known; or NULL. */
static void put_lack(struct head *head, const char *option, bool is_running)
{
	const char *yet = is_running ? " yet" : "";
	char line[128];

	if (option != NULL)
		snprintf(line, sizeof(line), MATCHES_NOTHING, yet, option);
	else
		snprintf(line, sizeof(line), "no call was recorded%s", yet);
	put_line(head, line);
}

static void put_matches(struct head *head)
{
	const struct profile *profile = head->report->profile;
	const char *text = profile_meta_get(profile, "matches"), *option;
	json_t *rows = text != NULL ? json_loads(text, 0, NULL) : NULL;
	bool is_running = head->report->request->state != NULL;

	option = matches_nothing(rows);
	if (option != NULL || lacks_calls(profile))
		put_lack(head, option, is_running);
	matches_say(rows, !is_running, MATCHES_SAID, put_line, head);
	json_decref(rows);
}

/* ---- paths that were folded ---- */

/* Of calls, and of the first metric. */
struct folded {
	uint64_t calls, all_calls;
	double used, all_used;
};

static void add_thread(const struct report *report, size_t thread, struct folded *folded)
{
	const struct profile *profile = report->profile;
	size_t first = profile->thread_first[thread];

	for (size_t i = first; i < profile->thread_first[thread + 1]; i++) {
		const struct profile_node *node = &profile->node[i];
		bool is_flat = profile->node[first + node->parent].method == PROFILE_METHOD_FOLDED;
		double used = report->sheet.metric_count > 0
				      ? (double)node->base[report->metric[0]]
				      : 0;

		folded->all_calls += node->calls;
		folded->all_used += used;
		folded->calls += is_flat ? node->calls : 0;
		folded->used += is_flat ? used : 0;
	}
}

static void put_folded(struct head *head)
{
	const struct report *report = head->report;
	const char *limit = profile_meta_get(report->profile, "memory.limit");
	struct folded folded = {0};
	char line[FOLDED_LINE];

	for (size_t t = 0; report->at_least && t < report->profile->thread_count; t++)
		if (report->selected[t])
			add_thread(report, t, &folded);
	if (!folded_line(line, folded.all_calls, folded.calls,
		    limit != NULL ? strtoull(limit, NULL, 10) : 0))
		return;
	put_line(head, line);
	snprintf(line, sizeof(line), "Self of each method is exact, Total at least what is shown");
	if (folded.all_used > 0)
		snprintf(line, sizeof(line),
			"nor has %.0f %% of %.40s; Self of each method is exact, Total at least what is shown",
			100 * folded.used / folded.all_used, report->sheet.metric[0]->name);
	put_line(head, line);
}

void report_head(struct report *report, struct out *out)
{
	struct head head = {.report = report, .out = out};

	/* Programs find it among the facts of the summary. */
	if (!report->request->format->has_head)
		return;
	if (report->request->state != NULL)
		put_line(&head, report->request->state);
	put_matches(&head);
	put_folded(&head);
	if (head.lines > 0)
		out_char(out, '\n');
}
