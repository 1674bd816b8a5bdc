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

#include "cli/commands.h"
#include "cli/reading/opened_profile.h"
#include "cli/record/profile_file.h"
#include "cli/terminal/command_options.h"
#include "cli/terminal/progress.h"
#include "options/wrap.h"
#include "report/report.h"
#include "report/source/source.h"

struct words {
	struct profile_choice choice;
	bool wide;
	const char *source; /* where texts of lines are, or NULL */
	bool has_view;
	struct report_request request; /* without its choice, until it is printed */
};

/* Terminals: narrower ones get lines that wrap. */
enum { WIDTH_LEAST = 56, WIDTH_MOST = 1000, WIDTH_USUAL = 80 };

/* ---- the options: one row each ---- */

enum { NAMES_MAX = 32 };

static int take_view(const struct taken *taken)
{
	const char *names[NAMES_MAX] = {NULL};
	struct words *words = taken->words;
	int found;

	for (size_t i = 0; i < view_count && i + 1 < NAMES_MAX; i++)
		names[i] = views[i]->name;
	found = command_choose(taken->command, "view", taken->value, names);
	if (found < 0)
		return EXIT_USAGE;
	words->has_view = true;
	words->request.view = views[found];
	return EXIT_DONE;
}

static int take_format(const struct taken *taken)
{
	const char *names[NAMES_MAX] = {NULL};
	struct words *words = taken->words;
	int found;

	for (size_t i = 0; i < format_count && i + 1 < NAMES_MAX; i++)
		names[i] = formats[i]->name;
	found = command_choose(taken->command, "format", taken->value, names);
	if (found < 0)
		return EXIT_USAGE;
	words->request.format = formats[found];
	return EXIT_DONE;
}

static bool is_number(const char *value, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(value, &end, 10);
	return value[0] >= '0' && value[0] <= '9' && *end == '\0' && errno == 0;
}

static int take_number(const struct taken *taken)
{
	uint64_t *number = taken->to;

	if (!is_number(taken->value, number) || *number == 0)
		return command_usage(taken->command,
			"%s needs a whole number above 0, not '%s'", taken->option->name,
			taken->value);
	return EXIT_DONE;
}

/* "1%", "0.5%"; "1" is the same as "1%". */
static int take_min(const struct taken *taken)
{
	const char *value = taken->value;
	char *end;
	double percent = strtod(value, &end);

	end += *end == '%';
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || !(percent <= 100))
		return command_usage(taken->command,
			"--min needs a percentage from 0%% to 100%%, not '%s'", value);
	((struct words *)taken->words)->request.min = percent / 100;
	return EXIT_DONE;
}

static int take_width(const struct taken *taken)
{
	uint64_t width;

	if (!is_number(taken->value, &width) || width < WIDTH_LEAST || width > WIDTH_MOST)
		return command_usage(taken->command,
			"--width needs a number from %d to %d, not '%s'", WIDTH_LEAST,
			WIDTH_MOST, taken->value);
	((struct words *)taken->words)->request.width = (unsigned)width;
	return EXIT_DONE;
}

static int take_file(void *words, const char *word)
{
	struct words *report = words;

	if (report->choice.file)
		return command_usage("report", "one file only, not '%s' too", word);
	report->choice.file = word;
	return EXIT_DONE;
}

#define WORD(member) offsetof(struct words, member)

static const struct command_option report_options[] = {
	{"--view", "VIEW", "what to show; on a terminal overview unless given, else tree",
		take_view, 0},
	PROFILE_CHOICE_ROWS(struct words, choice),
	{"--sort", "COLUMN", "order by a column, e.g. calls, base, cum.cpu, name", take_text,
		WORD(request.sort)},
	{"--top", "N", "show the first N rows; the rest becomes one line", take_number,
		WORD(request.top)},
	{"--path", "PATTERN",
		"only what did I/O with such files and addresses, e.g. '*.db', and how "
		"much; in views of I/O only that; may be repeated",
		take_pattern, WORD(choice.model.paths)},
	{"--method", "PATTERN",
		"only such methods, e.g. 'com.acme.*', in a tree what they call, too, in "
		"threads and I/O views what ran in and below them; may be repeated",
		take_pattern, WORD(choice.model.methods)},
	{"--min", "PERCENT",
		"sum up rows that have less of the whole, e.g. 1%; on a terminal 0.5% "
		"unless given",
		take_min, 0},
	{"--depth", "N", "sum up rows of a tree below that level", take_number,
		WORD(request.depth)},
	{"--merge-threads", NULL, "all threads as one tree", take_flag,
		WORD(choice.model.merge_threads)},
	{"--all", NULL, "every row of the summary, on a terminal, too", take_flag,
		WORD(request.all)},
	{"--wide", NULL, "all columns and exact figures, on a terminal, too", take_flag,
		WORD(wide)},
	{"--width", "N", "lay text out for so many columns, in a pipe, too", take_width, 0},
	{"--source", "PATH",
		"the view lines: with the text of each, from a folder, a jar, the JDK's "
		"src.zip",
		take_text, WORD(source)},
	{"--format", "FORMAT", "text unless given", take_format, 0},
};

