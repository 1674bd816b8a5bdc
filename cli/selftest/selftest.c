/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* selftest: see selftest.h. */
#include "cli/selftest/selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibration/calibration_file.h"
#include "cli/java/java_child.h"
#include "cli/java/java_command.h"
#include "cli/java/known_jvms.h"
#include "cli/selftest/verdict.h"
#include "cli/terminal/waiting.h"

/* ms; some ten seconds are usual. */
enum { LIMIT = 600000 };

/* That the measured loop takes without probes. */
#define MILLISECONDS "3000"

/* One test on its way. */
struct testing {
	const struct selftest *what;
	char folder[PATH_MAX]; /* for all files */
	struct java_command command;
	char *without, *with; /* options of the recordings, owned */
	struct expectations expectations;
	struct verdict verdict;
};

static int take_line(void *argument, char *line, struct error *error)
{
	struct testing *testing = argument;

	return expectations_take(&testing->expectations, line, error);
}

/* The agent waits, for one recording without calls and one with them. */
static int make_command(struct testing *testing, struct error *error)
{
	const struct selftest *what = testing->what;
	char without_file[PATH_MAX + 32], with_file[PATH_MAX + 32];
	const struct java_option options[] = {
		{"start", "no"},
		{"calls", what->calls},
		{"timing", what->timing},
		{"metrics", what->metrics},
		{"include", "selftest.*"},
		{"io", "off"},
		{"flush", "3600"},
		{NULL, NULL},
	};
	const struct java_option without[] = {
		{"file", without_file}, {"calls", "off"}, {"calibration", "off"}, {NULL, NULL}};
	const struct java_option with[] = {{"file", with_file}, {NULL, NULL}};
	struct java_program program = {.java = what->java,
		.folder = testing->folder,
		.profile = "with.jprof",
		.calls = what->calls,
		.package = "selftest",
		.main = "jprof.selftest.Main",
		.options = options};
	int code;

	snprintf(without_file, sizeof(without_file), "%s/without.jprof", program.folder);
	snprintf(with_file, sizeof(with_file), "%s/%s", program.folder, program.profile);
	code = java_options_join(&testing->without, without, error);
	if (code == 0)
		code = java_options_join(&testing->with, with, error);
	program.arguments = (const char *const[]){
		what->metrics, MILLISECONDS, testing->without, testing->with, NULL};
	return code == 0 ? java_command_make(&testing->command, &program, error) : code;
}

static int run_java(struct testing *testing, struct error *error)
{
	int code = make_command(testing, error);

	if (code != 0)
		return code;
	if (testing->what->progress)
		fprintf(stderr, "jprof: running a program without probes, with them, and "
				"without them once more\n");
	code = java_child_run(
		(char *const *)testing->command.word, LIMIT, take_line, testing, error);
	if (code == 0 && testing->expectations.count == 0)
		code = error_set(error, ERROR_JVM, "'%s' ran, but measured nothing",
			error_subject(testing->command.java).text);
	return code;
}

static int judge(struct testing *testing, struct error *error)
{
	const struct profile_wanted wanted = {.interval = "begin..end"};
	const struct adjustment_choice choice = {.calibration = testing->what->calibration,
		.measure = testing->what->measure,
		.java = testing->what->java};
	struct adjustment adjustment = {0};
	struct profile *profile;
	int code = profile_open_wanted(&profile, testing->command.profile, &wanted, error);

	if (code != 0)
		return code;
	known_jvms_note_profile(testing->command.profile);
	code = adjustment_init(&adjustment, profile, &choice, error);
	if (code == 0 && waiting_interrupted())
		code = error_set(error, ERROR_BUSY, "interrupted");
	if (code == 0)
		code = verdict_reach(
			&testing->verdict, &testing->expectations, profile, &adjustment, error);
	if (code == 0 && testing->what->print(stdout, &testing->verdict, adjustment.said) != 0)
		code = error_set(error, ERROR_MEMORY, "no memory");
	adjustment_fini(&adjustment);
	profile_free(profile);
	return code;
}

int selftest_run(const struct selftest *what, struct error *error)
{
	struct testing *testing = calloc(1, sizeof(*testing));
	struct calibration *calibration = NULL;
	int code = 0;

	if (!testing)
		return error_set(error, ERROR_MEMORY, "no memory");
	testing->what = what;
	/* The user's own file cannot be used: better to know it now than when all has run. */
	if (what->calibration && strcmp(what->calibration, "off") != 0)
		code = calibration_load(&calibration, NULL, what->calibration, error);
	calibration_destroy(calibration);
	if (code == 0)
		code = work_folder_make(testing->folder, error);
	if (code == 0)
		code = run_java(testing, error);
	if (code == 0)
		code = judge(testing, error);
	work_folder_remove(testing->folder);
	free(testing->without);
	free(testing->with);
	free(testing);
	return code;
}
