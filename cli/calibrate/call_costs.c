/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* call_costs: see call_costs.h. */
#include "cli/calibrate/call_costs.h"

#include <math.h>
#include <stdio.h>

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

/* The least that a method of that type shows between its entry and its exit; infinite if it was
 * never seen. */
static double least_leaf(const struct observations *with, unsigned type, unsigned metric)
{
	double least = INFINITY;

	for (uint32_t code = 0; code < SEQUENCE_UNWIND; code++) {
		const struct observed_sequence *sequence = with->sequence[code];

		if (sequence && sequence_begin(code) == TRANSITION_ENTRY &&
			sequence_end(code) == TRANSITION_EXIT &&
			sequence_second_type(code) == type)
			least = fmin(least, samples_median(&sequence->mean[metric]));
	}
	return least;
}

void call_costs_init(struct call_costs *costs, const struct batches *without,
	const struct observations *with, unsigned metric)
{
	for (unsigned callee = 0; callee < CALL_TYPES; callee++) {
		double leaf = least_leaf(with, callee, metric);

		for (unsigned caller = 0; caller < CALL_TYPES; caller++) {
			double call = call_of(without, caller, callee, metric);

			costs->call[caller][callee] = call;
			costs->callee[caller][callee] = fmin(call, leaf) / 4;
		}
	}
}

/* What is outside of the profile is compiled as a rule. */
static unsigned type_of(unsigned type)
{
	return type < CALL_TYPES ? type : STATE_JITTED << 1 | 1;
}

static double caller_side(const struct call_costs *costs, unsigned caller, unsigned callee)
{
	return costs->call[caller][callee] / 2 - costs->callee[caller][callee];
}

double call_costs_of(const struct call_costs *costs, uint32_t code)
{
	unsigned first = type_of(sequence_first_type(code));
	unsigned second = type_of(sequence_second_type(code));
	unsigned third = type_of(sequence_third_type(code));
	double begin = sequence_begin(code) == TRANSITION_ENTRY
			       ? costs->callee[first][second]
			       : caller_side(costs, second, first);
	double end = sequence_end(code) == TRANSITION_ENTRY
			     ? caller_side(costs, second, third)
			     : costs->callee[third][second];

	return begin + end;
}