const struct command_table report_table = {"report", report_options,
	sizeof(report_options) / sizeof(*report_options), take_file, false};

const char *cmd_report_values(const char *called, size_t i)
{
	if (strcmp(called, "VIEW") == 0)
		return i < view_count ? views[i]->name : NULL;
	if (strcmp(called, "FORMAT") == 0)
		return i < format_count ? formats[i]->name : NULL;
	return NULL;
}

void cmd_report_details(FILE *out)
{
	fprintf(out, "Views:\n");
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

/* What depends on where the report goes: a terminal gets a screen, of its size or as COLUMNS
 * says; all else everything, in as many columns as the user says. */
static void choose_layout(struct words *words)
{
	struct report_request *request = &words->request;
	const char *columns = getenv("COLUMNS");
	struct winsize size = {0};
	long width = columns ? strtol(columns, NULL, 10) : 0;
	const char *terminal = getenv("TERM");
	bool is_terminal = isatty(STDOUT_FILENO);
	const char *plain = getenv("NO_COLOR");

	request->colour = is_terminal && (!plain || plain[0] == '\0') && terminal &&
			  strcmp(terminal, "dumb") != 0;
	if (request->width == 0 && is_terminal) {
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
			request->height = size.ws_row;
			if (size.ws_col > 0)
				width = size.ws_col;
		}
		if (width <= 0 || width > WIDTH_MOST)
			width = WIDTH_USUAL;
		request->width = width < WIDTH_LEAST ? WIDTH_LEAST : (unsigned)width;
	}
	if (request->format != &format_text || words->wide || request->width == 0)
		return;
	request->format = &format_screen;
	if (!words->has_view)
		request->view = &view_overview;
}

/* The profile, with all that the view shows. */
static int open_for(
	struct opened_profile *opened, const struct words *words, struct error *error)
{
	const struct view *view = words->request.view;
	const struct profile_wanted wanted = {.records = view->records, .marks = view->marks};
	int failed = opened_profile_init(opened, &words->choice, &wanted, error);

	if (failed == 0 && view->records && opened->profile->record_count == 0)
		failed = error_set(error, ERROR_MISSING,
			"'%s' has no records of single operations: they are made with "
			"io=records",
			words->choice.file);
	else if (failed == 0 && view->samples && opened->profile->condition_count == 0)
		failed = error_set(error, ERROR_MISSING,
			"'%s' has no samples: they are taken with sample=cpu:1ms",
			words->choice.file);
	return failed;
}

static void say_line(const char *line)
{
	say("%s", line);
}

/* Prints the view, adjusted if it shows figures that can be. */
static int print_profile(struct opened_profile *opened, struct words *words,
	uint64_t *violations, struct error *error)
{
	struct report_request *request = &words->request;
	char *again = profile_choice_command(&words->choice);
	int failed = 0;

	request->state = opened->state[0] != '\0' ? opened->state : NULL;
	request->again = again;
	request->say = say_line;
	request->before_write = progress_hide;
	if (request->view->adjusts || words->choice.calibration)
		failed = opened_profile_adjust(opened, &words->choice, error);
	request->choice = words->choice.model;
	progress_show("putting the report together");
	if (failed == 0)
		failed = report_print(
			opened->profile, request, STDOUT_FILENO, violations, error);
	free(again);
	return failed;
}

/* Where no calls were recorded, a report without --view is the one that has something to
 * show. A line says why; formats for programs have it in their rows. */
