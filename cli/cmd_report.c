/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof report: reads the words, opens the profile, prints one view of it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/calibrate/first_use.h"
#include "cli/commands.h"
#include "cli/live_profile.h"
#include "cli/progress.h"
#include "cli/profile_file.h"
#include "cli/report/choices.h"
#include "cli/report/report.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "options/wrap.h"

struct words {
	const char *file;
	bool wide;
	const char *interval; /* "A..B", or NULL */
	const char *calibration; /* a file, "off", or NULL */
	const char *java; /* to measure with, or NULL */
	bool has_view;
	struct report_request request;
};

/* Terminals: narrower ones get lines that wrap. */
enum { WIDTH_LEAST = 56, WIDTH_MOST = 1000, WIDTH_USUAL = 80 };

/* ---- the options: one row each ---- */

static int take_view(struct words *words, const char *value)
{
	struct choices choices = {.nearest.wanted = value};

	words->has_view = true;
	words->request.view = view_find(value);
	if (words->request.view != NULL)
		return 0;
	for (size_t i = 0; i < view_count; i++)
		choices_add(&choices, views[i]->name);
	return command_usage(
		"report", "no view '%s'%s", value, choices_text(&choices, "views"));
}

static int take_metric(struct words *words, const char *value)
{
	words->request.metrics = value;
	return 0;
}

static int take_sort(struct words *words, const char *value)
{
	words->request.sort = value;
	return 0;
}

static int take_number(const char *option, const char *value, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || *number == 0)
		return command_usage("report", "%s needs a whole number above 0, not '%s'",
			option, value);
	return 0;
}

static int take_top(struct words *words, const char *value)
{
	return take_number("--top", value, &words->request.top);
}

static int take_depth(struct words *words, const char *value)
{
	return take_number("--depth", value, &words->request.depth);
}

/* "1%", "0.5%"; "1" is the same as "1%". */
static int take_min(struct words *words, const char *value)
{
	char *end;
	double percent = strtod(value, &end);

	end += *end == '%';
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || !(percent <= 100))
		return command_usage("report",
			"--min needs a percentage from 0%% to 100%%, not '%s'", value);
	words->request.min = percent / 100;
	return 0;
}

static int take_width(struct words *words, const char *value)
{
	char *end;
	long width = strtol(value, &end, 10);

	if (value[0] < '0' || value[0] > '9' || *end != '\0' || width < WIDTH_LEAST ||
		width > WIDTH_MOST)
		return command_usage("report",
			"--width needs a number from %d to %d, not '%s'", WIDTH_LEAST,
			WIDTH_MOST, value);
	words->request.width = (unsigned)width;
	return 0;
}

static int take_merge_threads(struct words *words, const char *value)
{
	(void)value;
	words->request.merge_threads = true;
	return 0;
}

static int take_wide(struct words *words, const char *value)
{
	(void)value;
	words->wide = true;
	return 0;
}

static int take_all(struct words *words, const char *value)
{
	(void)value;
	words->request.all = true;
	return 0;
}

static int take_pattern(struct pattern_list *list, const char *value)
{
	if (pattern_list_add(list, value) == 0)
		return 0;
	return command_no_memory();
}

static int take_thread(struct words *words, const char *value)
{
	return take_pattern(&words->request.threads, value);
}

static int take_path(struct words *words, const char *value)
{
	return take_pattern(&words->request.paths, value);
}

static int take_method(struct words *words, const char *value)
{
	return take_pattern(&words->request.methods, value);
}

static int take_snapshot(struct words *words, const char *value)
{
	words->interval = value;
	return 0;
}

static int take_calibration(struct words *words, const char *value)
{
	words->calibration = value;
	return 0;
}

static int take_java(struct words *words, const char *value)
{
	words->java = value;
	return 0;
}

static int take_format(struct words *words, const char *value)
{
	struct choices choices = {.nearest.wanted = value};

	words->request.format = format_find(value);
	if (words->request.format != NULL)
		return 0;
	for (size_t i = 0; i < format_count; i++)
		choices_add(&choices, formats[i]->name);
	return command_usage(
		"report", "no format '%s'%s", value, choices_text(&choices, "formats"));
}

