/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* head: see head.h. */
#include "report/head.h"

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

static void put_matches(struct head *head)
{
	const struct profile *profile = head->report->model->profile;
	const char *text = profile_meta_get(profile, "matches"), *option;
	json_t *rows = text ? json_loads(text, 0, NULL) : NULL;
	bool is_running = head->report->request->state != NULL;
	const char *yet = is_running ? " yet" : "";
	char line[128] = "";

	option = matches_nothing(rows);
	if (option)
		snprintf(line, sizeof(line), MATCHES_NOTHING, yet, option);
	else if (lacks_calls(profile))
		snprintf(line, sizeof(line), "no call was recorded%s", yet);
	if (line[0] != '\0')
		put_line(head, line);
	matches_say(rows, !is_running, MATCHES_SAID, put_line, head);
	json_decref(rows);
}

/* ---- paths that were folded ---- */

static void put_folded(struct head *head)
{
	const struct model *model = head->report->model;
	const struct profile *profile = model->profile;
	const char *limit = profile_meta_get(profile, "memory.limit");
	/* Of calls, and of the first metric: all, and in folds. */
	uint64_t calls[2] = {0};
	double used[2] = {0};
	char line[FOLDED_LINE];

	for (size_t t = 0; model->at_least && t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t];

		for (size_t i = first; model->selected[t] && i < profile->thread_first[t + 1];
			i++) {
			const struct profile_node *node = &profile->node[i];
			bool is_flat =
				profile->node[first + node->parent].method == METHOD_FOLDED;

			for (int of = 0; of <= is_flat; of++) {
				calls[of] += node->calls;
				used[of] += model->metric_count > 0
						    ? (double)node->base[model->metric_index[0]]
						    : 0;
			}
		}
	}
	if (!folded_line(line, calls[0], calls[1], limit ? strtoull(limit, NULL, 10) : 0))
		return;
	put_line(head, line);
	snprintf(line, sizeof(line),
		"Self of each method is exact, Total at least what is shown");
	if (used[0] > 0)
		snprintf(line, sizeof(line),
			"nor has %.0f %% of %.40s; Self of each method is exact, Total at "
			"least what is shown",
			100 * used[1] / used[0], model->metric[0]->name);
	put_line(head, line);
}

void report_head(struct report *report, struct out *out)
{
	struct head head = {.report = report, .out = out};

	/* Programs find it among the facts of the summary. */
	if (!report->request->format->has_head)
		return;
	if (report->request->state)
		put_line(&head, report->request->state);
	put_matches(&head);
	put_folded(&head);
	if (head.lines > 0)
		out_char(out, '\n');
}
