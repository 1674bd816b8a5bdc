/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof calibrate: reads the words, measures, keeps the result, prints the most important of
 * it. */
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
#include "cli/commands.h"
#include "cli/terminal/command_options.h"
#include "cli/terminal/waiting.h"
#include "error/harmless.h"

struct words {
	struct calibrate what;
	const char *file; /* NULL: the cache */
};

/* ---- words ---- */

static const struct command_option options[] = {
	{"--java", "PATH", "the java program, or its JDK's folder", take_some_text,
		offsetof(struct words, what.java)},
	{"-o", "FILE", "where the result goes; else where reports find it", take_some_text,
		offsetof(struct words, file)},
	{"--calls", "instrument|events", "how calls are seen; instrument unless given",
		take_some_text, offsetof(struct words, what.calls)},
	{"--timing", "fast|precise", "as programs are profiled; fast unless given",
		take_some_text, offsetof(struct words, what.timing)},
	{"--metrics", "METRICS", "wall+cpu+alloc unless given", take_some_text,
		offsetof(struct words, what.metrics)},
	{"--quick", NULL, "ten seconds instead of thirty", take_flag,
		offsetof(struct words, what.quick)},
};

const struct command_table calibrate_table = {
	"calibrate", options, sizeof(options) / sizeof(*options), NULL, false};

/* ---- what was found ---- */

#define NAMES "  %-20s %-15s"

/* All three methods are of that state, and static. */
static void print_rows(FILE *out, const struct calibration *calibration, unsigned metric)
{
	for (int i = 0; i < STATE_OUTSIDE * 4; i++) {
		uint32_t third = sequence_third((enum call_state)(i / 4), true);
		uint32_t code =
			sequence_roll(sequence_roll(third, third, (enum transition)(i % 4 / 2)),
				third, (enum transition)(i % 2));
		const struct calibration_row *row = calibration_row(calibration, code);
		const struct calibration_cost *cost = row ? &row->cost[metric] : NULL;
		struct sequence_words words;
		char between[32];

		if (!row || !sequence_to_words(code, &words))
			continue;
		snprintf(between, sizeof(between), "%s to %s", words.begin, words.end);
		fprintf(out, NAMES " %9.1f %12.1f %8.1f %8.1f .. %-6.1f %8.1f .. %.1f\n",
			words.second, between, cost->observed, cost->environment, cost->cost,
			cost->low, cost->high, cost->work_low, cost->work_high);
	}
}

static void print_costs(
	FILE *out, const struct calibration *calibration, const struct training *training)
{
	for (unsigned i = 0; i < calibration->metric_count; i++) {
		const struct calibration_metric *metric = &calibration->metric[i];
		const struct known_work *work = &training->work[i];
		bool is_changed = false;

		for (size_t k = 0; k < calibration->row_count; k++)
			is_changed |= calibration->row[k].cost[i].cost != 0;
		if (!is_changed) {
			fprintf(out, "%s: not changed by probes\n", metric->name);
			continue;
		}
		fprintf(out, "%s (%s)\n" NAMES " %9s %12s %8s %18s %18s\n", metric->name,
			metric->unit, "method", "delta", "observed", "environment", "cost",
			"with little work", "with more");
		print_rows(out, calibration, i);
		fprintf(out,
			"  %u comparisons with work; left out: %u where calls overlap without "
			"probes, %u too long to tell\n"
			"  little work is up to %.0f %%; the same work differs by %.1f %%\n",
			work->points, work->overlapping, work->hiding, 100 * work->reach,
			100 * work->measured_relative);
	}
}

/* ---- the result ---- */

/* Whether the file can be written, before half a minute is spent. The result takes its place:
 * that is not for a device. */
static int check_place(const char *file, struct error *error)
{
	char path[PATH_MAX];
	struct stat status;

	if (!file)
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

static int finish(const char *file, const struct calibration *calibration,
	const struct training *training)
{
	char *cached = file ? NULL : cache_path(&calibration->identity);
	const char *place = file ? file : cached;
	struct error error = {0};
	int failed;

	print_costs(stdout, calibration, training);
	failed = file ? calibration_save(calibration, file, &error)
		      : cache_write(calibration, &error);
	if (failed == 0) {
		printf("%zu sequences in %.1f s: '", calibration->row_count,
			calibration->seconds);
		harmless_put(stdout, place ? place : "");
		printf("'\n");
	}
	free(cached);
	return failed != 0 ? command_failed(&error) : command_flush();
}

int cmd_calibrate(int argc, char **argv)
{
	struct words words = {
		.what = {.calls = "instrument", .timing = "fast", .metrics = "wall+cpu+alloc"}};
	static const char *const untimed[] = {"off", "sample", "count"};
	struct calibration *calibration = NULL;
	struct training *training;
	struct error error = {0};
	int failed, status = command_options_read(&calibrate_table, &words, argc, argv);

	if (status != EXIT_DONE)
		return status;
	if (strcmp(words.what.calls, "auto") == 0)
		words.what.calls = "instrument";
	for (size_t i = 0; i < sizeof(untimed) / sizeof(*untimed); i++)
		if (strcmp(words.what.calls, untimed[i]) == 0)
			return command_usage("calibrate",
				"--calls %s: where no calls are timed there is nothing to "
				"take out",
				untimed[i]);
	training = calloc(1, sizeof(*training));
	if (!training)
		return command_no_memory();
	waiting_catch_interrupt();
	failed = check_place(words.file, &error);
	if (failed == 0)
		failed = calibrate_measure(&words.what, &calibration, training, &error);
	status = failed == 0 ? finish(words.file, calibration, training)
			     : command_failed(&error);
	calibration_destroy(calibration);
	free(training);
	return status;
}
