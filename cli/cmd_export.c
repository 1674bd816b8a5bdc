/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof export: reads the words, opens the profile, writes it in another tool's format. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/reading/opened_profile.h"
#include "cli/record/profile_file.h"
#include "cli/terminal/output_file.h"
#include "cli/terminal/progress.h"
#include "options/wrap.h"
#include "report/exports/export.h"

struct words {
	struct profile_choice choice;
	const struct exporter *exporter;
	const char *output; /* a file, "-", or NULL */
	bool by_component;
	const char *components; /* a file, or NULL */
};

/* ---- the options: one row each ---- */

enum { NAMES_MAX = 16 };

/* Formats begin with a letter, times with a digit: --to ends what --from begins, too. */
static int take_exporter(const struct taken *taken)
{
	const char *names[NAMES_MAX] = {NULL};
	struct words *words = taken->words;
	struct taken time = *taken;
	int found;

	time.to = &words->choice;
	if (taken->value[0] >= '0' && taken->value[0] <= '9')
		return take_to(&time);
	for (size_t i = 0; i < exporter_count && i + 1 < NAMES_MAX; i++)
		names[i] = exporters[i]->name;
	found = command_choose(taken->command, "format", taken->value, names);
	if (found < 0)
		return EXIT_USAGE;
	words->exporter = exporters[found];
	return EXIT_DONE;
}

static int take_file(void *words, const char *word)
{
	struct words *export = words;

	if (export->choice.file)
		return command_usage("export", "one file only, not '%s' too", word);
	export->choice.file = word;
	return EXIT_DONE;
}

#define WORD(member) offsetof(struct words, member)

static const struct command_option export_options[] = {
	{"--to", "FORMAT", "what to write; always given. Or a time, with --from, to end at",
		take_exporter, 0},
	{"-o", "OUT", "where to; - is standard output; beside the profile unless given",
		take_some_text, WORD(output)},
	PROFILE_CHOICE_ROWS(struct words, choice),
	PROFILE_FILE_ROW(struct words, choice),
	PROFILE_FROM_ROW(struct words, choice),
	{"--method", "PATTERN",
		"only what such methods, e.g. 'com.acme.*', and what they call did; may be "
		"repeated",
		take_pattern, WORD(choice.model.methods)},
	{"--merge-threads", NULL, "all threads as one", take_flag,
		WORD(choice.model.merge_threads)},
	{"--by", "component",
		"frames of one component, such as servlet container or JDBC driver, that "
		"follow "
		"each other are one",
		take_grouping, WORD(by_component)},
	{"--components", "FILE|layers|kinds",
		"the same, by the definitions of that file, or ready-made; see jprof(1)",
		take_some_text, WORD(components)},
};

const struct command_table export_table = {"export", export_options,
	sizeof(export_options) / sizeof(*export_options), take_file, false};

const char *cmd_export_values(const char *called, size_t i)
{
	if (strcmp(called, "component") == 0)
		return i == 0 ? called : NULL;
	return strcmp(called, "FORMAT") == 0 && i < exporter_count ? exporters[i]->name : NULL;
}

void cmd_export_details(FILE *out)
{
	fprintf(out, "Formats:\n");
	for (size_t i = 0; i < exporter_count; i++) {
		fprintf(out, "  %-12s ", exporters[i]->name);
		wrap_text(out, 15, exporters[i]->meaning);
	}
}

/* ---- the words ---- */

/* Options that are for some formats alone. */
static int check_words(const struct words *words)
{
	const struct model_choice *choice = &words->choice.model;
	const struct exporter *exporter = words->exporter;
	const struct {
		const char *option;
		bool given, fits;
	} rows[] = {
		{"--method", choice->methods.count > 0, exporter->methods},
		{"--merge-threads", choice->merge_threads, exporter->merges},
		{"--path", choice->paths.count > 0, exporter->places},
		{"--component", choice->within.count > 0, exporter->places},
		{"--file", choice->files.count > 0, exporter->io},
		{"--by", words->by_component, !exporter->timeline},
		{"--components", words->components != NULL, !exporter->timeline},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].given && !rows[i].fits)
			return command_usage("export", "%s is not for the format '%s'",
				rows[i].option, exporter->name);
	if (exporter->one_figure && choice->metrics && strpbrk(choice->metrics, "+,"))
		return command_usage("export",
			"the format '%s' has one figure: --metric may name one, not '%s'",
			exporter->name, choice->metrics);
	return EXIT_DONE;
}

/* Calls and I/O are figures here, which the model has not among its metrics. NULL: it is another one. */
static bool *find_figure(struct export_figures *figures, const char *name, size_t length)
{
	for (size_t i = 0; i < EXPORT_IO_FIGURES; i++)
		if (strlen(export_io_names[i]) == length &&
			strncmp(export_io_names[i], name, length) == 0)
			return &figures->io[i];
	return NULL;
}