static const struct report_option {
	const char *name, *value, *meaning;
	int (*take)(struct words *words, const char *value);
} report_options[] = {
	{"--view", "VIEW", "what to show; on a terminal overview unless given, else tree",
		take_view},
	{"--metric", "M[+M...]", "show these metrics only; all unless given, cpu first",
		take_metric},
	{"--sort", "COLUMN", "order by a column, e.g. calls, base, cum.cpu, name",
		take_sort},
	{"--top", "N", "show the first N rows; the rest becomes one line", take_top},
	{"--thread", "PATTERN",
		"only threads with such names, e.g. 'worker-*'; may be repeated",
		take_thread},
	{"--path", "PATTERN",
		"I/O views: only of such files and addresses, e.g. '*.db'; may be "
		"repeated",
		take_path},
	{"--method", "PATTERN",
		"only such methods, e.g. 'com.acme.*', in a tree what they call, too, in "
		"I/O "
		"views only below them; may be repeated",
		take_method},
	{"--min", "PERCENT",
		"sum up rows that have less of the whole, e.g. 1%; on a terminal 0.5% "
		"unless given",
		take_min},
	{"--depth", "N", "sum up rows of a tree below that level", take_depth},
	{"--merge-threads", NULL, "all threads as one tree", take_merge_threads},
	{"--all", NULL, "every row of the summary, on a terminal, too", take_all},
	{"--wide", NULL, "all columns and exact figures, on a terminal, too", take_wide},
	{"--width", "N", "lay text out for so many columns, in a pipe, too", take_width},
	{"--snapshot", "A..B",
		"only between two snapshots; A.. to the end, ..B from the beginning; see "
		"jprof(1)",
		take_snapshot},
	{"--calibration", "FILE|off",
		"take jprof's own cost out by this file, or leave it in; see jprof(1)",
		take_calibration},
	{"--java", "PATH",
		"where no calibration is kept: measure one with this JVM; see jprof(1)",
		take_java},
	{"--format", "FORMAT", "text unless given", take_format},
};

#define OPTION_COUNT (sizeof(report_options) / sizeof(report_options[0]))

void cmd_report_details(FILE *out)
{
	fprintf(out, "Options:\n");
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		fprintf(out, "  %-15s %-10s ", report_options[i].name,
			report_options[i].value != NULL ? report_options[i].value : "");
		wrap_text(out, 29, report_options[i].meaning);
	}
	fprintf(out, "\nViews:\n");
	for (size_t i = 0; i < view_count; i++) {
		fprintf(out, "  %-12s ", views[i]->name);
		wrap_text(out, 15, views[i]->meaning);
	}
	fprintf(out, "\nFormats:\n");
	for (size_t i = 0; i < format_count; i++) {
		fprintf(out, "  %-12s ", formats[i]->name);
		wrap_text(out, 15, formats[i]->meaning);
	}
}

/* ---- the words ---- */

/* The option that the word is, "--top" or "--top=3"; *value is then what stands behind the
 * '=', or NULL. */
static const struct report_option *find_option(const char *word, const char **value)
{
	size_t length = strcspn(word, "=");

	*value = word[length] == '=' ? word + length + 1 : NULL;
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const char *name = report_options[i].name;

		if (strlen(name) == length && strncmp(name, word, length) == 0)
			return &report_options[i];
	}
	return NULL;
}

static int unknown_option(const char *word)
{
	char name[64];
	struct choices choices = {.nearest.wanted = name};

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	for (size_t i = 0; i < OPTION_COUNT; i++)
		choices_add(&choices, report_options[i].name);
	return command_usage("report", "unknown option '%s'%s", name,
		choices_text(&choices, "options"));
}