static void suit_calls(struct words *words, const struct profile *profile)
{
	const char *calls = profile_meta_get(profile, "calls");
	const struct view *view = words->request.view;

	if (!calls || strcmp(calls, "off") != 0 || !view->calls || profile->condition_count > 0)
		return;
	if (!words->has_view)
		words->request.view = &view_threads;
	if (!words->request.format->has_head)
		return;
	say("no calls were recorded (calls=off): the view 'threads' has what threads "
	    "used%s",
		words->has_view ? "" : ", 'files' and 'connections' their I/O");
}

/* ---- options that are for some views alone ---- */

static bool is_by_path(const struct view *view)
{
	return view->io || view->by_path;
}

static bool is_by_method(const struct view *view)
{
	return view->io || view->calls || view->by_method;
}

static bool has_shares(const struct view *view)
{
	return view->io || view->calls || view->share;
}

static bool is_about_calls(const struct view *view)
{
	return view->calls;
}

static bool has_levels(const struct view *view)
{
	return view->levels;
}

static bool is_lines(const struct view *view)
{
	return view == &view_lines;
}

static bool is_summary(const struct view *view)
{
	return view == &view_summary;
}

/* "tree, methods and callers": the views that an option is for. */
static void name_views(char *text, size_t size, bool (*fits)(const struct view *view))
{
	size_t used = 0, left = 0;

	for (size_t i = 0; i < view_count; i++)
		left += fits(views[i]);
	text[0] = '\0';
	for (size_t i = 0; i < view_count && used < size; i++) {
		if (!fits(views[i]))
			continue;
		left--;
		used += (size_t)snprintf(text + used, size - used, "%s%s", views[i]->name,
			left > 1    ? ", "
			: left == 1 ? " and "
				    : "");
	}
}

static int check_words(const struct words *words)
{
	const struct report_request *request = &words->request;
	const struct model_choice *choice = &words->choice.model;
	const struct {
		const char *option;
		bool given;
		bool (*fits)(const struct view *view);
	} rows[] = {
		{"--path", choice->paths.count > 0, is_by_path},
		{"--method", choice->methods.count > 0, is_by_method},
		{"--min", request->min > 0, has_shares},
		{"--depth", request->depth > 0, has_levels},
		{"--merge-threads", choice->merge_threads, is_about_calls},
		{"--source", words->source != NULL, is_lines},
		{"--all", request->all, is_summary},
	};
	char names[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].given || rows[i].fits(request->view))
			continue;
		name_views(names, sizeof(names), rows[i].fits);
		return command_usage("report", "%s is for %s, not for '%s'", rows[i].option,
			names, request->view->name);
	}
	return EXIT_DONE;
}

static int print_report(struct words *words)
{
	struct error error = {0};
	struct opened_profile opened;
	uint64_t violations = 0;
	int failed, status = check_words(words);

	if (status != EXIT_DONE)
		return status;
	if (words->source && source_open(&words->request.source, words->source, &error) != 0)
		return command_failed(&error);
	failed = open_for(&opened, words, &error);
	if (failed == 0) {
		suit_calls(words, opened.profile);
		failed = print_profile(&opened, words, &violations, &error);
		progress_hide();
	}
	opened_profile_fini(&opened);
	if (failed == 0)
		return violations == 0 ? EXIT_DONE : EXIT_FAILED;
	if (error.code == ERROR_USAGE)
		return command_usage("report", "%s", error.text);
	return error.text[0] != '\0' ? command_failed(&error) : EXIT_FAILED;
}

int cmd_report(int argc, char **argv)
{
	struct words words = {
		.request = {.view = &view_tree, .format = &format_text, .min = -1}};
	int status = command_options_read(&report_table, &words, argc, argv);
	struct error error = {0};
	char *found = NULL;

	if (status == 0 && !words.choice.file) {
		words.choice.file = found = profile_file_newest(&error);
		if (found)
			say("of the newest profile here, '%s'", found);
		else
			status = command_usage("report", "%s", error.text);
	}
	if (status == 0) {
		/* A reader that has seen enough is no reason to die of a signal. */
		signal(SIGPIPE, SIG_IGN);
		choose_layout(&words);
		status = print_report(&words);
	}
	free(found);
	source_close(words.request.source);
	profile_choice_fini(&words.choice);
	return status;
}
