/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * call_costs: what a call itself costs without probes, by the types of caller and callee, and how
 * much of it is in a stretch.
 *
 *   caller --> callee      half a call's cost is the caller's and half the callee's, a quarter
 *          <--             at each of its two events
 *
 * Where a quarter is more than a callee has between its two events (a native method that calls a
 * Java method spends all of it on its own side), the rest is the caller's: what is shared out
 * remains the whole call.
 */
#ifndef JPROF_CLI_CALL_COSTS_H
#define JPROF_CLI_CALL_COSTS_H

#include <stdint.h>

#include "cli/calibrate/batches.h"
#include "cli/calibrate/observations.h"

/* state << 1 | static, without that of a thread's root. */
enum { CALL_TYPES = 6 };

/* Of one metric. Embedded. */
struct call_costs {
	double call[CALL_TYPES][CALL_TYPES];   /* [caller][callee] */
	double callee[CALL_TYPES][CALL_TYPES]; /* of it the callee's, at each event */
};

void call_costs_init(struct call_costs *costs, const struct batches *without,
	const struct observations *with, unsigned metric);

/* What a stretch of that code, of no unwind, has of the calls at its two ends. */
double call_costs_of(const struct call_costs *costs, uint32_t code);

#endif
