/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* opened_profile: live_profile, profile_read and adjustment, one after the other. */
#include "cli/reading/opened_profile.h"

#include <stdio.h>
#include <string.h>

#include "cli/calibrate/first_use.h"
#include "cli/terminal/outcome.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/waiting.h"
#include "profile/moment.h"
#include "report/text/shell_word.h"

int take_pattern(const struct taken *taken)
{
	return pattern_list_add(taken->to, taken->value) == 0 ? EXIT_DONE : command_no_memory();
}

int take_grouping(const struct taken *taken)
{
	static const char *const names[] = {"component", NULL};

	if (command_choose(taken->command, "grouping", taken->value, names) < 0)
		return EXIT_USAGE;
	*(bool *)taken->to = true;
	return EXIT_DONE;
}

static int twice(const struct taken *taken)
{
	return command_usage(
		taken->command, "--snapshot A..B is an interval, --from and --to another one");
}

int take_tag(const struct taken *taken)
{
	if (!label_choice_is_tag(taken->value))
		return command_usage(taken->command,
			"--tag needs a key and a pattern, as in user=alice, not '%s'",
			taken->value);
	return take_pattern(taken);
}

int take_snapshots(const struct taken *taken)
{
	struct profile_choice *choice = taken->to;

	if (choice->from || choice->to)
		return twice(taken);
	choice->interval = taken->value;
	return EXIT_DONE;
}

/* The interval as profiles take it: "@10s..@12s". */
static int take_time(const struct taken *taken, const char **time)
{
	struct profile_choice *choice = taken->to;

	if (choice->interval && choice->interval != choice->times)
		return twice(taken);
	if (strlen(taken->value) > sizeof(choice->times) / 2 - 4 || strstr(taken->value, ".."))
		return command_usage(taken->command, "'%s' is no time: say " MOMENT_LIKE,
			error_subject(taken->value).text);
	*time = taken->value;
	snprintf(choice->times, sizeof(choice->times), "%s%s..%s%s", choice->from ? "@" : "",
		choice->from ? choice->from : "", choice->to ? "@" : "",
		choice->to ? choice->to : "");
	choice->interval = choice->times;
	return EXIT_DONE;
}

int take_from(const struct taken *taken)
{
	struct profile_choice *choice = taken->to;

	return take_time(taken, &choice->from);
}

int take_to(const struct taken *taken)
{
	struct profile_choice *choice = taken->to;

	return take_time(taken, &choice->to);
}

void profile_choice_fini(struct profile_choice *choice)
{
	pattern_list_fini(&choice->model.threads);
	pattern_list_fini(&choice->model.files);
	pattern_list_fini(&choice->model.methods);
	pattern_list_fini(&choice->model.paths);
	pattern_list_fini(&choice->model.within);
	label_choice_fini(&choice->model.labels);
}

static void put_word(struct out *out, const char *option, const char *value)
{
	if (!value)
		return;
	out_text(out, option);
	out_shell_word(out, value, strlen(value));
}

static void put_words(struct out *out, const char *option, const struct pattern_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		put_word(out, option, list->pattern[i]);
}

char *profile_choice_command(const struct profile_choice *choice)
{
	const struct model_choice *model = &choice->model;
	struct out out;

	out_init(&out, -1);
	/* What begins with a '-' would be an option. */
	put_word(&out, choice->file[0] == '-' ? "jprof report ./" : "jprof report ",
		choice->file);
	put_words(&out, " --thread ", &model->threads);
	put_words(&out, " --tag ", &model->labels.tags);
	put_words(&out, " --value ", &model->labels.values);
	put_words(&out, " --path ", &model->paths);
	put_words(&out, " --component ", &model->within);
	if (model->within.count > 0)
		put_word(&out, " --components ", model->definitions);
	put_word(&out, " --snapshot ", choice->interval);
	put_word(&out, " --calibration ", choice->calibration);
	put_word(&out, " --java ", choice->java);
	out_char(&out, '\0');
	if (out.failed != 0)
		out_fini(&out);
	return out.buffer;
}

static void tell_state(struct opened_profile *opened)
{
	const struct live_profile *live = &opened->live;
	const char *nothing = profile_is_unwritten(opened->profile)
				      ? "; nothing was written yet: try again in ten seconds"
				      : "";

	if (live->pid == 0)
		return;
	if (live->is_fresh)
		snprintf(opened->state, sizeof(opened->state),
			"process %ld still records: the figures are those of now%s", live->pid,
			nothing);
	else
		snprintf(opened->state, sizeof(opened->state),
			"process %ld still records: the figures are %.1f s old%s (%s)",
			live->pid, live->age, nothing, live->why.text);
}

int opened_profile_init(struct opened_profile *opened, const struct profile_choice *choice,
	const struct profile_wanted *wanted, struct error *error)
{
	struct profile_wanted all = *wanted;
	int failed;

	*opened = (struct opened_profile){0};
	all.interval = choice->interval;
	all.labels = &choice->model.labels;
	if (!choice->as_it_is)
		live_profile_refresh(choice->file, &opened->live);
	progress_show("reading '%s'", error_subject(choice->file).text);
	failed = profile_open_wanted(&opened->profile, choice->file, &all, error);
	if (failed == 0)
		tell_state(opened);
	else
		opened->profile = NULL;
	return failed;
}

int opened_profile_adjust(
	struct opened_profile *opened, struct profile_choice *choice, struct error *error)
{
	bool is_auto = choice->calibration && strcmp(choice->calibration, "auto") == 0;
	const struct adjustment_choice how = {
		.calibration = is_auto ? NULL : choice->calibration,
		.threads = &choice->model.threads,
		.asked = is_auto || choice->java,
		.measure = first_use_measure,
		.java = choice->java};
	int failed = 0;

	if (profile_is_unwritten(opened->profile) && !choice->calibration)
		return 0;
	progress_show("taking out what probes cost");
	failed = adjustment_init(&opened->adjustment, opened->profile, &how, error);
	if (failed == 0 && waiting_interrupted())
		failed = error_set(error, ERROR_BUSY, "interrupted");
	choice->model.adjustment = &opened->adjustment;
	return failed;
}

void opened_profile_fini(struct opened_profile *opened)
{
	adjustment_fini(&opened->adjustment);
	if (opened->profile)
		profile_free(opened->profile);
}
