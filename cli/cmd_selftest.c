/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof selftest: runs a program whose methods' shares are known, under jprof on this machine,
 * and compares.
 *
 *   java --> lines   --> expectations \
 *        --> profile --> adjustment    > verdict --> print_verdict
 *
 * Whatever happens, no process and no file of it is left, but a calibration in the user's cache
 * where one had to be made.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibration/calibration_file.h"
#include "cli/calibrate/first_use.h"
#include "cli/commands.h"
#include "cli/java/java_child.h"
#include "cli/java/java_command.h"
#include "cli/java/known_jvms.h"
#include "cli/selftest/verdict.h"
#include "cli/terminal/command_options.h"
#include "cli/terminal/waiting.h"

/* ms; some ten seconds are usual. */
enum { LIMIT = 600000 };

/* That the measured loop takes without probes. */
#define MILLISECONDS "3000"

struct selftest {
	const char *java; /* as for jprof calibrate */
	const char *calls, *timing, *metrics;
	const char *calibration; /* a file, "off", or NULL: as a report finds or makes it */
	bool is_json;
	char folder[PATH_MAX]; /* for all files */
	struct java_command command;
	char *without, *with; /* options of the recordings, owned */
	struct expectations expectations;
	struct verdict verdict;
};

static const struct command_option options[] = {
	{"--java", "PATH", "the java program, or its JDK's folder", take_some_text,
		offsetof(struct selftest, java)},
	{"--calls", "instrument|events", "how calls are seen; instrument unless given",
		take_some_text, offsetof(struct selftest, calls)},
	{"--timing", "fast|precise", "as programs are profiled; fast unless given",
		take_some_text, offsetof(struct selftest, timing)},
	{"--metrics", "METRICS", "wall+cpu+alloc unless given", take_some_text,
		offsetof(struct selftest, metrics)},
	{"--calibration", "FILE|off", "take jprof's own cost out by this file, or leave it in",
		take_some_text, offsetof(struct selftest, calibration)},
	{"--format", "text|json", "text unless given", take_json,
		offsetof(struct selftest, is_json)},
};

const struct command_table selftest_table = {
	"selftest", options, sizeof(options) / sizeof(*options), NULL, false};

static int take_line(void *argument, char *line, struct error *error)
{
	struct selftest *test = argument;

	return expectations_take(&test->expectations, line, error);
}

/* The agent waits, for one recording without calls and one with them. */
static int run_java(struct selftest *test, struct error *error)
{
	char without_file[PATH_MAX + 32], with_file[PATH_MAX + 32];
	const struct java_option agent[] = {
		{"start", "no"},
		{"calls", test->calls},
		{"timing", test->timing},
		{"metrics", test->metrics},
		{"include", "selftest.*"},
		{"io", "off"},
		{"flush", "3600"},
		{NULL, NULL},
	};
	const struct java_option without[] = {
		{"file", without_file}, {"calls", "off"}, {"calibration", "off"}, {NULL, NULL}};
	const struct java_option with[] = {{"file", with_file}, {NULL, NULL}};
	struct java_program program = {.java = test->java,
		.folder = test->folder,
		.profile = "with.jprof",
		.calls = test->calls,
		.package = "selftest",
		.main = "jprof.selftest.Main",
		.options = agent};
	int code;

	snprintf(without_file, sizeof(without_file), "%s/without.jprof", program.folder);
	snprintf(with_file, sizeof(with_file), "%s/%s", program.folder, program.profile);
	code = java_options_join(&test->without, without, error);
	if (code == 0)
		code = java_options_join(&test->with, with, error);
	program.arguments = (const char *const[]){
		test->metrics, MILLISECONDS, test->without, test->with, NULL};
	if (code == 0)
		code = java_command_make(&test->command, &program, error);
	if (code != 0)
		return code;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "jprof: running a program without probes, with them, and "
				"without them once more\n");
	code = java_child_run((char *const *)test->command.word, LIMIT, take_line, test, error);
	if (code == 0 && test->expectations.count == 0)
		code = error_set(error, ERROR_JVM, "'%s' ran, but measured nothing",
			error_subject(test->command.java).text);
	return code;
}

/* Prints the verdict, whatever it is. */
static int judge(struct selftest *test, struct error *error)
{
	const struct profile_wanted wanted = {.interval = "begin..end"};
	const struct adjustment_choice choice = {.calibration = test->calibration,
		.asked = true,
		.measure = first_use_measure,
		.java = test->java};
	verdict_printer *print = test->is_json ? print_verdict_json : print_verdict_text;
	struct adjustment adjustment = {0};
	struct profile *profile;
	int code = profile_open_wanted(&profile, test->command.profile, &wanted, error);

	if (code != 0)
		return code;
	known_jvms_note_profile(test->command.profile);
	code = adjustment_init(&adjustment, profile, &choice, error);
	if (code == 0 && waiting_interrupted())
		code = error_set(error, ERROR_BUSY, "interrupted");
	if (code == 0)
		code = verdict_reach(
			&test->verdict, &test->expectations, profile, &adjustment, error);
	if (code == 0 && print(stdout, &test->verdict, adjustment.said) != 0)
		code = error_set(error, ERROR_MEMORY, "no memory");
	adjustment_fini(&adjustment);
	profile_free(profile);
	return code;
}

static int run_test(struct selftest *test)
{
	struct calibration *calibration = NULL;
	struct error error = {0};
	int code = 0;

	waiting_catch_interrupt();
	if (test->calibration && strcmp(test->calibration, "auto") == 0)
		test->calibration = NULL;
	/* The user's own file cannot be used: better to know it now than when all has run. */
	if (test->calibration && strcmp(test->calibration, "off") != 0)
		code = calibration_load(&calibration, NULL, test->calibration, &error);
	calibration_destroy(calibration);
	if (code == 0)
		code = work_folder_make(test->folder, &error);
	if (code == 0)
		code = run_java(test, &error);
	if (code == 0)
		code = judge(test, &error);
	work_folder_remove(test->folder);
	free(test->without);
	free(test->with);
	return code == 0 ? command_flush() : command_failed(&error);
}

/* With the other ways calls are counted, or not seen at all. A name that is none is for the agent to tell of. */
static bool is_timed(const char *calls)
{
	static const char *const others[] = {"auto", "count", "sample", "off"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(calls, others[i]) == 0)
			return false;
	return true;
}

int cmd_selftest(int argc, char **argv)
{
	struct selftest *test = calloc(1, sizeof(*test));
	int status;

	if (!test)
		return command_no_memory();
	test->calls = "instrument";
	test->timing = "fast";
	test->metrics = "wall+cpu+alloc";
	status = command_options_read(&selftest_table, test, argc, argv);
	if (status == EXIT_DONE && !is_timed(test->calls))
		status = command_usage("selftest", "--calls is 'instrument' or 'events': it "
						   "compares what timed calls tell");
	if (status == EXIT_DONE)
		status = run_test(test);
	free(test);
	return status;
}
