/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* known_work: see known_work.h. */
#include "cli/calibrate/known_work.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the methods are: each call of one makes a delta more. */
enum shape { LEAF, ONCE, TWICE, SHAPES };

static const char *const shape_names[SHAPES] = {"leaf", "once", "twice"};
static const double deltas_of[SHAPES] = {1, 2, 3};
static const char *const state_names[STATE_OUTSIDE] = {"interpreted", "jitted", "native"};

/* More points of one state than there are. */
enum { SHIFTS_MAX = 128 };

/* A few of the shifts are what happened to be: a tenth at each end is left out. */
static const double out_of_range = 0.1;

static const double relative_least = 0.005, relative_most = 0.02, interpreted_most = 0.25;
/* Work is long that takes so many times as long as a probe. */
static const double long_work = 4;
/* Work of fewer units tells nothing about fractions of it. */
static const double work_least = 50;

/* A body in one shape. */
struct point {
	double work;    /* more than the empty one, without probes */
	double more;    /* the same with them */
	double unknown; /* how far the two may be wrong */
};

/* ---- measured points ---- */

/* The body "chain16" in that shape. False if it was not measured. */
static bool measure(
	struct point *point, const struct runs *runs, int state, int shape, const char *body)
{
	static const char prefix[] = "bodies_";
	char name[80];
	const struct observed_method *method;
	const struct batch_program *program;
	const struct samples *round, *call;

	snprintf(name, sizeof(name), "%s%s_%s_%s", prefix, state_names[state],
		shape_names[shape], body);
	method = observations_method(runs->with, name + strlen(prefix));
	program = batches_find(runs->without, name);
	if (!method || !program || !method->call[runs->metric].count)
		return false;
	round = &program->round[runs->metric];
	call = &method->call[runs->metric];
	*point = (struct point){samples_median(round), samples_median(call),
		hypot(samples_error(round), samples_error(call))};
	return true;
}

/* The same, less the empty one. */
static bool measure_body(
	struct point *point, const struct runs *runs, int state, int shape, const char *body)
{
	struct point empty;

	if (!measure(point, runs, state, shape, body) ||
		!measure(&empty, runs, state, shape, "empty"))
		return false;
	point->work = fmax(0, point->work - empty.work);
	point->more = point->more - empty.more;
	point->unknown = hypot(point->unknown, empty.unknown);
	return true;
}

/* ---- shifts ---- */

/* Of the deltas of one kind: how much more work each body has than an empty one, as seen, and
 * its shift. */
struct shifts {
	unsigned count;
	double work[SHIFTS_MAX], shift[SHIFTS_MAX];
};

static void add_shift(struct shifts *shifts, double work, double shift)
{
	if (shifts->count == SHIFTS_MAX)
		return;
	shifts->work[shifts->count] = work;
	shifts->shift[shifts->count++] = shift;
}

/* What an empty delta costs where all three methods are static and of that state. */
static double main_cost(const double cost[SEQUENCE_CODES], int state, enum transition begin,
	enum transition end)
{
	uint32_t third = sequence_third((enum call_state)state, true);
	uint32_t code = sequence_roll(0, third, TRANSITION_ENTRY);

	return cost[sequence_roll(sequence_roll(code, third, begin), third, end)];
}

static const enum transition E = TRANSITION_ENTRY, X = TRANSITION_EXIT;

/* What the empty ones cost, a delta of each shape. */
static void find_costs(double empty[SHAPES], const double cost[SEQUENCE_CODES], int state)
{
	double outer = main_cost(cost, state, E, E) + main_cost(cost, state, X, X);

	empty[LEAF] = main_cost(cost, state, E, X);
	empty[ONCE] = outer / 2;
	empty[TWICE] = (outer + main_cost(cost, state, X, E)) / 3;
}

/* A probe beside work costs hardly more than one alone: a shift above the limit is
 * something else, unless most of them are. */
static void leave_out_overlapping(struct known_work *work, struct shifts *shifts, double limit)
{
	struct shifts rest = {0};

	for (unsigned i = 0; i < shifts->count; i++)
		if (shifts->shift[i] <= limit)
			add_shift(&rest, shifts->work[i], shifts->shift[i]);
	if (2 * rest.count < shifts->count)
		return;
	work->overlapping += shifts->count - rest.count;
	*shifts = rest;
}

/* The body's name in the name of a leaf of that state; NULL: it is another method. */
static const char *body_of_leaf(const char *method, int state)
{
	char prefix[40];
	int length = snprintf(
		prefix, sizeof(prefix), "%s_%s_", state_names[state], shape_names[LEAF]);

	return strncmp(method, prefix, (size_t)length) == 0 ? method + length : NULL;
}

static void take_state(struct known_work *work, struct shifts *shifts, const struct runs *runs,
	int state, const double cost[SEQUENCE_CODES])
{
	double empty[SHAPES];

	find_costs(empty, cost, state);
	for (size_t i = 0; i < runs->with->method_count; i++) {
		const char *name = body_of_leaf(runs->with->method[i].name, state);

		if (!name || strcmp(name, "empty") == 0)
			continue;
		for (int shape = 0; shape < SHAPES; shape++) {
			double deltas = deltas_of[shape], unknown;
			struct point point;

			if (!measure_body(&point, runs, state, shape, name))
				continue;
			work->points++;
			unknown = (work->relative * point.work + point.unknown) / deltas;
			if (unknown > empty[shape] / 8)
				work->hiding++;
			else /* No probe makes anything faster. */
				add_shift(shifts, point.more / deltas,
					fmax((point.more - point.work) / deltas,
						fmin(0, -empty[shape])));
		}
	}
}

