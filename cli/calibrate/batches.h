/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * batches: what the calibration's programs took by their own measure, from the lines that they
 * print.
 *
 *   {"program":"calls_2_3_5","repetition":1,"rounds":700,"ns":..,"values":{"wall":..,"cpu":..}}
 *
 * In:   untrusted lines. Out: per program and metric, what a round took in each repetition.
 * Owns: its programs.
 */
#ifndef JPROF_CLI_BATCHES_H
#define JPROF_CLI_BATCHES_H

#include <stddef.h>
#include <stdint.h>

#include "cli/calibrate/samples.h"
#include "error/error.h"
#include "profile/profile.h"

struct batch_program {
	char name[64];
	struct samples round[PROFILE_METRIC_MAX]; /* per round, by metric */
};

/* Embedded; set the metrics, all else zero. */
struct batches {
	const char *const *metric; /* their names, borrowed */
	unsigned metric_count;
	struct batch_program *program;
	size_t count;
	unsigned repetitions; /* the highest number seen */
};

/* Takes a line; what is no batch is passed over. 0, or a negative code: a metric is missing or
 * was not measured, or there is no memory. */
int batches_take(struct batches *batches, const char *line, struct error *error);

void batches_fini(struct batches *batches);

/* The program of that name, or NULL. Borrowed. */
struct batch_program *batches_find(const struct batches *batches, const char *name);

/* The median of a round; 0 if there is no such program. */
double batches_round(const struct batches *batches, const char *name, unsigned metric);

#endif
