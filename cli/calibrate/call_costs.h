/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * call_costs: what a call itself costs without probes, by the types of caller and callee, and how
 * much of it is in a stretch.
 *
 *   caller --> callee      all of it is the caller's: the probes are behind what enters a method
 *          <--             and before what leaves it. Half is on each side of the call.
 */
#ifndef JPROF_CLI_CALL_COSTS_H
#define JPROF_CLI_CALL_COSTS_H

#include <stdint.h>

#include "cli/calibrate/batches.h"

/* state << 1 | static, without that of a thread's root. */
enum { CALL_TYPES = 6 };

/* Of one metric. Embedded. */
struct call_costs {
	double call[CALL_TYPES][CALL_TYPES]; /* [caller][callee] */
};

void call_costs_init(struct call_costs *costs, const struct batches *without, unsigned metric);

/* What a stretch of that code, of no unwind, has of the calls at its two ends. */
double call_costs_of(const struct call_costs *costs, uint32_t code);

#endif