/* ---- the ranges ---- */

/* Without the outermost at each end. */
static struct shift_range range_of(double *shift, size_t count)
{
	size_t out = (size_t)((double)count * out_of_range);

	qsort(shift, count, sizeof(*shift), samples_order);
	return (struct shift_range){shift[out], shift[count - 1 - out]};
}

static void find_ranges(struct shift_range *little, struct shift_range *much,
	const struct shifts *shifts, double reach)
{
	/* An empty delta has no shift. */
	double less[SHIFTS_MAX + 1] = {0}, more[SHIFTS_MAX];
	size_t less_count = 1, more_count = 0;

	for (unsigned i = 0; i < shifts->count; i++)
		if (shifts->work[i] < reach)
			less[less_count++] = shifts->shift[i];
		else
			more[more_count++] = shifts->shift[i];
	*little = range_of(less, less_count);
	little->low = fmin(0, little->low);
	little->high = fmax(0, little->high);
	*much = more_count ? range_of(more, more_count) : *little;
}

/* ---- how deltas without work differ ---- */

static double upper_quartile(double *value, size_t count)
{
	qsort(value, count, sizeof(*value), samples_order);
	return count ? value[count * 3 / 4] : 0;
}

/* The loop around a leaf does next to nothing, whatever the leaf does. */
static double loops_differ(const struct runs *runs)
{
	const struct observations *with = runs->with;
	const struct observed_method *empty = observations_method(with, "jitted_leaf_empty");
	double far[2 * SHIFTS_MAX];
	unsigned metric = runs->metric;
	size_t count = 0;

	for (size_t i = 0; empty && i < with->method_count && count < 2 * SHIFTS_MAX; i++) {
		const struct observed_method *method = &with->method[i];

		if (body_of_leaf(method->name, STATE_JITTED) && method->loop[metric].count)
			far[count++] = fabs(samples_median(&method->loop[metric]) -
					    samples_median(&empty->loop[metric]));
	}
	return upper_quartile(far, count);
}

/* ---- how work differs from itself ---- */

/* Over the programs of long work that memory has no part in, the upper quartile of what differs
 * from one repetition to another or between the halves of the run. */
static double relative_of(const struct runs *runs)
{
	const struct batches *without = runs->without;
	double *part = calloc(without->count + 1, sizeof(*part)), relative = relative_most;
	size_t count = 0;

	for (size_t i = 0; part && i < without->count; i++) {
		const struct batch_program *program = &without->program[i];
		const struct samples *round = &program->round[runs->metric];
		double median = samples_median(round);

		if (strncmp(program->name, "bodies_", 7) == 0 &&
			!strstr(program->name, "_far") && median >= work_least)
			part[count++] =
				fmax(samples_spread(round), samples_drift(round)) / median;
	}
	if (count > 0)
		relative = upper_quartile(part, count);
	free(part);
	return relative;
}

/* The same of interpreted work, and of what it takes with probes, where that is long
 * beside what they cost: an interpreter's pace depends on what ran before. */
static double relative_of_interpreted(
	const struct runs *runs, const double cost[SEQUENCE_CODES])
{
	const struct observations *with = runs->with;
	double empty[SHAPES], part[SHIFTS_MAX];
	struct point point;
	size_t count = 0;

	find_costs(empty, cost, STATE_INTERPRETED);
	for (size_t i = 0; i < with->method_count && count + SHAPES <= SHIFTS_MAX; i++) {
		const char *name = body_of_leaf(with->method[i].name, STATE_INTERPRETED);

		if (!name || strcmp(name, "empty") == 0)
			continue;
		for (int shape = 0; shape < SHAPES; shape++)
			if (measure_body(&point, runs, STATE_INTERPRETED, shape, name) &&
				point.work >= work_least &&
				point.work >= long_work * deltas_of[shape] * empty[shape])
				part[count++] = fabs(point.more - point.work) / point.work;
	}
	return fmin(interpreted_most, upper_quartile(part, count));
}

void known_work_init(
	struct known_work *work, const struct runs *runs, const double cost[SEQUENCE_CODES])
{
	double leaf = main_cost(cost, STATE_JITTED, E, X), loops = loops_differ(runs);
	struct shifts shifts[STATE_OUTSIDE] = {0}, *jitted = &shifts[STATE_JITTED];
	double far[SHIFTS_MAX], hidden = leaf / 16, reach;

	memset(work, 0, sizeof(*work));
	work->measured_relative = relative_of(runs);
	work->relative = fmin(relative_most, fmax(relative_least, work->measured_relative));
	work->interpreted = fmax(work->relative, relative_of_interpreted(runs, cost));
	for (int state = 0; state < STATE_OUTSIDE; state++) {
		take_state(work, &shifts[state], runs, state, cost);
		leave_out_overlapping(work, &shifts[state], fmax(leaf / 16, loops));
	}
	/* Where probes hide no work, as of instructions, all that is seen is work: three
	 * quarters of the shifts are nearer to nothing. */
	for (unsigned i = 0; i < jitted->count; i++)
		far[i] = fabs(jitted->shift[i]);
	if (jitted->count > 0)
		hidden = fmin(hidden, upper_quartile(far, jitted->count));
	reach = fmax(hidden, loops);
	work->reach = leaf > 0 ? fmin(1, reach / leaf) : 1;
	for (int state = 0; state < STATE_OUTSIDE; state++)
		find_ranges(&work->little[state], &work->much[state], &shifts[state], reach);
}