static int read_words(struct words *words, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const struct report_option *option;
		const char *value;
		int status;

		if (argv[i][0] != '-') {
			if (words->file != NULL)
				return command_usage(
					"report", "one file only, not '%s' too", argv[i]);
			words->file = argv[i];
			continue;
		}
		option = find_option(argv[i], &value);
		if (option == NULL)
			return unknown_option(argv[i]);
		if (option->value == NULL && value != NULL)
			return command_usage("report", "%s takes no value", option->name);
		if (option->value != NULL && value == NULL && ++i == argc)
			return command_usage("report", "%s needs a value: %s",
				option->name, option->value);
		status = option->take(words, value != NULL ? value : argv[i]);
		if (status != 0)
			return status;
	}
	return 0;
}

/* Without a file: the newest here. *found is owned. */
static int find_file(struct words *words, char **found)
{
	struct error error = {0};

	if (words->file != NULL)
		return 0;
	*found = profile_file_newest(&error);
	if (*found == NULL)
		return command_usage("report", "%s", error.text);
	say("of the newest profile here, '%s'", *found);
	words->file = *found;
	return 0;
}

static bool wants_colour(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL && terminal != NULL &&
	       strcmp(terminal, "dumb") != 0;
}

/* The terminal's, or as COLUMNS says; of a pipe only what the user says. */
static void find_size(struct words *words)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = {0};
	long width = columns != NULL ? strtol(columns, NULL, 10) : 0;

	if (words->request.width != 0 || !isatty(STDOUT_FILENO))
		return;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
		words->request.height = size.ws_row;
		if (size.ws_col > 0)
			width = size.ws_col;
	}
	if (width <= 0 || width > WIDTH_MOST)
		width = WIDTH_USUAL;
	words->request.width = width < WIDTH_LEAST ? WIDTH_LEAST : (unsigned)width;
}

/* What depends on where the report goes: a terminal gets a screen, all else everything.
 */
static void choose_layout(struct words *words)
{
	struct report_request *request = &words->request;

	find_size(words);
	if (request->format != &format_text || words->wide || request->width == 0)
		return;
	request->format = &format_screen;
	if (!words->has_view)
		request->view = &view_overview;
}

/* The profile, with all that the view shows. */
static int open_for(struct profile **profile, const struct words *words, struct error *error)
{
	const struct view *view = words->request.view;
	const struct profile_wanted wanted = {
		.records = view->records, .marks = view->marks, .interval = words->interval};
	int status;

	progress_show("reading '%s'", error_subject(words->file).text);
	status = profile_open_wanted(profile, words->file, &wanted, error);
	if (status != 0 || !view->records)
		return status;
	if ((*profile)->record_count > 0)
		return 0;
	profile_free(*profile);
	return error_set(error, ERROR_MISSING,
		"'%s' has no records of single operations: they are made with io=records",
		words->file);
}

/* What is to be said of a profile that is still written; "" if it is not. */
static void tell_state(const struct live_profile *live, const struct profile *profile,
	char *line, size_t size)
{
	const char *nothing =
		profile_is_unwritten(profile)
			? "; nothing was written yet: try again in ten seconds"
			: "";

	line[0] = '\0';
	if (live->pid == 0)
		return;
	if (live->is_fresh)
		snprintf(line, size, "process %ld still records: the figures are those of now%s",
			live->pid, nothing);
	else
		snprintf(line, size, "process %ld still records: the figures are %.1f s old%s (%s)",
			live->pid, live->age, nothing, live->why.text);
}

/* Finds the calibration, or measures one if the view has figures that it changes. */
static int find_adjustment(struct adjustment *adjustment, const struct profile *profile,
	const struct words *words, struct error *error)
{
	const struct adjustment_choice choice = {.calibration = words->calibration,
		.measure = first_use_measure,
		.java = words->java};
	int failed = adjustment_init(adjustment, profile, &choice, error);

	if (failed == 0 && waiting_interrupted())
		failed = error_set(error, ERROR_BUSY, "interrupted");
	return failed;
}

