/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* call_costs: see call_costs.h. */
#include "cli/calibrate/call_costs.h"

#include <math.h>
#include <stdio.h>

#include "calibration/sequence.h"

/* Programs call once and, the other ones, five times. */
enum { FEW = 1, MANY = 5 };

static double call_of(
	const struct batches *without, unsigned caller, unsigned callee, unsigned metric)
{
	char few[64], many[64];
	double calls;

	snprintf(few, sizeof(few), "calls_%u_%u_%d", caller, callee, FEW);
	snprintf(many, sizeof(many), "calls_%u_%u_%d", caller, callee, MANY);
	calls = batches_round(without, many, metric) - batches_round(without, few, metric);
	return fmax(0, calls / (MANY - FEW));
}

void call_costs_init(struct call_costs *costs, const struct batches *without, unsigned metric)
{
	for (unsigned caller = 0; caller < CALL_TYPES; caller++)
		for (unsigned callee = 0; callee < CALL_TYPES; callee++)
			costs->call[caller][callee] = call_of(without, caller, callee, metric);
}

/* What is outside of the profile is compiled as a rule. */
static unsigned type_of(unsigned type)
{
	return type < CALL_TYPES ? type : STATE_JITTED << 1 | 1;
}

double call_costs_of(const struct call_costs *costs, uint32_t code)
{
	unsigned first = type_of(sequence_first_type(code));
	unsigned second = type_of(sequence_second_type(code));
	unsigned third = type_of(sequence_third_type(code));
	double before =
		sequence_begin(code) == TRANSITION_EXIT ? costs->call[second][first] : 0;
	double behind = sequence_end(code) == TRANSITION_ENTRY ? costs->call[second][third] : 0;

	return (before + behind) / 2;
}
