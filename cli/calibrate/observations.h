/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * observations: what the probes saw of the calibration's programs, from the profile of the run
 * with probes.
 *
 *   snapshots types.N.begin..types.N.end     --> sequences, N-th repetition
 *             throws.N...                    --> those that an exception ends
 *             bodies.N...                    --> methods of calibrated.Bodies, by name
 *             paths.N...                     --> programs of calibrated.Paths, by depth
 *
 * Owns: its rows.
 */
#ifndef JPROF_CLI_OBSERVATIONS_H
#define JPROF_CLI_OBSERVATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "calibration/identity.h"
#include "calibration/sequence.h"
#include "cli/calibrate/samples.h"
#include "error/error.h"
#include "profile/profile_read.h"

struct observed_sequence {
	uint64_t count; /* deltas, of all repetitions */
	double minimum[PROFILE_METRIC_MAX];
	struct samples mean[PROFILE_METRIC_MAX];
};

struct observed_method {
	char name[64];
	struct samples call[PROFILE_METRIC_MAX]; /* its own use per call */
	/* its caller's own use per call, if that is a loop */
	struct samples loop[PROFILE_METRIC_MAX];
};

/* Depths of paths are below. */
enum { DEPTHS = 32 };

/* Embedded; zero-initialised means empty. */
struct observations {
	unsigned metric_count;
	char unit[PROFILE_METRIC_MAX][16];
	struct identity identity;                           /* of the profile */
	struct observed_sequence *sequence[SEQUENCE_CODES]; /* NULL: was not seen */
	struct observed_method *method;
	size_t method_count;
	/* a delta's use in paths of that depth */
	struct samples path[DEPTHS][PROFILE_METRIC_MAX];
};

/* Reads so many repetitions. 0, or a negative code; observations_fini is needed in any case. */
int observations_read(struct observations *observations, const char *path, unsigned repetitions,
	struct error *error);

void observations_fini(struct observations *observations);

/* The method of that name, or NULL. Borrowed. */
struct observed_method *observations_method(
	const struct observations *observations, const char *name);

#endif
