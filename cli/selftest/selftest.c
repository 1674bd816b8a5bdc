/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* selftest: see selftest.h. */
#include "cli/selftest/selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibration/calibration_file.h"
#include "cli/calibrate/java_child.h"
#include "cli/calibrate/known_jvms.h"
#include "cli/calibrate/work_folder.h"
#include "cli/selftest/program.h"
#include "cli/selftest/verdict.h"
#include "cli/waiting.h"

/* ms; some ten seconds are usual. */
enum { LIMIT = 600000 };

/* One test on its way. */
struct testing {
	const struct selftest *what;
	struct work_folder folder;
	struct program program;
	struct expectations expectations;
	struct verdict verdict;
};

static int take_line(void *argument, char *line, struct error *error)
{
	struct testing *testing = argument;

	return expectations_take(&testing->expectations, line, error);
}

static int run_java(struct testing *testing, struct error *error)
{
	int code = program_make(
		&testing->program, testing->what, testing->folder.path, error);

	if (code != 0)
		return code;
	if (testing->what->progress)
		fprintf(stderr, "jprof: running a program without probes, with them, and "
				"without them once more\n");
	code = java_child_run((char *const *)testing->program.word, LIMIT, take_line, testing,
		error);
	if (code == 0 && testing->expectations.count == 0)
		code = error_set(error, ERROR_JVM, "'%s' ran, but measured nothing",
			error_subject(testing->program.java).text);
	return code;
}

static int judge_adjusted(struct testing *testing, const struct profile *profile,
	const struct adjustment *adjustment, struct error *error)
{
	int code = verdict_reach(&testing->verdict, &testing->expectations, profile, adjustment,
		error);

	if (code == 0 && testing->what->print(stdout, &testing->verdict, adjustment->said) != 0)
		code = error_set(error, ERROR_MEMORY, "no memory");
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
	int code = profile_open_wanted(&profile, testing->program.profile, &wanted, error);

	if (code != 0)
		return code;
	known_jvms_note_profile(testing->program.profile);
	code = adjustment_init(&adjustment, profile, &choice, error);
	if (code == 0 && waiting_interrupted())
		code = error_set(error, ERROR_BUSY, "interrupted");
	if (code == 0)
		code = judge_adjusted(testing, profile, &adjustment, error);
	adjustment_fini(&adjustment);
	profile_free(profile);
	return code;
}

/* The user's own file cannot be used: better to know it now than when all has run. */
static int check_calibration(const struct selftest *what, struct error *error)
{
	struct calibration *calibration = NULL;
	int code = 0;

	if (what->calibration && strcmp(what->calibration, "off") != 0)
		code = calibration_load(&calibration, NULL, what->calibration, error);
	calibration_destroy(calibration);
	return code;
}

int selftest_run(const struct selftest *what, struct error *error)
{
	struct testing *testing = calloc(1, sizeof(*testing));
	int code;

	if (!testing)
		return error_set(error, ERROR_MEMORY, "no memory");
	testing->what = what;
	code = check_calibration(what, error);
	if (code == 0)
		code = work_folder_make(&testing->folder, error);
	if (code == 0)
		code = run_java(testing, error);
	if (code == 0)
		code = judge(testing, error);
	work_folder_remove(&testing->folder);
	program_fini(&testing->program);
	free(testing);
	return code;
}