/* Takes those out of the names. kept: the others, owned. -1 without memory. */
static int take_names(const char *names, char **kept, struct export_figures *figures)
{
	size_t length;

	*kept = calloc(1, strlen(names) + 1);
	if (!*kept)
		return -1;
	for (; *names != '\0'; names += length + (names[length] != '\0')) {
		bool *found, is_calls;

		length = strcspn(names, "+,");
		is_calls = length == strlen("calls") && strncmp(names, "calls", length) == 0;
		found = find_figure(figures, names, length);
		if (is_calls)
			figures->calls = EXPORT_ASKED;
		else if (found)
			*found = true;
		if (is_calls || found)
			continue;
		if (**kept != '\0')
			strcat(*kept, "+");
		strncat(*kept, names, length);
	}
	figures->metrics = **kept != '\0';
	if (figures->metrics)
		return 0;
	free(*kept);
	*kept = NULL;
	return 0;
}

/* What is exported: the figures that were named; else those of I/O where files were chosen, and all others where none were. kept: of
 * the names those of metrics and conditions, owned. -1 without memory. */
static int choose_figures(
	const struct words *words, char **kept, struct export_figures *figures)
{
	const struct model_choice *choice = &words->choice.model;
	bool of_files = choice->files.count > 0 && !words->exporter->timeline;

	*kept = NULL;
	*figures = (struct export_figures){0};
	if (choice->metrics)
		return take_names(choice->metrics, kept, figures);
	figures->metrics = !of_files;
	figures->calls = of_files ? EXPORT_NOT : EXPORT_FOUND;
	for (size_t i = 0; i < EXPORT_IO_FIGURES; i++)
		figures->io[i] = of_files;
	return 0;
}

/* Figures that go with what was chosen, and with the format. */
static int check_figures(const struct words *words, const struct export_figures *figures)
{
	const struct exporter *exporter = words->exporter;
	bool io = false;

	for (size_t i = 0; i < EXPORT_IO_FIGURES; i++)
		io |= figures->io[i];
	if (io && (!exporter->io || exporter->timeline))
		return command_usage(
			"export", "the format '%s' has no figures of I/O", exporter->name);
	if (words->choice.model.files.count > 0 && !exporter->timeline &&
		(figures->metrics || figures->calls != EXPORT_NOT))
		return command_usage("export",
			"of what was done with files the figures are io.ns, io.bytes and "
			"io.ops, not '%s'",
			words->choice.model.metrics);
	return EXIT_DONE;
}

/* ---- where it goes ---- */

/* A format that no terminal shows needs a file. */
static int check_output(const struct words *words, const char *output, bool is_given)
{
	if (strcmp(output, "-") == 0 && words->exporter->binary && isatty(STDOUT_FILENO))
		return command_usage("export",
			"the format '%s' is not for a terminal: name a file with -o",
			words->exporter->name);
	return output_file_check("export", output, words->choice.file, is_given);
}

/* ---- intervals ---- */

static bool is_within(const struct profile *profile, const struct profile_snapshot *snapshot)
{
	const struct profile_interval *interval = &profile->interval;

	return (!interval->from || snapshot->at > interval->begin) &&
	       (!interval->to || snapshot->at < interval->end);
}

/* What the chosen threads used between two snapshots. NULL: the beginning, or the end. */
static int read_interval(const struct words *words, const struct profile_snapshot *from,
	const struct profile_snapshot *to, struct export_interval *interval,
	struct error *error)
{
	const struct profile_wanted wanted = {0};
	const char *begin = profile_moment_label(from), *end = profile_moment_label(to);
	struct profile_choice choice = words->choice;
	struct opened_profile opened;
	struct model model = {0};
	char *labels;
	int failed;

	if (asprintf(&labels, "%s..%s", begin ? begin : "", end ? end : "") < 0)
		return model_no_memory(error);
	choice.interval = labels;
	failed = opened_profile_init(&opened, &choice, &wanted, error);
	if (failed == 0 && opened.profile->interval.begin != (from ? from->at : 0))
		failed = error_set(error, ERROR_VALUE, "more than one snapshot is called '%s'",
			error_subject(begin ? begin : "").text);
	if (failed == 0)
		failed = opened_profile_adjust(&opened, &choice, error);
	if (failed == 0)
		failed = model_init(&model, opened.profile, &choice.model, error);
	if (failed == 0) {
		interval->begin = opened.profile->interval.begin;
		interval->end = opened.profile->interval.end;
		model_whole(&model, interval->whole);
	}
	model_fini(&model);
	opened_profile_fini(&opened);
	free(labels);
	return failed;
}

