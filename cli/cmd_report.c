/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof report: reads the words, opens the profile, prints one view of it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/reading/opened_profile.h"
#include "cli/record/profile_file.h"
#include "cli/terminal/command_options.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/screen.h"
#include "options/wrap.h"
#include "profile/moment.h"
#include "report/report.h"
#include "report/request.h"
#include "report/source/source.h"

struct words {
	struct profile_choice choice;
	bool wide;
	const char *source; /* where texts of lines are, or NULL */
	bool has_view;
	struct report_request request; /* without its choice, until it is printed */
};

/* ---- the options: one row each ---- */

static int take_view(const struct taken *taken)
{
	struct words *words = taken->words;
	struct error error = {0};

	if (request_take_view(&words->request.view, taken->value, &error) != 0)
		return command_usage(taken->command, "%s", error.text);
	words->has_view = true;
	return EXIT_DONE;
}

static int take_format(const struct taken *taken)
{
	struct words *words = taken->words;
	struct error error = {0};

	if (request_take_format(&words->request.format, taken->value, &error) != 0)
		return command_usage(taken->command, "%s", error.text);
	return EXIT_DONE;
}

static int take_min(const struct taken *taken)
{
	struct words *words = taken->words;
	struct error error = {0};

	if (request_take_min(&words->request.min, taken->value, &error) != 0)
		return command_usage(taken->command, "%s", error.text);
	return EXIT_DONE;
}

static int take_by(const struct taken *taken)
{
	struct words *words = taken->words;

	request_take_by(&words->request, taken->value);
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
	PROFILE_TIME_ROWS(struct words, choice),
	{"--call", "N",
		"of a timeline with --method: only the N-th longest call of those methods",
		take_whole_number, WORD(request.call)},
	{"--sort", "COLUMN", "order by a column, e.g. calls, base, cum.cpu, name", take_text,
		WORD(request.sort)},
	{"--top", "N", "show the first N rows; the rest becomes one line", take_whole_number,
		WORD(request.top)},
	PROFILE_FILE_ROW(struct words, choice),
	{"--method", "PATTERN",
		"only such methods, e.g. 'com.acme.*', in a tree what they call, too, in "
		"threads and I/O views what ran in and below them; may be repeated",
		take_pattern, WORD(choice.model.methods)},
	{"--min", "PERCENT",
		"sum up rows that have less of the whole, e.g. 1%; on a terminal 0.5% "
		"unless given",
		take_min, 0},
	{"--depth", "N", "sum up rows of a tree below that level", take_whole_number,
		WORD(request.depth)},
	{"--merge-threads", NULL, "all threads as one tree", take_flag,
		WORD(choice.model.merge_threads)},
	{"--by", "component|KEYS",
		"methods put together by component, such as servlet container or JDBC driver: "
		"what follows each other on a path is one; or, of the view tags, rows that "
		"have "
		"one value of each key, e.g. user,kind",
		take_by, 0},
	{"--components", "FILE|layers|kinds",
		"the same, and in the views of components: by the definitions of that file, or "
		"ready-made; see jprof(1)",
		take_some_text, WORD(request.components)},
	{"--gc", NULL, "in the tree: collections as rows below what they stopped", take_flag,
		WORD(request.gc)},
	{"--all", NULL, "every row of the summary, on a terminal, too", take_flag,
		WORD(request.all)},
	{"--wide", NULL, "all columns and exact figures, on a terminal, too", take_flag,
		WORD(wide)},
	{"--width", "N", "lay text out for so many columns, in a pipe, too", take_width,
		WORD(request.width)},
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
	return strcmp(called, "component") == 0 && i == 0 ? called : NULL;
}

void cmd_report_details(FILE *out)
{
	fprintf(out, "Views:\n");
	for (size_t i = 0; i < view_count; i++) {
		fprintf(out, "  %-15s ", views[i]->name);
		wrap_text(out, 18, views[i]->meaning);
	}
	fprintf(out, "\nFormats:\n");
	for (size_t i = 0; i < format_count; i++) {
		fprintf(out, "  %-15s ", formats[i]->name);
		wrap_text(out, 18, formats[i]->meaning);
	}
}

/* ---- the words ---- */

/* What depends on where the report goes: a terminal gets a screen, of its size or as COLUMNS
 * says; all else everything, in as many columns as the user says. */
static void choose_layout(struct words *words)
{
	struct report_request *request = &words->request;
	struct screen screen = screen_read(request->width);

	request->width = screen.width;
	request->height = screen.height;
	request->colour = screen.colour;
	if (request->format != &format_text || words->wide || request->width == 0)
		return;
	request->format = &format_screen;
	/* What leads to a file is told in the tree. */
	if (!words->has_view && words->choice.model.files.count == 0)
		request->view = &view_overview;
}

/* A trace of events has times of its own: no slices are needed for --from and --to. */
static bool has_own_times(const struct words *words)
{
	return words->request.view->events && words->choice.interval == words->choice.times;
}

static int read_moment(
	const struct profile *profile, const char *text, uint64_t *ns, struct error *error)
{
	if (!text || moment_read(profile, text, strlen(text), ns))
		return 0;
	return error_set(error, ERROR_USAGE, "'%s' is no time: say " MOMENT_LIKE,
		error_subject(text).text);
}

/* The profile, with all that the view shows. */
static int open_for(struct opened_profile *opened, struct words *words, struct error *error)
{
	struct report_request *request = &words->request;
	const struct view *view = request->view;
	struct profile_choice choice = words->choice;
	const struct profile_wanted wanted = {.records = view->records,
		.marks = view->marks,
		.collections = view->collections,
		.classes = view->classes,
		.thread_states = view->thread_states,
		.compilations = view->compilations,
		.slice_use = view->slices,
		.events = view->events};
	int failed;

	if (has_own_times(words))
		choice.interval = NULL;
	failed = opened_profile_init(opened, &choice, &wanted, error);
	if (failed == 0)
		failed = request_check_profile(
			request, opened->profile, words->choice.file, error);
	if (failed == 0 && has_own_times(words))
		failed = read_moment(opened->profile, choice.from, &request->from, error);
	if (failed == 0 && has_own_times(words))
		failed = read_moment(opened->profile, choice.to, &request->to, error);
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
	char *again;
	int failed = 0;

	words->choice.model.definitions = request->components;
	again = profile_choice_command(&words->choice);
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

static int print_report(struct words *words)
{
	struct error error = {0};
	struct opened_profile opened = {0};
	uint64_t violations = 0;
	int failed;

	if (request_check(
		    &words->request, &words->choice.model, words->source != NULL, &error) != 0)
		return command_usage("report", "%s", error.text);
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
	char *found = NULL;

	if (status == 0)
		status = profile_file_choose("report", &words.choice.file, &found);
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
