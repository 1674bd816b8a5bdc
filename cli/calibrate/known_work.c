/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* known_work: see known_work.h. */
#include "cli/calibrate/known_work.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the methods are: each call of one makes a stretch more. What the third has over the second
 * is one stretch more, that between its two calls. */
enum shape { LEAF, ONCE, TWICE, SHAPES, BETWEEN = SHAPES, POINTS };

static const char *const shape_names[SHAPES] = {"leaf", "once", "twice"};
static const double stretches_of[POINTS] = {1, 2, 3, 1};
static const char *const state_names[STATE_OUTSIDE] = {"interpreted", "jitted", "native"};

static const double relative_least = 0.005, relative_most = 0.02;
/* A range that is reached by less than a unit of work is reached at once. */
static const double slope_most = 100;
/* Work of fewer units tells nothing about fractions of it. */
static const double work_least = 50;
/* Of a median, over that of a single value divided by the root of their number. */
static const double median_error = 1.25;

/* A body in one shape. */
struct point {
	double work;    /* more than the empty one, without probes */
	double more;    /* the same with them */
	double unknown; /* how far the two may be wrong */
};

/* ---- measured points ---- */

static double error_of(const struct samples *samples)
{
	return samples->count ? median_error * samples_spread(samples) / sqrt(samples->count)
			      : 0;
}

/* False if it was not measured. */
static bool measure(struct point *point, const struct batches *without,
	const struct observations *with, unsigned metric, const char *name)
{
	char program_name[80];
	const struct observed_method *method = observations_method(with, name);
	const struct batch_program *program;

	snprintf(program_name, sizeof(program_name), "bodies_%s", name);
	program = batches_find(without, program_name);
	if (!method || !program || !method->call[metric].count)
		return false;
	point->work = samples_median(&program->round[metric]);
	point->more = samples_median(&method->call[metric]);
	point->unknown = error_of(&program->round[metric]) + error_of(&method->call[metric]);
	return true;
}

/* The body "chain16_x" in that shape, less the empty one "empty_x". */
static bool measure_body(struct point *point, const struct batches *without,
	const struct observations *with, unsigned metric, int state, int shape,
	const char *body)
{
	char name[80], empty_name[80];
	struct point empty;

	snprintf(name, sizeof(name), "%s_%s_%s", state_names[state], shape_names[shape], body);
	snprintf(empty_name, sizeof(empty_name), "%s_%s_empty_%s", state_names[state],
		shape_names[shape], body + strlen(body) - 1);
	if (!measure(point, without, with, metric, name) ||
		!measure(&empty, without, with, metric, empty_name))
		return false;
	point->work = fmax(0, point->work - empty.work);
	point->more = point->more - empty.more;
	point->unknown += empty.unknown;
	return true;
}

static double unknown_of(const struct known_work *work, const struct point *point)
{
	return work->relative * point->work + point->unknown;
}

/* How far the shift is from 0 at least. */
static double shift_of(const struct known_work *work, const struct point *point)
{
	double shift = point->more - point->work;

	return copysign(fmax(0, fabs(shift) - unknown_of(work, point)), shift);
}

/* ---- the ranges ---- */

static void widen(struct shift_range *range, double shift)
{
	range->low = fmin(range->low, shift);
	range->high = fmax(range->high, shift);
}

/* What an empty stretch costs where all three methods are static and of that state. */
static double main_cost(
	const double cost[SEQUENCE_CODES], int state, enum transition begin, enum transition end)
{
	uint32_t third = sequence_third((enum call_state)state, true);
	uint32_t code = sequence_roll(0, third, TRANSITION_ENTRY);

	return cost[sequence_roll(sequence_roll(code, third, begin), third, end)];
}

static const enum transition E = TRANSITION_ENTRY, X = TRANSITION_EXIT;

/* What the empty ones cost, a stretch of each shape. */
static void find_costs(
	double empty[POINTS], const double cost[SEQUENCE_CODES], int state)
{
	double first = main_cost(cost, state, E, E), last = main_cost(cost, state, X, X);

	empty[LEAF] = main_cost(cost, state, E, X);
	empty[BETWEEN] = main_cost(cost, state, X, E);
	empty[ONCE] = (first + last) / 2;
	empty[TWICE] = (first + empty[BETWEEN] + last) / 3;
}

/* A whole method's shift, by stretch, at so much more work: the slopes have to reach it. */
static void steepen(struct known_work *work, double shift, double more)
{
	double slope = fmin(slope_most, fabs(shift) / fmax(1, more));

	if (shift < 0)
		work->fall = fmax(work->fall, slope);
	else
		work->rise = fmax(work->rise, slope);
}