/* One between each two snapshots of what is shown; none without snapshots. *intervals: owned. */
static int read_intervals(const struct words *words, const struct profile *profile,
	struct export_interval **intervals, size_t *count, struct error *error)
{
	const struct profile_snapshot *from = profile->interval.from;
	size_t most = profile->snapshot_count;
	int failed = 0;

	*count = 0;
	*intervals = calloc(most + 1, sizeof(**intervals));
	if (!*intervals)
		return model_no_memory(error);
	for (size_t i = 0; i < most && failed == 0; i++) {
		const struct profile_snapshot *to = &profile->snapshot[i];

		if (!is_within(profile, to))
			continue;
		failed = read_interval(words, from, to, &(*intervals)[(*count)++], error);
		from = to;
	}
	if (failed == 0 && most > 0)
		failed = read_interval(
			words, from, profile->interval.to, &(*intervals)[(*count)++], error);
	return failed;
}

/* ---- the export ---- */

/* Figures are as counted, though the user would want to know why. */
static void say_adjustment(const struct opened_profile *opened)
{
	if (opened->adjustment.missed)
		say("calibration: %s", opened->adjustment.said);
}

static void say_line(const char *line)
{
	progress_hide();
	say("%s", line);
}

static int write_export(struct words *words, const char *output,
	const struct export_figures *figures, struct error *error)
{
	const struct exporter *exporter = words->exporter;
	const struct profile_wanted wanted = {.records = exporter->timeline,
		.marks = exporter->timeline,
		.events = exporter->timeline};
	const char *slash = strrchr(words->choice.file, '/');
	struct opened_profile opened;
	struct export_interval *intervals = NULL;
	struct export_request request = {.exporter = exporter,
		.figures = *figures,
		.by_component = words->by_component,
		.components = words->components,
		.file = slash ? slash + 1 : words->choice.file,
		.say = say_line};
	struct output_file file = {.fd = -1};
	int failed = opened_profile_init(&opened, &words->choice, &wanted, error);

	if (failed == 0)
		failed = opened_profile_adjust(&opened, &words->choice, error);
	request.choice = words->choice.model;
	if (failed == 0 && exporter->timeline)
		failed = read_intervals(
			words, opened.profile, &intervals, &request.interval_count, error);
	request.interval = intervals;
	if (failed == 0)
		failed = output_file_open(
			&file, output, output_file_mode_of(words->choice.file), error);
	progress_show("writing '%s'", error_subject(output).text);
	if (failed == 0)
		failed = export_write(opened.profile, &request, file.fd, error);
	if (output_file_close(&file, failed == 0, error) != 0)
		failed = -ERROR_IO;
	progress_hide();
	if (failed == 0 && opened.state[0] != '\0')
		say("%s", opened.state);
	if (failed == 0)
		say_adjustment(&opened);
	free(intervals);
	opened_profile_fini(&opened);
	return failed;
}

static int export_profile(struct words *words, const char *output)
{
	struct error error = {0};
	struct export_figures figures;
	char *metrics;
	int failed, status;

	if (choose_figures(words, &metrics, &figures) != 0)
		return command_no_memory();
	status = check_figures(words, &figures);
	if (status != EXIT_DONE) {
		free(metrics);
		return status;
	}
	words->choice.model.metrics = metrics;
	failed = write_export(words, output, &figures, &error);
	free(metrics);
	if (failed == 0) {
		if (strcmp(output, "-") != 0)
			say("written: '%s'", output);
		return EXIT_DONE;
	}
	if (error.code == ERROR_USAGE)
		return command_usage("export", "%s", error.text);
	/* A reader that has seen enough is no failure to tell of. */
	return error.text[0] != '\0' ? command_failed(&error) : EXIT_FAILED;
}

int cmd_export(int argc, char **argv)
{
	struct words words = {0};
	int status = command_options_read(&export_table, &words, argc, argv);
	char *found = NULL, *beside = NULL;
	const char *output;

	if (status == 0 && !words.exporter)
		status = command_usage("export", "to which format? --to FORMAT");
	if (status == 0)
		status = check_words(&words);
	if (status == 0)
		status = profile_file_choose("export", &words.choice.file, &found);
	if (status == 0 && !words.output) {
		beside = output_file_beside(
			words.choice.file, words.exporter->prefix, words.exporter->suffix);
		if (!beside)
			status = command_no_memory();
	}
	output = words.output ? words.output : beside;
	if (status == 0)
		status = check_output(&words, output, words.output != NULL);
	if (status == 0) {
		signal(SIGPIPE, SIG_IGN);
		status = export_profile(&words, output);
	}
	free(found);
	free(beside);
	profile_choice_fini(&words.choice);
	return status;
}