/* Prints the view, adjusted if it shows figures that can be. */
static int print_profile(const struct profile *profile, const struct words *words,
	const char *state, uint64_t *violations, struct error *error)
{
	struct report_request request = words->request;
	struct adjustment adjustment = {0};
	int failed = 0;

	request.state = state;
	if ((request.view->adjusts && !profile_is_unwritten(profile)) ||
		words->calibration != NULL) {
		progress_show("taking out what probes cost");
		failed = find_adjustment(&adjustment, profile, words, error);
		request.adjustment = &adjustment;
	}
	progress_show("putting the report together");
	if (failed == 0)
		failed = report_print(profile, &request, STDOUT_FILENO, violations, error);
	adjustment_fini(&adjustment);
	return failed;
}

/* Where no calls were recorded, a report without --view is the one that has something to
 * show. People are told why; for programs the rows say it. */
static void suit_calls(struct words *words, const struct profile *profile)
{
	const char *calls = profile_meta_get(profile, "calls");
	const struct view *view = words->request.view;

	if (calls == NULL || strcmp(calls, "off") != 0 || !view->calls)
		return;
	if (!words->has_view)
		words->request.view = &view_threads;
	if (words->request.format == &format_json || words->request.format == &format_csv)
		return;
	say("no calls were recorded (calls=off): the view 'threads' has what threads "
	    "used%s",
		words->has_view ? "" : ", 'files' and 'connections' their I/O");
}

/* Options that are for some views alone. */
static int check_words(const struct words *words)
{
	const struct report_request *request = &words->request;
	const struct view *view = request->view;
	const struct {
		const char *option;
		bool given, fits;
		const char *views;
	} rows[] = {
		{"--path", request->paths.count > 0, view->io, "the views of I/O"},
		{"--method", request->methods.count > 0, view->io || view->calls,
			"overview, tree, methods, callers and the views of I/O"},
		{"--min", request->min > 0, view->calls,
			"overview, tree, methods and callers"},
		{"--depth", request->depth > 0, view->levels, "tree"},
		{"--merge-threads", request->merge_threads, view->calls,
			"overview, tree, methods and callers"},
		{"--all", request->all, view == &view_summary, "summary"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].given && !rows[i].fits)
			return command_usage("report", "%s is for %s, not for '%s'",
				rows[i].option, rows[i].views, view->name);
	}
	return EXIT_DONE;
}

static int print_report(struct words *words)
{
	struct error error = {0};
	struct live_profile live;
	struct profile *profile;
	char state[sizeof(error.text) + 128];
	uint64_t violations = 0;
	int failed, status;

	status = check_words(words);
	if (status != EXIT_DONE)
		return status;
	live_profile_refresh(words->file, &live);
	if (open_for(&profile, words, &error) != 0)
		return error.code == ERROR_USAGE ? command_usage("report", "%s", error.text)
						 : command_failed(&error);
	suit_calls(words, profile);
	tell_state(&live, profile, state, sizeof(state));
	failed = print_profile(profile, words, state[0] != '\0' ? state : NULL, &violations, &error);
	progress_hide();
	profile_free(profile);
	if (failed != 0 && error.code == ERROR_USAGE)
		return command_usage("report", "%s", error.text);
	if (failed != 0)
		return error.text[0] != '\0' ? command_failed(&error) : EXIT_FAILED;
	return violations == 0 ? EXIT_DONE : EXIT_FAILED;
}

int cmd_report(int argc, char **argv)
{
	struct words words = {
		.request = {.view = &view_tree, .format = &format_text, .min = -1}};
	int status = read_words(&words, argc, argv);
	char *found = NULL;

	if (status == 0)
		status = find_file(&words, &found);
	if (status == 0) {
		/* A reader that has seen enough is no reason to die of a signal. */
		signal(SIGPIPE, SIG_IGN);
		words.request.colour = wants_colour();
		choose_layout(&words);
		status = print_report(&words);
	}
	free(found);
	pattern_list_fini(&words.request.threads);
	pattern_list_fini(&words.request.paths);
	pattern_list_fini(&words.request.methods);
	return status;
}
