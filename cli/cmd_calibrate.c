/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof calibrate: reads the words, measures, keeps the result, prints the most important of it. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calibration/cache.h"
#include "calibration/calibration_file.h"
#include "cli/calibrate/calibrate.h"
#include "cli/calibrate/costs_table.h"
#include "cli/commands.h"
#include "cli/report/choices.h"
#include "cli/waiting.h"
#include "error/harmless.h"

struct words {
	struct calibrate what;
	const char *file; /* NULL: the cache */
};

/* ---- words ---- */

static const struct option {
	const char *name;
	size_t offset; /* of a const char * in struct words */
} options[] = {
	{"--java", offsetof(struct words, what.java)},
	{"-o", offsetof(struct words, file)},
	{"--calls", offsetof(struct words, what.calls)},
	{"--timing", offsetof(struct words, what.timing)},
	{"--metrics", offsetof(struct words, what.metrics)},
};

static const struct option *find_option(const char *name)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (strcmp(options[i].name, name) == 0)
			return &options[i];
	return NULL;
}

static int unknown_option(const char *word)
{
	struct choices choices = {.nearest.wanted = word};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		choices_add(&choices, options[i].name);
	choices_add(&choices, "--quick");
	return command_usage("calibrate", "unknown option '%s'%s", word,
		choices_text(&choices, "options"));
}

static int read_words(struct words *words, int argc, char **argv)
{
	for (int at = 1; at < argc; at++) {
		const struct option *option = find_option(argv[at]);

		if (strcmp(argv[at], "--quick") == 0) {
			words->what.quick = true;
			continue;
		}
		if (option == NULL)
			return unknown_option(argv[at]);
		if (at + 1 == argc || argv[at + 1][0] == '\0')
			return command_usage("calibrate", "%s needs a value", argv[at]);
		*(const char **)((char *)words + option->offset) = argv[++at];
	}
	if (strcmp(words->what.calls, "off") == 0)
		return command_usage(
			"calibrate", "--calls off: where no calls are seen, they cost nothing");
	return EXIT_DONE;
}

/* ---- the result ---- */

/* Whether the file can be written, before half a minute is spent. The result takes its place: that is
 * not for a device. */
static int check_place(const char *file, struct error *error)
{
	char path[PATH_MAX];
	struct stat status;

	if (file == NULL)
		return 0;
	if (stat(file, &status) == 0 && !S_ISREG(status.st_mode))
		return error_set(error, ERROR_IO, "cannot write %s: it is no regular file",
			calibration_subject(file).text);
	snprintf(path, sizeof(path), "%s", file);
	if (access(dirname(path), W_OK | X_OK) != 0)
		return error_set_errno(error, ERROR_IO, errno, "cannot write %s",
			calibration_subject(file).text);
	return 0;
}

/* *place: where it is kept, owned. */
static int keep(const struct calibration *calibration, const char *file, char **place,
	struct error *error)
{
	int failed = file != NULL ? calibration_save(calibration, file, error)
				  : cache_write(calibration, error);

	*place = file != NULL ? strdup(file) : cache_path(&calibration->identity);
	return failed;
}

static int finish(const struct words *words, const struct calibration *calibration,
	const struct training *training)
{
	struct error error = {0};
	char *place;
	int failed;

	costs_table_print(stdout, calibration, training);
	failed = keep(calibration, words->file, &place, &error);
	if (failed == 0) {
		printf("%zu sequences in %.1f s: '", calibration->row_count,
			calibration->seconds);
		harmless_put(stdout, place != NULL ? place : "");
		printf("'\n");
	}
	free(place);
	return failed != 0 ? command_failed(&error) : command_flush();
}

int cmd_calibrate(int argc, char **argv)
{
	struct words words = {.what = {.calls = "auto",
				      .timing = "fast",
				      .metrics = "wall+cpu+alloc",
				      .progress = isatty(STDERR_FILENO)}};
	struct calibration *calibration = NULL;
	struct training *training;
	struct error error = {0};
	int failed, status = read_words(&words, argc, argv);

	if (status != EXIT_DONE)
		return status;
	training = calloc(1, sizeof(*training));
	if (training == NULL)
		return command_no_memory();
	waiting_catch_interrupt();
	failed = check_place(words.file, &error);
	if (failed == 0)
		failed = calibrate_measure(&words.what, &calibration, training, &error);
	status = failed == 0 ? finish(&words, calibration, training) : command_failed(&error);
	calibration_destroy(calibration);
	free(training);
	return status;
}
