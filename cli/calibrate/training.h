/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * training: from what was measured without probes and seen with them, what each sequence costs.
 *
 *   cost = observed - environment           of empty methods
 *   [low, high]                             over methods of known work, known_work.h
 */
#ifndef JPROF_CLI_TRAINING_H
#define JPROF_CLI_TRAINING_H

#include "calibration/calibration.h"
#include "cli/calibrate/known_work.h"

/* state << 1 | static, without that of a thread's root. */
enum { CALL_TYPES = 6 };

/* What a call itself costs without probes, of one metric. Embedded.
 *
 *   caller --> callee   all of it is the caller's: the probes are behind what enters a method
 *          <--          and before what leaves it. Half is on each side of the call.
 */
struct call_costs {
	double call[CALL_TYPES][CALL_TYPES]; /* [caller][callee] */
};

void call_costs_init(struct call_costs *costs, const struct batches *without, unsigned metric);

/* What a delta of that code, of no unwind, has of the calls at its two ends. */
double call_costs_of(const struct call_costs *costs, uint32_t code);

/* What is to be said beside the calibration, by metric. */
struct training {
	struct known_work work[PROFILE_METRIC_MAX];
};

/* Fills in metrics, rows and identity. A metric that is no time and no event of the processor,
 * which probes cannot change, costs nothing. 0, or a negative code. */
int training_run(struct training *training, struct calibration *calibration,
	const struct batches *without, const struct observations *with, struct error *error);

#endif
