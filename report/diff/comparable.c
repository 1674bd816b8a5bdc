/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* comparable: what of two profiles cannot be compared, or only with care. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff/diff.h"

/* Facts that profiles hold as they are. */
static const char *const meta_keys[DIFF_FACTS] = {
	[FACT_COMMAND] = "java.command",
	[FACT_CALLS] = "calls",
	[FACT_TIMING] = "timing",
	[FACT_JVM] = "jvm.version",
	[FACT_CPU] = "machine.cpu",
	[FACT_PROCESSORS] = "machine.processors",
	[FACT_SYSTEM] = "machine.system",
	[FACT_HOST] = "machine.host",
	[FACT_PID] = "pid",
	[FACT_STARTED] = "started",
	[FACT_DURATION] = "duration_ns",
	[FACT_COMPLETE] = "complete",
	[FACT_OPTIONS] = "options",
	[FACT_FOLDED] = "calls.folded",
};

int diff_take_facts(struct diff *diff, struct diff_run *run, const struct model *model)
{
	const struct profile *profile = model->profile;
	struct out names;

	for (int i = 0; i < DIFF_FACTS; i++) {
		const char *value =
			meta_keys[i] ? profile_meta_get(profile, meta_keys[i]) : NULL;

		if (value)
			run->fact[i] = store_bytes(&diff->store, value, strlen(value));
	}
	out_init(&names, -1);
	for (unsigned c = 0; c < model->condition_count; c++) {
		out_text(&names, c > 0 ? ", " : "");
		out_text(&names, model->condition[c]->name);
	}
	if (!names.failed)
		run->fact[FACT_SAMPLED] = store_bytes(&diff->store, names.buffer, names.length);
	out_fini(&names);
	run->fact[FACT_ADJUSTED] = label_of(model->adjusted ? "yes" : "no");
	return diff->store.failed ? -1 : 0;
}

static const char *text_of(const struct diff_run *run, enum diff_fact fact)
{
	return run->fact[fact].text ? run->fact[fact].text : "";
}

static bool has_same(const struct diff_run *a, const struct diff_run *b, enum diff_fact fact)
{
	return strcmp(text_of(a, fact), text_of(b, fact)) == 0;
}

const char *diff_refuses(struct diff *diff, const struct diff_run *run)
{
	static const enum diff_fact recording[] = {
		FACT_HOST, FACT_PID, FACT_STARTED, FACT_DURATION, FACT_COMMAND};

	for (unsigned i = 0; i < diff->run_count; i++) {
		bool same = run->fact[FACT_PID].text && run->fact[FACT_STARTED].text;

		for (size_t f = 0; f < sizeof(recording) / sizeof(*recording); f++)
			same &= has_same(run, diff->run[i], recording[f]);
		if (same)
			return store_format(&diff->store,
				"'%s' and '%s' are the same recording",
				error_subject(diff->run[i]->file.text).text,
				error_subject(run->file.text).text)
				.text;
	}
	return NULL;
}

/* ---- what differs between runs ---- */

/* The first run that has another value than the first of all; NULL: none has. */
static const struct diff_run *other_run(const struct diff *diff, enum diff_fact fact)
{
	for (unsigned i = 1; i < diff->run_count; i++)
		if (!has_same(diff->run[0], diff->run[i], fact))
			return diff->run[i];
	return NULL;
}

static const char *shown(const char *value)
{
	return value[0] != '\0' ? value : "not known";
}

static const char *conditions_of(const struct diff_run *run)
{
	const char *conditions = text_of(run, FACT_SAMPLED);

	return conditions[0] != '\0' ? conditions : "none";
}

/* What is said of facts that should be the same. */
static const struct {
	enum diff_fact fact;
	const char *what, *so;
} rows[] = {
	{FACT_COMMAND, "commands", ""},
	{FACT_JVM, "JDKs", ": times differ by that, too"},
	{FACT_HOST, "machines", ": times may differ by that, too"},
	{FACT_CPU, "processors", ": times cannot be told from what those differ by"},
	{FACT_PROCESSORS, "numbers of processors", ": times may differ by that, too"},
	{FACT_SYSTEM, "systems", ": times may differ by that, too"},
	{FACT_TIMING, "timing=", ": times differ by that, too"},
};

