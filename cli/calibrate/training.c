/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* training: see training.h. */
#include "cli/calibrate/training.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/calibrate/call_costs.h"

/* One metric on its way. */
struct course {
	const struct batches *without;
	const struct observations *with;
	unsigned metric;
	struct call_costs calls;
	double observed[SEQUENCE_CODES], environment[SEQUENCE_CODES], cost[SEQUENCE_CODES];
};

/* Bytes, objects and operations: jprof adds none. */
static bool is_changed_by_probes(const char *unit)
{
	return strcmp(unit, "ns") == 0 || strcmp(unit, "count") == 0;
}

/* ---- costs ---- */

static void find_stretches(struct course *course)
{
	for (uint32_t code = 0; code < SEQUENCE_UNWIND; code++) {
		const struct observed_sequence *seen = course->with->sequence[code];

		if (!seen)
			continue;
		course->observed[code] = samples_median(&seen->mean[course->metric]);
		course->environment[code] = call_costs_of(&course->calls, code);
		course->cost[code] = course->observed[code] - course->environment[code];
	}
}

/* What an empty method of that type costs at least, as a leaf. */
static double least_leaf(const struct course *course, unsigned type)
{
	double least = INFINITY;

	for (uint32_t code = 0; code < SEQUENCE_UNWIND; code++)
		if (course->with->sequence[code] && sequence_second_type(code) == type &&
			sequence_begin(code) == TRANSITION_ENTRY &&
			sequence_end(code) == TRANSITION_EXIT)
			least = fmin(least, course->cost[code]);
	return isfinite(least) ? least : 0;
}

/* Half of what it costs to throw and catch is the callee's; but an exit by exception costs no
 * less than another one. */
static void find_unwinds(struct course *course)
{
	for (uint32_t code = SEQUENCE_UNWIND; code < SEQUENCE_CODES; code++) {
		const struct observed_sequence *seen = course->with->sequence[code];
		unsigned type = sequence_second_type(code);
		char name[32];
		double thrown, most;

		if (!seen)
			continue;
		snprintf(name, sizeof(name), "throws_%u", type);
		thrown = batches_round(course->without, name, course->metric) / 2;
		course->observed[code] = samples_median(&seen->mean[course->metric]);
		most = fmax(0, course->observed[code] - least_leaf(course, type));
		course->environment[code] = fmin(thrown, most);
		course->cost[code] = course->observed[code] - course->environment[code];
	}
}

/* ---- the calibration's rows ---- */

/* A probe never makes anything faster. But part of what a call costs may be done, beside
 * a probe, in the next stretch: then there is less to be seen of this one than it costs
 * without. */
static double no_less(double cost, double value)
{
	return fmax(fmin(0, cost), value);
}

static void fill_row(
	const struct course *course, struct calibration_row *row, const struct known_work *work)
{
	const struct observed_sequence *seen = course->with->sequence[row->code];
	struct shift_range little = known_work_little(work, row->code);
	struct shift_range much = known_work_much(work, row->code);
	double cost = course->cost[row->code];

	row->count = seen->count;
	row->cost[course->metric] = (struct calibration_cost){
		.observed = course->observed[row->code],
		.minimum = seen->minimum[course->metric],
		.environment = course->environment[row->code],
		.cost = cost,
		.low = no_less(cost, cost + little.low),
		.high = no_less(cost, cost + little.high),
		.work_low = no_less(cost, cost + much.low),
		.work_high = no_less(cost, cost + much.high),
		.spread = samples_error(&seen->mean[course->metric]),
	};
}

static void fill_free_row(
	unsigned metric, struct calibration_row *row, const struct observed_sequence *seen)
{
	double observed = samples_median(&seen->mean[metric]);

	row->count = seen->count;
	row->cost[metric] = (struct calibration_cost){.observed = observed,
		.minimum = seen->minimum[metric],
		.environment = observed};
}

static void fill_metric(struct training *training, struct calibration *calibration,
	const struct batches *without, const struct observations *with, unsigned metric)
{
	struct known_work *work = &training->work[metric];
	struct course course = {.without = without, .with = with, .metric = metric};

	memset(work, 0, sizeof(*work));
	if (!is_changed_by_probes(with->unit[metric])) {
		for (size_t i = 0; i < calibration->row_count; i++)
			fill_free_row(metric, &calibration->row[i],
				with->sequence[calibration->row[i].code]);
		return;
	}
	call_costs_init(&course.calls, without, metric);
	find_stretches(&course);
	find_unwinds(&course);
	known_work_init(work, without, with, metric, course.cost);
	for (size_t i = 0; i < calibration->row_count; i++)
		fill_row(&course, &calibration->row[i], work);
}

/* ---- trees ---- */

/* Each call reads and writes a node of the thread's tree, and what a cache does not hold takes longer:
 * more(tree) = what a stretch in it costs - what one costs in a tree of a few nodes. The programs walk
 * paths through trees of several sizes, whose nodes are all over the memory; what is not the paths' own
 * is taken off. */
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
		double stretches = 2 * depth + 1, cost;
		char name[32];

		snprintf(name, sizeof(name), "paths_%d", depth);
		program = batches_find(without, name);
		if (!program || seen->count == 0)
			continue;
		cost = samples_median(seen) -
		       samples_median(&program->round[metric]) / stretches;
		if (isnan(few))
			few = cost;
		tree->nodes = (2u << depth) - 1;
		tree->more = fmax(filled->tree_count ? tree[-1].more : 0, cost - few);
		filled->tree_count++;
	}
}

/* ---- all of it ---- */

static int add_rows(struct calibration *calibration, const struct observations *with)
{
	for (uint32_t code = 0; code < SEQUENCE_CODES; code++)
		if (with->sequence[code] && !calibration_add_row(calibration, code))
			return -1;
	return 0;
}

int training_run(struct training *training, struct calibration *calibration,
	const struct batches *without, const struct observations *with, struct error *error)
{
	if (add_rows(calibration, with) != 0)
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
