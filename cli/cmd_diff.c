/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof diff: reads the words, opens the profiles one after the other, prints what changed, and fails by it if asked. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/page/page_file.h"
#include "cli/reading/opened_profile.h"
#include "cli/terminal/command_options.h"
#include "cli/terminal/output_file.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/screen.h"
#include "options/wrap.h"
#include "report/diff/print.h"
#include "report/request.h"

struct files {
	const char *name[DIFF_RUNS_MAX];
	unsigned count;
};

struct words {
	struct profile_choice choice; /* without its file */
	struct files files[2];        /* by side */
	bool has_sides;               /* --before or --after was given */
	enum diff_side side;          /* that words belong to then */
	struct diff_choice diff;
	struct diff_request request;
	const char *rules; /* a file, or NULL */
	const char *html;  /* where a page goes, or NULL */
	double fail_over;  /* a part; below 0: not chosen */
	bool wide;
};

/* ---- the options: one row each ---- */

enum { NAMES_MAX = 16 };

static int add_file(struct words *words, enum diff_side side, const char *name)
{
	struct files *files = &words->files[side];

	if (files->count == DIFF_RUNS_MAX)
		return command_usage("diff", "at most %d profiles a side", DIFF_RUNS_MAX);
	files->name[files->count++] = name;
	return EXIT_DONE;
}

/* --before and --after. */
static int take_side(const struct taken *taken)
{
	struct words *words = taken->words;

	words->has_sides = true;
	words->side = strcmp(taken->option->name, "--after") == 0 ? DIFF_AFTER : DIFF_BEFORE;
	return add_file(words, words->side, taken->value);
}

/* A word that is no option. */
static int take_file(void *all, const char *word)
{
	struct words *words = all;

	if (words->has_sides)
		return add_file(words, words->side, word);
	if (words->files[DIFF_AFTER].count > 0)
		return command_usage("diff",
			"two profiles, not '%s' too: several of a side stand behind --before "
			"and "
			"--after",
			word);
	return add_file(
		words, words->files[DIFF_BEFORE].count > 0 ? DIFF_AFTER : DIFF_BEFORE, word);
}

static int take_by(const struct taken *taken)
{
	/* The whole program is always there. */
	int found = command_choose(
		taken->command, "item", taken->value, diff_by_names + DIFF_METHOD);

	if (found < 0)
		return EXIT_USAGE;
	((struct words *)taken->words)->request.by = (enum diff_by)(DIFF_METHOD + found);
	return EXIT_DONE;
}

static int take_format(const struct taken *taken)
{
	const char *names[NAMES_MAX] = {NULL};
	int found;

	for (size_t i = 0; i < diff_format_count && i + 1 < NAMES_MAX; i++)
		names[i] = diff_formats[i]->name;
	found = command_choose(taken->command, "format", taken->value, names);
	if (found < 0)
		return EXIT_USAGE;
	((struct words *)taken->words)->request.format = diff_formats[found];
	return EXIT_DONE;
}

static int take_min(const struct taken *taken)
{
	struct words *words = taken->words;
	struct error error = {0};

	if (request_take_min(&words->diff.min, taken->value, &error) != 0)
		return command_usage(taken->command, "%s", error.text);
	return EXIT_DONE;
}

/* Times that do not differ at all would need no errors. */
static int take_pace(const struct taken *taken)
{
	int status = take_percent(taken);

	if (status == EXIT_DONE && *(double *)taken->to == 0)
		status = command_usage(taken->command, "--pace needs more than 0%%");
	return status;
}

#define WORD(member) offsetof(struct words, member)

