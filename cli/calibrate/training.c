/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* training: see training.h. */
#include "cli/calibrate/training.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One metric on its way. */
struct course {
	struct runs runs;
	struct call_costs calls;
	double observed[SEQUENCE_CODES], environment[SEQUENCE_CODES], cost[SEQUENCE_CODES];
};

/* Bytes, objects and operations: jprof adds none. */
static bool is_changed_by_probes(const char *unit)
{
	return strcmp(unit, "ns") == 0 || strcmp(unit, "count") == 0;
}

/* ---- calls without probes ---- */

void call_costs_init(struct call_costs *costs, const struct batches *without, unsigned metric)
{
	/* Programs call once and, the other ones, five times. */
	enum { FEW = 1, MANY = 5 };

	for (unsigned type = 0; type < CALL_TYPES * CALL_TYPES; type++) {
		unsigned caller = type / CALL_TYPES, callee = type % CALL_TYPES;
		char few[64], many[64];
		double calls;

		snprintf(few, sizeof(few), "calls_%u_%u_%d", caller, callee, FEW);
		snprintf(many, sizeof(many), "calls_%u_%u_%d", caller, callee, MANY);
		calls = batches_round(without, many, metric) -
			batches_round(without, few, metric);
		costs->call[caller][callee] = fmax(0, calls / (MANY - FEW));
	}
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

/* ---- costs ---- */

/* What an empty method of that type costs at least, as a leaf. */
static double least_leaf(const struct course *course, unsigned type)
{
	double least = INFINITY;

	for (uint32_t code = 0; code < SEQUENCE_UNWIND; code++)
		if (course->runs.with->sequence[code] && sequence_second_type(code) == type &&
			sequence_begin(code) == TRANSITION_ENTRY &&
			sequence_end(code) == TRANSITION_EXIT)
			least = fmin(least, course->cost[code]);
	return isfinite(least) ? least : 0;
}

/* Codes of unwinds come last. Half of what it costs to throw and catch is the callee's; but an
 * exit by exception costs no less than another one. */
static void find_costs(struct course *course)
{
	for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
		const struct observed_sequence *seen = course->runs.with->sequence[code];
		unsigned type = sequence_second_type(code);
		double observed, environment;
		char name[32];

		if (!seen)
			continue;
		observed = samples_median(&seen->mean[course->runs.metric]);
		if (code < SEQUENCE_UNWIND) {
			environment = call_costs_of(&course->calls, code);
		} else {
			snprintf(name, sizeof(name), "throws_%u", type);
			environment = fmin(
				batches_round(course->runs.without, name, course->runs.metric) /
					2,
				fmax(0, observed - least_leaf(course, type)));
		}
		course->observed[code] = observed;
		course->environment[code] = environment;
		course->cost[code] = observed - environment;
	}
}

/* ---- the calibration's rows ---- */

/* A probe never makes anything faster. But part of what a call costs may be done, beside
 * a probe, in the next delta: then there is less to be seen of this one than it costs
 * without. */
static double no_less(double cost, double value)
{
	return fmax(fmin(0, cost), value);
}

static void fill_cost(const struct course *course, struct calibration_cost *to, uint32_t code,
	const struct known_work *work)
{
	const struct observed_sequence *seen = course->runs.with->sequence[code];
	unsigned state = type_of(sequence_second_type(code)) >> 1;
	struct shift_range little = work->little[state], much = work->much[state];
	double cost = course->cost[code];

	*to = (struct calibration_cost){
		.observed = course->observed[code],
		.minimum = seen->minimum[course->runs.metric],
		.environment = course->environment[code],
		.cost = cost,
		.low = no_less(cost, cost + little.low),
		.high = no_less(cost, cost + little.high),
		.work_low = no_less(cost, cost + much.low),
		.work_high = no_less(cost, cost + much.high),
		.spread = samples_error(&seen->mean[course->runs.metric]),
	};
}

static void fill_metric(struct training *training, struct calibration *calibration,
	const struct batches *without, const struct observations *with, unsigned metric)
{
	struct known_work *work = &training->work[metric];
	struct course course = {.runs = {without, with, metric}};
	bool is_changed = is_changed_by_probes(with->unit[metric]);

	*work = (struct known_work){0};
	if (is_changed) {
		call_costs_init(&course.calls, without, metric);
		find_costs(&course);
		known_work_init(work, &course.runs, course.cost);
	}
	for (size_t i = 0; i < calibration->row_count; i++) {
		struct calibration_row *row = &calibration->row[i];
		const struct observed_sequence *seen = with->sequence[row->code];

		row->count = seen->count;
		if (is_changed)
			fill_cost(&course, &row->cost[metric], row->code, work);
		else
			row->cost[metric] = (struct calibration_cost){
				.observed = samples_median(&seen->mean[metric]),
				.minimum = seen->minimum[metric],
				.environment = samples_median(&seen->mean[metric])};
	}
}

/* ---- trees ---- */

/* Each call reads and writes a node of the thread's tree, and what a cache does not hold takes
 * longer: more(tree) = what a delta in it costs - what one costs in a tree of a few nodes. The
 * programs walk paths through trees of several sizes, whose nodes are all over the memory; what
 * is not the paths' own is taken off. */
static void fill_trees(struct calibration_metric *filled, const struct batches *without,
	const struct observations *with, unsigned metric)
{
	double few = NAN;

	filled->tree_count = 0;
	for (int depth = 0; depth < DEPTHS && filled->tree_count < CALIBRATION_TREES; depth++) {
		struct calibration_tree *tree = &filled->tree[filled->tree_count];
		const struct samples *seen = &with->path[depth][metric];
		const struct batch_program *program;
		/* Each method but the last calls one. */
		double deltas = 2 * depth + 1, cost;
		char name[32];

		snprintf(name, sizeof(name), "paths_%d", depth);
		program = batches_find(without, name);
		if (!program || seen->count == 0)
			continue;
		cost = samples_median(seen) - samples_median(&program->round[metric]) / deltas;
		if (isnan(few))
			few = cost;
		tree->nodes = (2u << depth) - 1;
		tree->more = fmax(filled->tree_count ? tree[-1].more : 0, cost - few);
		filled->tree_count++;
	}
}

/* ---- all of it ---- */

int training_run(struct training *training, struct calibration *calibration,
	const struct batches *without, const struct observations *with, struct error *error)
{
	for (uint32_t code = 0; code < SEQUENCE_CODES; code++)
		if (with->sequence[code] && !calibration_add_row(calibration, code))
			return error_set(error, ERROR_MEMORY, "no memory");
	if (calibration->row_count == 0)
		return error_set(error, ERROR_MISSING,
			"the calibration's program ran, but no call of it was seen");
	calibration->identity = with->identity;
	calibration->identity.field[IDENTITY_METRICS][0] = '\0';
	for (unsigned i = 0; i < with->metric_count; i++) {
		fill_metric(training, calibration, without, with, i);
		if (calibration_add_metric(calibration, without->metric[i], with->unit[i],
			    training->work[i].relative) != 0)
			return error_set(error, ERROR_VALUE, "metric '%s' is not possible",
				error_subject(without->metric[i]).text);
		calibration->metric[i].interpreted = training->work[i].interpreted;
		calibration->metric[i].reach = training->work[i].reach;
		if (is_changed_by_probes(with->unit[i]))
			fill_trees(&calibration->metric[i], without, with, i);
	}
	return 0;
}