static void say_facts(struct diff *diff)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct diff_run *other = other_run(diff, rows[i].fact);
		struct error_subject first =
			error_subject(shown(text_of(diff->run[0], rows[i].fact)));

		if (other)
			diff_say(diff, "different %s: '%s' and '%s'%s", rows[i].what,
				first.text,
				error_subject(shown(text_of(other, rows[i].fact))).text,
				rows[i].so);
	}
	if (other_run(diff, FACT_ADJUSTED))
		diff_say(diff,
			"jprof's own cost was taken out of some profiles, and not of others, "
			"where it matters less: --calibration off leaves it in all");
	for (unsigned i = 0; i < diff->run_count; i++) {
		const struct diff_run *run = diff->run[i];

		if (strcmp(text_of(run, FACT_COMPLETE), "no") == 0)
			diff_say(diff,
				"'%s' is not complete: its JVM still runs, or was killed",
				error_subject(run->file.text).text);
		if (strtoull(text_of(run, FACT_FOLDED), NULL, 10) > 0 &&
			diff->choice.wants[DIFF_PATH])
			diff_say(diff,
				"'%s' has folded paths (memory): what was folded is missing in "
				"its paths",
				error_subject(run->file.text).text);
	}
}

/* Adds the names of a's options that b does not have, or has another value of. */
static void add_options(json_t *names, json_t *a, json_t *b)
{
	/* Those that say nothing of what is in a profile, or are told of above. */
	static const char *const left[] = {"file", "start", "calls", "timing", "readers", NULL};
	const char *key;
	json_t *value;

	json_object_foreach(a, key, value)
	{
		const json_t *other = json_object_get(b, key);
		bool is_left = other && json_equal(value, other);

		for (int i = 0; left[i]; i++)
			is_left |= strcmp(key, left[i]) == 0;
		if (!is_left)
			json_object_set_new(names, key, json_true());
	}
}

/* Options of the recording that change what is in it, apart from those above: of which not all runs say the same. */
static void say_options(struct diff *diff)
{
	json_t *names = json_object(), *first = NULL, *value;
	struct out line;
	const char *key;

	for (unsigned i = 0; i < diff->run_count; i++) {
		json_t *options = json_loads(text_of(diff->run[i], FACT_OPTIONS), 0, NULL);

		/* Of a run that does not tell, nothing is known to be other. */
		if (first && options) {
			add_options(names, first, options);
			add_options(names, options, first);
		}
		if (first)
			json_decref(options);
		else
			first = options;
	}
	out_init(&line, -1);
	json_object_foreach(names, key, value)
	{
		out_text(&line, line.length > 0 ? ", " : "");
		out_text(&line, key);
	}
	out_char(&line, '\0');
	if (!line.failed && line.length > 1)
		diff_say(diff, "recorded with other options: %s", line.buffer);
	out_fini(&line);
	json_decref(names);
	json_decref(first);
}

/* ---- figures that cannot be compared ---- */

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static void leave_out(struct diff *diff, enum diff_by by, const char *start)
{
	for (unsigned i = 0; i < diff->table[by].figure_count; i++)
		if (starts_with(diff->table[by].figure[i].name, start))
			diff->table[by].figure[i].left_out = true;
}

/* Ways of recording in which calls are seen at all. */
static bool sees_calls(const char *calls)
{
	return calls[0] == '\0' || (strcmp(calls, "sample") != 0 && strcmp(calls, "off") != 0);
}