static const struct command_option diff_options[] = {
	{"--by", "ITEM", "what is compared: method, path or file; method unless given", take_by,
		0},
	{"--before", "FILE...", "the profiles of one side, one or several runs of it",
		take_side, 0},
	{"--after", "FILE...", "those of the other side", take_side, 0},
	PROFILE_CHOICE_ROWS(struct words, choice),
	PROFILE_TIME_ROWS(struct words, choice),
	PROFILE_FILE_ROW(struct words, choice),
	{"--normalize", "WHAT",
		"divide all figures of a profile by the calls of methods like that pattern, or "
		"by the total of metric:NAME, so that runs with different amounts of work "
		"compare",
		take_some_text, WORD(diff.normalize)},
	{"--pace", "PERCENT",
		"with fewer than three runs a side: times differ by so much from run to run, "
		"and what differs by more is certain",
		take_pace, WORD(diff.pace)},
	{"--fail-over", "PERCENT",
		"exit with status 3 if something grew by more than that, and is no noise",
		take_percent, WORD(fail_over)},
	{"--min", "PERCENT",
		"of what has a share of the whole of that, on one side at least; 1% unless "
		"given",
		take_min, 0},
	{"--rules", "FILE",
		"exit with status 3 if a rule of that JSON file is broken; docs/ci.md",
		take_some_text, WORD(rules)},
	{"--figure", "NAME", "the table of one figure, e.g. calls, base.cpu, cum.alloc",
		take_some_text, WORD(request.figure)},
	{"--top", "N", "at most N rows of a table; 10 unless given", take_whole_number,
		WORD(request.top)},
	{"--all", NULL, "rows within noise, too", take_flag, WORD(request.all)},
	{"--wide", NULL, "names and columns whole, on a terminal, too", take_flag, WORD(wide)},
	{"--width", "N", "lay text out for so many columns, in a pipe, too", take_width,
		WORD(request.width)},
	{"--format", "FORMAT", "text unless given", take_format, 0},
	{"--html", "OUT.html",
		"write both on one HTML page, too; of several runs the first of each side",
		take_some_text, WORD(html)},
};

const struct command_table diff_command_table = {
	"diff", diff_options, sizeof(diff_options) / sizeof(*diff_options), take_file, false};

const char *cmd_diff_values(const char *called, size_t i)
{
	if (strcmp(called, "ITEM") == 0)
		return i < DIFF_TABLES - DIFF_METHOD ? diff_by_names[DIFF_METHOD + i] : NULL;
	if (strcmp(called, "FORMAT") == 0)
		return i < diff_format_count ? diff_formats[i]->name : NULL;
	return NULL;
}

void cmd_diff_details(FILE *out)
{
	fprintf(out, "Formats:\n");
	for (size_t i = 0; i < diff_format_count; i++) {
		fprintf(out, "  %-12s ", diff_formats[i]->name);
		wrap_text(out, 15, diff_formats[i]->meaning);
	}
}

/* ---- the words ---- */

/* The same file twice has nothing to say. */
static int check_files(const struct words *words)
{
	struct stat known[2 * DIFF_RUNS_MAX];
	const char *name[2 * DIFF_RUNS_MAX];
	size_t count = 0;

	for (int side = 0; side < 2; side++) {
		if (words->files[side].count == 0)
			return command_usage("diff",
				words->has_sides ? "both --before and --after need a profile"
						 : "needs two profiles");
		for (unsigned i = 0; i < words->files[side].count; i++) {
			name[count] = words->files[side].name[i];
			/* What cannot be opened is said when it is. */
			if (stat(name[count], &known[count]) != 0)
				continue;
			for (size_t k = 0; k < count; k++)
				if (known[k].st_dev == known[count].st_dev &&
					known[k].st_ino == known[count].st_ino)
					return command_usage("diff",
						"'%s' and '%s' are the same file", name[k],
						name[count]);
			count++;
		}
	}
	return EXIT_DONE;
}

/* ---- the comparison ---- */

static int add_run(struct diff *diff, enum diff_side side, const char *file,
	struct words *words, struct error *error)
{
	const struct profile_wanted wanted = {0};
	struct opened_profile opened;
	struct model model;
	int failed;

	words->choice.file = file;
	failed = opened_profile_init(&opened, &words->choice, &wanted, error);
	if (failed == 0 && opened.state[0] != '\0')
		say("'%s': %s", file, opened.state);
	if (failed == 0)
		failed = opened_profile_adjust(&opened, &words->choice, error);
	if (failed == 0) {
		progress_show("comparing '%s'", error_subject(file).text);
		/* Threads that the JVM has for itself are no part of the program, unless they were chosen. */
		words->choice.model.program_alone = words->choice.model.threads.count == 0;
		failed = model_init(&model, opened.profile, &words->choice.model, error);
		if (failed == 0)
			failed = diff_add_run(diff, side, file, &model, error);
		model_fini(&model);
	}
	opened_profile_fini(&opened);
	/* Of several files the reader wants to know which. */
	if (failed != 0 && error->text[0] != '\0' &&
		!strstr(error->text, error_subject(file).text)) {
		const struct error reason = *error;

		*error = (struct error){0};
		error_set(
			error, reason.code, "'%s': %s", error_subject(file).text, reason.text);
	}
	return failed;
}

static int compare(
	struct diff *diff, struct words *words, struct rules *rules, struct error *error)
{
	int failed = 0;

