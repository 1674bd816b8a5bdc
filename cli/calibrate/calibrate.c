/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* calibrate: see calibrate.h. */
#include "cli/calibrate/calibrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calibration/cache.h"
#include "cli/java/java_child.h"
#include "cli/java/java_command.h"
#include "cli/java/known_jvms.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/waiting.h"

/* One of the two runs, in milliseconds: on a busy machine it takes long to get warm. A
 * report waits a minute at most for both. */
enum { LIMIT = 300000, LIMIT_QUICK = 29000 };

/* How long programs are measured, once all are warm. */
#define MILLISECONDS       "10000"
#define MILLISECONDS_QUICK "2000"

/* One calibration on its way. */
struct measuring {
	const struct calibrate *what;
	char folder[PATH_MAX]; /* for all files */
	struct java_command command;
	char metrics[1024]; /* cut into names */
	const char *metric[PROFILE_METRIC_MAX];
	unsigned metric_count;
	struct batches without, with, *batches; /* of the run that is on, one of the two */
	struct observations observations;
	struct training training;
};

static int split_metrics(struct measuring *measuring, struct error *error)
{
	char *rest = measuring->metrics, *name;

	if (snprintf(measuring->metrics, sizeof(measuring->metrics), "%s",
		    measuring->what->metrics) >= (int)sizeof(measuring->metrics))
		return error_set(error, ERROR_VALUE, "too many metrics");
	while ((name = strsep(&rest, "+"))) {
		if (measuring->metric_count == PROFILE_METRIC_MAX)
			return error_set(error, ERROR_VALUE, "too many metrics");
		for (unsigned i = 0; i < measuring->metric_count; i++)
			if (strcmp(measuring->metric[i], name) == 0)
				return error_set(error, ERROR_VALUE,
					"metrics: '%s' is there twice",
					error_subject(name).text);
		measuring->metric[measuring->metric_count++] = name;
	}
	measuring->without.metric = measuring->with.metric = measuring->metric;
	measuring->without.metric_count = measuring->with.metric_count =
		measuring->metric_count;
	return 0;
}

static void show(const struct measuring *measuring)
{
	progress_show("measuring what probes cost: a program %s them, %u times",
		measuring->batches == &measuring->with ? "with" : "without",
		measuring->batches->repetitions);
}

static int take_line(void *argument, char *line, struct error *error)
{
	const struct measuring *measuring = argument;
	unsigned before = measuring->batches->repetitions;
	int code = batches_take(measuring->batches, line, error);

	if (measuring->batches->repetitions != before)
		show(measuring);
	return code;
}

static int run_java(struct measuring *measuring, bool probes, struct error *error)
{
	const struct calibrate *what = measuring->what;
	const struct java_option options[] = {
		{"calls", probes ? what->calls : "off"},
		{"timing", what->timing},
		{"metrics", what->metrics},
		{"include", "calibrated.*"},
		{"io", "off"},
		{"calibration", "off"},
		{"flush", "3600"},
		{NULL, NULL},
	};
	const char *const arguments[] = {what->metrics,
		what->quick ? MILLISECONDS_QUICK : MILLISECONDS, probes ? "types" : "calls",
		"bodies", "throws", "paths", NULL};
	const struct java_program program = {.java = what->java,
		.folder = measuring->folder,
		.profile = probes ? "with.jprof" : "without.jprof",
		.calls = what->calls,
		.mode = what->mode,
		.package = "calibrated",
		.main = "jprof.calibration.Main",
		.options = options,
		.arguments = arguments};
	int code = java_command_make(&measuring->command, &program, error);

	if (code != 0)
		return code;
	measuring->batches = probes ? &measuring->with : &measuring->without;
	show(measuring);
	code = java_child_run((char *const *)measuring->command.word,
		what->quick ? LIMIT_QUICK : LIMIT, take_line, measuring, error);
	if (code == 0 && measuring->batches->repetitions == 0)
		code = error_set(error, ERROR_JVM, "'%s' ran, but measured nothing",
			error_subject(measuring->command.java).text);
	return code;
}

static int measure(
	struct measuring *measuring, struct calibration *calibration, struct error *error)
{
	int code = split_metrics(measuring, error);

	if (code == 0)
		code = work_folder_make(measuring->folder, error);
	if (code == 0)
		code = run_java(measuring, false, error);
	if (code == 0)
		code = run_java(measuring, true, error);
	if (code == 0)
		known_jvms_note_profile(measuring->command.profile);
	if (code == 0)
		code = observations_read(&measuring->observations, measuring->command.profile,
			measuring->with.repetitions, error);
	return code == 0 ? training_run(&measuring->training, calibration, &measuring->without,
				   &measuring->observations, error)
			 : code;
}

int calibrate_measure(const struct calibrate *what, struct calibration **calibration,
	struct training *training, struct error *error)
{
	struct measuring *measuring = calloc(1, sizeof(*measuring));
	struct calibration *made = calibration_create();
	int64_t began = waiting_now();
	time_t now;
	int code;

	*calibration = NULL;
	if (!measuring || !made) {
		code = error_set(error, ERROR_MEMORY, "no memory");
	} else {
		measuring->what = what;
		code = measure(measuring, made, error);
		if (training)
			*training = measuring->training;
		work_folder_remove(measuring->folder);
		batches_fini(&measuring->without);
		batches_fini(&measuring->with);
		observations_fini(&measuring->observations);
		progress_hide();
	}
	free(measuring);
	if (code == 0) {
		now = time(NULL);
		strftime(made->made, sizeof(made->made), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
		made->seconds = (double)(waiting_now() - began) / 1000;
		*calibration = made;
	} else {
		calibration_destroy(made);
	}
	return code;
}

int calibrate_quick(const struct identity *identity, const char *java,
	struct calibration **calibration, struct error *error)
{
	const struct calibrate what = {
		.java = java,
		.calls = identity->field[IDENTITY_CALLS],
		.timing = identity->field[IDENTITY_TIMING],
		.metrics = identity->field[IDENTITY_METRICS],
		.mode = identity_mode_option(identity),
		.quick = true,
	};
	int code = calibrate_measure(&what, calibration, NULL, error);

	if (code == 0)
		code = identity_compare(
			&(*calibration)->identity, identity, "what was measured now", error);
	if (code == 0) {
		cache_write(*calibration, NULL);
		return 0;
	}
	calibration_destroy(*calibration);
	*calibration = NULL;
	return code;
}