/* One profile has exact times, the other samples: only what both count is left. */
static void compare_ways(struct diff *diff)
{
	const struct diff_run *other = other_run(diff, FACT_CALLS);
	const char *first = text_of(diff->run[0], FACT_CALLS), *second;
	bool has_calls;

	if (!other)
		return;
	second = text_of(other, FACT_CALLS);
	has_calls = sees_calls(first) && sees_calls(second);
	diff_say(diff,
		"recorded in different ways (calls=%s and calls=%s): figures of methods and "
		"paths are not compared%s; totals and files are",
		shown(first), shown(second), has_calls ? ", but for numbers of calls" : "");
	for (enum diff_by by = DIFF_METHOD; by <= DIFF_PATH; by++) {
		leave_out(diff, by, "base.");
		leave_out(diff, by, "cum.");
		leave_out(diff, by, "samples");
		leave_out(diff, by, "io");
		if (!has_calls)
			leave_out(diff, by, "calls");
	}
	/* Where most are counted alone, they have no paths. */
	leave_out(diff, DIFF_PATH, "calls");
	if (!has_calls)
		leave_out(diff, DIFF_TOTAL, "calls");
}

/* "17.0.21+2" is 17, "1.8.0_402" is 8. */
static long java_release(const char *version)
{
	long release = strtol(version, NULL, 10);

	return release == 1 && version[1] == '.' ? strtol(version + 2, NULL, 10) : release;
}

bool diff_is_auto(const struct diff *diff)
{
	return strcmp(text_of(diff->run[0], FACT_CALLS), "auto") == 0 &&
	       !other_run(diff, FACT_CALLS);
}

/* It times some calls of some methods, others in each run: what is charged to the next timed method above cannot
 * be told from what that did itself. */
static void compare_auto(struct diff *diff)
{
	enum { RELEASE_WITH_STACKS = 23 };
	bool has_stacks = true, left = false;

	if (!diff_is_auto(diff))
		return;
	for (unsigned i = 0; i < diff->run_count; i++)
		has_stacks &=
			java_release(text_of(diff->run[i], FACT_JVM)) >= RELEASE_WITH_STACKS;
	for (enum diff_by by = DIFF_METHOD; by <= DIFF_PATH; by++) {
		for (unsigned i = 0; i < diff->table[by].figure_count; i++) {
			struct diff_figure *figure = &diff->table[by].figure[i];
			const char *metric = strchr(figure->name, '.');
			char divided[DIFF_FIGURE_NAME];
			int found;

			if (!starts_with(figure->name, "base.") &&
				!starts_with(figure->name, "cum."))
				continue;
			/* Those that samples divide are every method's own. */
			snprintf(divided, sizeof(divided), "samples.%.80s", metric + 1);
			found = diff_figure_find(diff, by, divided);
			if (found < 0 || diff->table[by].figure[found].left_out)
				figure->left_out = left = true;
		}
		if (!has_stacks)
			leave_out(diff, by, "io");
	}
	leave_out(diff, DIFF_PATH, "calls");
	if (left || diff->choice.wants[DIFF_PATH])
		diff_say(diff,
			"with calls=auto each run times other calls: methods are compared by "
			"number of calls and by what samples divide, paths by the latter, all "
			"else by total%s; cum and paths depend on where timing began "
			"(calls=instrument has all of them)",
			has_stacks ? "" : " and file");
}

/* What only some of the runs have. */
static void compare_figures(struct diff *diff)
{
	for (enum diff_by by = 0; by < DIFF_TABLES; by++) {
		for (unsigned i = 0; i < diff->table[by].figure_count; i++) {
			struct diff_figure *figure = &diff->table[by].figure[i];

			if (figure->runs == diff->run_count || figure->left_out)
				continue;
			figure->left_out = true;
			/* The totals' line tells of all. */
			if (by == DIFF_TOTAL)
				diff_say(diff, "not in all profiles, so not compared: %s",
					figure->name);
		}
	}
}

void diff_compare_facts(struct diff *diff)
{
	const struct diff_run *other = other_run(diff, FACT_SAMPLED);

	say_facts(diff);
	say_options(diff);
	if (other) {
		diff_say(diff, "samples on different conditions (%s and %s) are not compared",
			conditions_of(diff->run[0]), conditions_of(other));
		for (enum diff_by by = DIFF_TOTAL; by < DIFF_FILE; by++)
			leave_out(diff, by, "samples");
	}
	compare_ways(diff);
	compare_auto(diff);
	compare_figures(diff);
	if (diff->generated > 0)
		diff_say(diff,
			"methods of generated classes or lambdas, whose names differ from run "
			"to run, are matched by what stays the same of them: %zu",
			diff->generated);
}