	for (enum diff_side side = 0; side < 2; side++)
		for (unsigned i = 0; i < words->files[side].count && failed == 0; i++)
			failed = add_run(diff, side, words->files[side].name[i], words, error);
	if (failed == 0)
		failed = diff_judge(diff, error);
	if (failed == 0 && words->request.figure &&
		diff_figure_find(diff, words->request.by, words->request.figure) < 0) {
		const struct diff_table *table = &diff->table[words->request.by];
		struct choices choices = {.nearest.wanted = words->request.figure};

		for (unsigned i = 0; i < table->figure_count; i++)
			choices_add(&choices, table->figure[i].name);
		failed = error_set(error, ERROR_USAGE, "no figure '%s'%s",
			error_subject(words->request.figure).text,
			choices_text(&choices, "figures"));
	}
	if (failed == 0)
		failed = rules_test(rules, diff, error);
	return failed;
}

/* The reasons, a line each. EXIT_RULE if there are any. */
static int say_rules(const struct rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		const struct rule_test *test = &rules->test[i];

		for (size_t k = 0; k < test->line_count; k++)
			say("%s", test->broken[k].text);
		if (test->broken_count > test->line_count)
			say("%s: %s", test->name.text, rule_rest(test).text);
		if (test->skipped.text)
			say("'%s' was not tested: %s", test->name.text, test->skipped.text);
	}
	return rules_broken(rules) > 0 ? EXIT_RULE : EXIT_DONE;
}

/* Both sides on one page. Of several runs a page has the first ones: it shows where things happen, not what is certain. */
static int write_page(const struct words *words, struct error *error)
{
	struct profile_choice side[2] = {words->choice, words->choice};
	int failed;

	for (enum diff_side i = 0; i < 2; i++)
		side[i].file = words->files[i].name[0];
	failed = page_file_write(side, 2, words->html, error);
	if (failed == 0)
		say("the page is '%s'", words->html);
	return failed;
}

static int print_diff(struct words *words)
{
	struct error error = {0};
	struct rules rules = {0};
	struct diff diff;
	int failed = 0, status = EXIT_DONE;

	if (words->rules)
		failed = rules_read(&rules, words->rules, &error);
	if (failed == 0 && words->fail_over >= 0)
		failed = rules_add_growth(
			&rules, words->fail_over, words->request.by, words->diff.min, &error);
	if (failed == 0)
		rules_want(&rules, &words->diff);
	words->diff.wants[words->request.by] = true;
	words->diff.chose_metrics = words->choice.model.metrics != NULL;
	words->request.rules = rules.count > 0 ? &rules : NULL;
	words->request.before_write = progress_hide;
	diff_init(&diff, &words->diff);
	if (failed == 0)
		failed = compare(&diff, words, &rules, &error);
	if (failed == 0)
		failed = diff_print(&diff, &words->request, STDOUT_FILENO, &error);
	if (failed == 0 && words->html)
		failed = write_page(words, &error);
	progress_hide();
	/* The rules were tested, even if nobody reads the rest. */
	if (failed == 0 || (error.text[0] == '\0' && rules.test))
		status = say_rules(&rules);
	diff_fini(&diff);
	rules_fini(&rules);
	if (failed == 0 || status == EXIT_RULE)
		return status;
	if (error.code == ERROR_USAGE || (error.code == ERROR_VALUE && words->rules))
		return command_usage("diff", "%s", error.text);
	return error.text[0] != '\0' ? command_failed(&error) : EXIT_FAILED;
}

int cmd_diff(int argc, char **argv)
{
	struct words words = {.diff = {.min = DIFF_MIN},
		.request = {.by = DIFF_METHOD, .format = &diff_format_text},
		.fail_over = -1};
	struct screen screen;
	int status = command_options_read(&diff_command_table, &words, argc, argv);

	if (status == EXIT_DONE)
		status = check_files(&words);
	for (enum diff_side i = 0; i < 2; i++)
		for (unsigned k = 0; k < words.files[i].count && status == EXIT_DONE; k++)
			if (words.html)
				status = output_file_check(
					"diff", words.html, words.files[i].name[k], true);
	if (status == EXIT_DONE && words.request.format->needs_rules && !words.rules &&
		words.fail_over < 0)
		status = command_usage("diff",
			"the format '%s' shows rules: --rules or --fail-over",
			words.request.format->name);
	if (status == EXIT_DONE) {
		/* A reader that has seen enough is no reason to die of a signal. */
		signal(SIGPIPE, SIG_IGN);
		screen = screen_read(words.request.width);
		words.request.width = words.wide ? 0 : screen.width;
		words.request.colour = screen.colour;
		status = print_diff(&words);
	}
	profile_choice_fini(&words.choice);
	return status;
}