static void widen_for(struct known_work *work, int state, int shape, double shift)
{
	struct shift_range (*range)[2] = work->range[state];

	if (shape == LEAF)
		widen(&range[E][X], shift);
	if (shape == BETWEEN)
		widen(&range[X][E], shift);
	if (shape == ONCE) {
		widen(&range[E][E], shift);
		widen(&range[X][X], shift);
	}
}

/* cost: of a stretch of the empty one. */
static void take_point(struct known_work *work, int state, int shape,
	const struct point *point, double cost)
{
	double unknown = unknown_of(work, point) / stretches_of[shape];
	double shift = shift_of(work, point) / stretches_of[shape];

	work->points++;
	if (shift > cost / 4 + 2) {
		work->overlapping++;
	} else if (unknown > cost / 2) {
		work->hiding++;
	} else {
		/* No probe makes anything faster. */
		shift = fmax(shift, -cost);
		widen_for(work, state, shape, shift);
		if (shape != BETWEEN)
			steepen(work, shift, point->more / stretches_of[shape]);
	}
}

static struct point between(const struct point *once, const struct point *twice)
{
	return (struct point){.work = fmax(0, twice->work - once->work),
		.more = twice->more - once->more,
		.unknown = twice->unknown + once->unknown};
}

static bool measure_points(struct point point[POINTS], const struct batches *without,
	const struct observations *with, unsigned metric, int state, const char *name)
{
	for (int shape = 0; shape < SHAPES; shape++)
		if (!measure_body(&point[shape], without, with, metric, state, shape, name))
			return false;
	point[BETWEEN] = between(&point[ONCE], &point[TWICE]);
	return true;
}

/* ---- all bodies ---- */

/* The body's name in the name of a leaf of that state; NULL: it is another method. */
static const char *body_of_leaf(const char *method, int state)
{
	char prefix[40];
	int length = snprintf(prefix, sizeof(prefix), "%s_%s_", state_names[state],
		shape_names[LEAF]);

	return strncmp(method, prefix, (size_t)length) == 0 ? method + length : NULL;
}

static void take_state(struct known_work *work, const struct batches *without,
	const struct observations *with, unsigned metric, int state,
	const double cost[SEQUENCE_CODES])
{
	double empty[POINTS];

	find_costs(empty, cost, state);
	for (size_t i = 0; i < with->method_count; i++) {
		const char *name = body_of_leaf(with->method[i].name, state);
		struct point point[POINTS];

		if (!name || strncmp(name, "empty_", 6) == 0 ||
			!measure_points(point, without, with, metric, state, name))
			continue;
		for (int shape = 0; shape < POINTS; shape++)
			take_point(work, state, shape, &point[shape], empty[shape]);
	}
}

/* ---- how work differs from itself ---- */

/* Long work that memory has no part in. */
static bool is_steady(const struct batch_program *program, unsigned metric)
{
	return strncmp(program->name, "bodies_", 7) == 0 && !strstr(program->name, "_far") &&
	       samples_median(&program->round[metric]) >= work_least;
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Over the programs, the upper quartile of what differs from one repetition to another or between
 * the halves of the run. */
static double relative_of(const struct batches *without, unsigned metric)
{
	double *part = calloc(without->count + 1, sizeof(*part)), relative = relative_most;
	size_t count = 0;

	for (size_t i = 0; part && i < without->count; i++) {
		const struct batch_program *program = &without->program[i];
		const struct samples *round = &program->round[metric];

		if (is_steady(program, metric))
			part[count++] = fmax(samples_spread(round), samples_drift(round)) /
					samples_median(round);
	}
	if (count > 0) {
		qsort(part, count, sizeof(*part), by_value);
		relative = part[count * 3 / 4];
	}
	free(part);
	return relative;
}

void known_work_init(struct known_work *work, const struct batches *without,
	const struct observations *with, unsigned metric, const double cost[SEQUENCE_CODES])
{
	memset(work, 0, sizeof(*work));
	work->measured_relative = relative_of(without, metric);
	work->relative = fmin(relative_most, fmax(relative_least, work->measured_relative));
	for (int state = 0; state < STATE_OUTSIDE; state++)
		take_state(work, without, with, metric, state, cost);
}

struct shift_range known_work_range(const struct known_work *work, uint32_t code)
{
	unsigned state = sequence_second_type(code) >> 1;

	if (code >= SEQUENCE_UNWIND)
		return work->range[state][E][X];
	/* What is outside is compiled as a rule. */
	if (state == STATE_OUTSIDE)
		state = STATE_JITTED;
	return work->range[state][sequence_begin(code)][sequence_end(code)];
}
