/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* head: see head.h. */
#include "cli/report/head.h"

#include <stdio.h>
#include <string.h>

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
	const char *calls = profile_meta_get(profile, "calls");
	uint64_t events = 0;

	for (size_t i = 0; i < profile->thread_count; i++)
		events |= profile->thread[i].events;
	return events == 0 && (calls == NULL || strcmp(calls, "off") != 0) &&
	       !profile_is_unwritten(profile);
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

void report_head(struct report *report, struct out *out)
{
	struct head head = {.report = report, .out = out};

	/* Programs find it among the facts of the summary. */
	if (!report->request->format->has_head)
		return;
	if (report->request->state != NULL)
		put_line(&head, report->request->state);
	put_matches(&head);
	if (head.lines > 0)
		out_char(out, '\n');
}
