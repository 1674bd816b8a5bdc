/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * verdict: what differs by chance, and what has changed.
 *
 *   counted exactly, all runs of a side alike    whatever differs has changed
 *   counted exactly, runs of a side differ       changed: no run of one side is among the other's, and the medians
 *                                                are farther apart than the runs of a side
 *   measured, too few runs                       changed, but not certain: the difference is larger than its error, which is
 *                                                both sides' errors and what times differ by from run to run (choice.pace);
 *                                                certain, if the user has said how much that is
 *   measured, three runs a side or more          changed: no run of one side is among the other's; the difference is
 *                                                larger than its error; and larger than what chance does (spread.h)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff/diff.h"

/* The runs of both sides, as they are compared. */
struct sides {
	double value[DIFF_RUNS_MAX], error[DIFF_RUNS_MAX]; /* those before first */
	struct spread_runs runs;
	double median[2], median_error[2];
	bool is_known;
};

double diff_value(const struct diff_run *run, enum diff_by by, uint32_t item, unsigned figure)
{
	const struct diff_values *values = &run->values[by];
	unsigned place = values->place[figure];

	if (place == 0)
		return NAN;
	/* What a run did not see, it did not do. */
	if (item >= values->count)
		return 0;
	return values->value[(size_t)item * values->stride + place - 1] / run->divisor;
}

static double value_error(const struct diff_run *run, enum diff_by by, uint32_t item,
	unsigned figure, double value)
{
	const struct diff_values *values = &run->values[by];
	unsigned place = values->place[figure];
	double own = place > 0 && item < values->count
			     ? values->error[(size_t)item * values->stride + place - 1]
			     : 0;

	return hypot(own / run->divisor, value * run->divisor_error / run->divisor);
}

static void take_sides(const struct diff *diff, enum diff_by by, uint32_t item, unsigned figure,
	struct sides *sides)
{
	unsigned at = 0;
	double squares = 0;

	sides->is_known = true;
	sides->runs = (struct spread_runs){
		.value = sides->value, .scale = diff->table[by].figure[figure].scale};
	for (enum diff_side side = 0; side < 2; side++) {
		unsigned first = at;

		for (unsigned i = 0; i < diff->run_count; i++) {
			const struct diff_run *run = diff->run[i];

			if (run->side != side)
				continue;
			sides->value[at] = diff_value(run, by, item, figure);
			sides->error[at] = value_error(run, by, item, figure, sides->value[at]);
			sides->is_known &= !isnan(sides->value[at]);
			at++;
		}
		sides->runs.count[side] = at - first;
		sides->median[side] = spread_median(sides->value + first, at - first);
		sides->median_error[side] = spread_median(sides->error + first, at - first);
	}
	/* What is nothing was measured, too, but has no error of its own: the mean of the squares tells what both have. */
	for (unsigned i = 0; i < at; i++)
		squares += sides->error[i] * sides->error[i] / at;
	sides->runs.error = sqrt(squares);
}

static bool has_enough(const struct diff *diff)
{
	return diff->side_count[0] >= DIFF_RUNS_LEAST && diff->side_count[1] >= DIFF_RUNS_LEAST;
}

/* Half the width of the difference's interval. */
static double joint_error(const struct diff *diff, const struct sides *sides)
{
	/* Of Student's distribution with 8 degrees of freedom: as many as three runs a side have, with what is usual. */
	const double standard_errors = 2.31;
	double pace = diff->choice.pace > 0 ? diff->choice.pace : DIFF_PACE;
	/* Of several runs the mean's. */
	double measured = hypot(sides->median_error[0] / sqrt(diff->side_count[0]),
		sides->median_error[1] / sqrt(diff->side_count[1]));

	if (has_enough(diff))
		return fmax(measured, standard_errors * spread_error(&sides->runs));
	return hypot(measured, pace * fmax(sides->median[0], sides->median[1]));
}

/* Divided figures differ in their last bits where those they are made of do not. */
static bool is_equal(const struct diff *diff, double a, double b)
{
	double slack = diff->choice.normalize ? 1e-12 : 0;

	return fabs(a - b) <= slack * fmax(fabs(a), fabs(b));
}

static bool is_real(const struct diff *diff, const struct diff_figure *figure,
	const struct sides *sides, double change, double error)
{
	double range = spread_range(&sides->runs), difference;

	if (figure->is_exact)
		return range == 0 || (spread_is_apart(&sides->runs) && fabs(change) > range);
	if (fabs(change) <= error || !spread_is_apart(&sides->runs))
		return false;
	difference = spread_difference(&sides->runs);
	return !has_enough(diff) ||
	       fabs(difference) > diff->least[figure->is_aside].least[difference > 0];
}

static double share_of(
	const struct diff *diff, const struct diff_figure *figure, const struct sides *sides)
{
	struct sides whole;
	double share = 0;

	if (figure->whole == 0)
		return 1;
	take_sides(diff, DIFF_TOTAL, 0, figure->whole - 1, &whole);
	for (int side = 0; side < 2; side++)
		if (whole.median[side] > 0)
			share = fmax(share, sides->median[side] / whole.median[side]);
	return share;
}

struct diff_change diff_change(
	const struct diff *diff, enum diff_by by, uint32_t item, unsigned figure)
{
	const struct diff_figure *about = &diff->table[by].figure[figure];
	struct sides sides;
	struct diff_change change;

	take_sides(diff, by, item, figure, &sides);
	change = (struct diff_change){.before = sides.median[DIFF_BEFORE],
		.after = sides.median[DIFF_AFTER],
		.error_before = sides.median_error[DIFF_BEFORE],
		.error_after = sides.median_error[DIFF_AFTER],
		.change = sides.median[DIFF_AFTER] - sides.median[DIFF_BEFORE],
		.verdict = DIFF_UNKNOWN};
	if (!sides.is_known || about->left_out)
		return change;
	change.share = share_of(diff, about, &sides);
	change.is_certain = about->is_exact || has_enough(diff) || diff->choice.pace > 0;
	if (!about->is_exact)
		change.error = joint_error(diff, &sides);
	else
		change.error = spread_range(&sides.runs);
	if (is_equal(diff, change.before, change.after))
		change.verdict = DIFF_SAME;
	else if ((!about->is_exact && change.share < diff->choice.min) ||
		 !is_real(diff, about, &sides, change.change, change.error))
		change.verdict = DIFF_NOISE;
	else if (change.change > 0)
		change.verdict = change.before == 0 ? DIFF_NEW : DIFF_GREW;
	else
		change.verdict = change.after == 0 ? DIFF_GONE : DIFF_FELL;
	return change;
}

double diff_growth(const struct diff_change *change)
{
	if (change->before == 0)
		return change->after > 0 ? INFINITY : 0;
	return change->after / change->before - 1;
}

/* ---- what figures are divided by ---- */

static bool takes_metric(const char *normalize, const char **name)
{
	static const char prefix[] = "metric:";

	*name = normalize + strlen(prefix);
	return strncmp(normalize, prefix, strlen(prefix)) == 0;
}

static double calls_like(
	const struct diff *diff, const struct diff_run *run, int calls, const char *pattern)
{
	const struct diff_table *table = &diff->table[DIFF_METHOD];
	double sum = 0;

	for (uint32_t i = 0; i < table->item_count; i++) {
		const struct diff_name *name = &table->name[i];
		double value = diff_value(run, DIFF_METHOD, i, (unsigned)calls);

		if (name->class_name.text && name->name.text &&
			pattern_match_method(pattern, name->class_name.text, name->name.text))
			sum += value;
	}
	return sum;
}

/* A quotient is as uncertain as what it was divided by. */
static void make_measured(struct diff *diff)
{
	for (enum diff_by by = 0; by < DIFF_TABLES; by++)
		for (unsigned i = 0; i < diff->table[by].figure_count; i++)
			diff->table[by].figure[i].is_exact = false;
}

static int find_divisors(struct diff *diff, struct error *error)
{
	const char *normalize = diff->choice.normalize, *metric;
	bool by_metric;
	int figure;

	if (!normalize)
		return 0;
	by_metric = takes_metric(normalize, &metric);
	figure = by_metric ? diff_figure_find(diff, DIFF_TOTAL, metric)
			   : diff_figure_find(diff, DIFF_METHOD, "calls");
	if (figure < 0 ||
		diff->table[by_metric ? DIFF_TOTAL : DIFF_METHOD].figure[figure].left_out)
		return error_set(error, ERROR_USAGE,
			by_metric ? "--normalize: the profiles have no metric '%s' in common"
				  : "--normalize: calls of '%s' are not known on both sides",
			by_metric ? metric : normalize);
	for (unsigned i = 0; i < diff->run_count; i++) {
		struct diff_run *run = diff->run[i];
		double by = by_metric ? diff_value(run, DIFF_TOTAL, 0, (unsigned)figure)
				      : calls_like(diff, run, figure, normalize);

		if (!(by > 0))
			return error_set(error, ERROR_MISSING,
				by_metric ? "--normalize: '%s' has nothing of the metric '%s'"
					  : "--normalize: '%s' has no calls of a method like "
					    "'%s'",
				error_subject(run->file.text).text,
				by_metric ? metric : normalize);
		run->divisor_error =
			by_metric ? value_error(run, DIFF_TOTAL, 0, (unsigned)figure, by) : 0;
		run->divisor = by;
	}
	if (by_metric && !diff->table[DIFF_TOTAL].figure[figure].is_exact)
		make_measured(diff);
	return 0;
}

/* ---- which differences are believed ---- */

/* Whether a comparison answers for the item's figure, so that it is one of the many that could be wrong. */
static bool is_tested(
	const struct diff *diff, const struct diff_figure *figure, const struct sides *sides)
{
	return sides->is_known && (sides->median[0] > 0 || sides->median[1] > 0) &&
	       share_of(diff, figure, sides) >= diff->choice.min;
}

/* Items' figures that are tested, with their runs' values: as many of each as there are runs. */
struct tested {
	double *value;
	struct spread_runs *runs;
	size_t count, room;
};

static int make_room(struct tested *tested, unsigned run_count)
{
	size_t room = tested->room ? 2 * tested->room : 256;
	void *more;

	if (tested->count < tested->room)
		return 0;
	more = realloc(tested->value, room * run_count * sizeof(*tested->value));
	if (!more)
		return -1;
	tested->value = more;
	more = realloc(tested->runs, room * sizeof(*tested->runs));
	if (!more)
		return -1;
	tested->runs = more;
	tested->room = room;
	return 0;
}

static int add_tested(struct tested *tested, unsigned run_count, const struct sides *sides)
{
	if (make_room(tested, run_count) != 0)
		return -1;
	memcpy(tested->value + tested->count * run_count, sides->value,
		run_count * sizeof(*sides->value));
	tested->runs[tested->count++] = sides->runs;
	return 0;
}

/* Values move while there are more of them, so where they are is told afterwards. */
static void point_at_values(struct tested *tested, unsigned run_count, size_t first)
{
	for (size_t i = first; i < tested->count; i++)
		tested->runs[i].value = tested->value + i * run_count;
}

/* A figure of all items, whose scale is theirs. */
static int test_figure(
	struct diff *diff, enum diff_by by, unsigned figure, struct tested *tested)
{
	struct diff_figure *about = &diff->table[by].figure[figure];
	size_t first = tested->count;

	for (uint32_t i = 0; i < diff->table[by].item_count; i++) {
		struct sides sides;

		take_sides(diff, by, i, figure, &sides);
		if (is_tested(diff, about, &sides) &&
			add_tested(tested, diff->run_count, &sides) != 0)
			return -1;
	}
	point_at_values(tested, diff->run_count, first);
	about->scale = spread_scale(
		tested->count > first ? tested->runs + first : NULL, tested->count - first);
	for (size_t i = first; i < tested->count; i++)
		tested->runs[i].scale = about->scale;
	return about->scale < 0 ? -1 : 0;
}

/* All figures that are measured, of all tables: what is believed is that of a whole comparison. Those aside are tested
 * beside them. */
static int test_figures(struct diff *diff, bool is_aside, struct error *error)
{
	struct tested tested = {0};
	int failed = 0;

	for (enum diff_by by = 0; by < DIFF_TABLES && has_enough(diff); by++) {
		for (unsigned i = 0; i < diff->table[by].figure_count && failed == 0; i++) {
			const struct diff_figure *figure = &diff->table[by].figure[i];

			if (!figure->left_out && !figure->is_exact &&
				figure->is_aside == is_aside)
				failed = test_figure(diff, by, i, &tested);
		}
	}
	point_at_values(&tested, diff->run_count, 0);
	if (failed == 0)
		failed = spread_least_of(&diff->least[is_aside], tested.runs, tested.count);
	free(tested.value);
	free(tested.runs);
	return failed == 0 ? 0 : error_set(error, ERROR_MEMORY, "no memory for the comparison");
}

/* Figures that say again what others do, or what the machine does. */
static void choose_aside(struct diff *diff)
{
	bool has_cpu = diff_figure_find(diff, DIFF_TOTAL, "cpu") >= 0;
	bool is_auto = diff_is_auto(diff);
	/* Metrics are known of threads then, not of methods. */
	bool has_samples_alone = strncmp(diff->lead, "samples.", 8) == 0;

	for (enum diff_by by = 0; by < DIFF_TABLES; by++) {
		for (unsigned i = 0; i < diff->table[by].figure_count; i++) {
			struct diff_figure *figure = &diff->table[by].figure[i];
			const char *dot = strrchr(figure->name, '.');
			const char *last = dot ? dot + 1 : figure->name;
			bool is_wall = strcmp(last, "wall") == 0 && has_cpu;
			/* Paths begin where the first timed call of them does. */
			bool is_cut = is_auto &&
				      (strncmp(figure->name, "cum.", 4) == 0 ||
					      strncmp(figure->name, "samples_cum.", 12) == 0);
			bool is_twin = strncmp(figure->name, "samples", 7) == 0 &&
				       !has_samples_alone &&
				       diff_figure_find(diff, DIFF_TOTAL, last) >= 0;

			figure->is_aside = (is_wall && !diff->choice.chose_metrics) || is_cut ||
					   is_twin || strcmp(last, "ns") == 0;
		}
	}
}

int diff_judge(struct diff *diff, struct error *error)
{
	bool has_some = false;
	int failed;

	if (diff->side_count[0] == 0 || diff->side_count[1] == 0)
		return error_set(error, ERROR_USAGE, "both sides need a profile");
	diff_compare_facts(diff);
	choose_aside(diff);
	if (!has_enough(diff))
		diff_say(diff,
			"fewer than %d runs a side cannot tell how much times differ from run "
			"to run: what is measured is not certain, so no rule is broken by it%s",
			DIFF_RUNS_LEAST,
			diff->choice.pace > 0 ? ", but for what is beyond --pace" : "");
	for (unsigned i = 0; i < diff->table[DIFF_TOTAL].figure_count; i++) {
		const struct diff_figure *figure = &diff->table[DIFF_TOTAL].figure[i];

		/* I/O is in every profile, if only as zeros. */
		has_some |= !figure->left_out && strncmp(figure->name, "io.", 3) != 0;
	}
	if (!has_some)
		return error_set(error, ERROR_MISSING,
			"the profiles have no figure in common: neither metric, nor calls, nor "
			"samples");
	failed = find_divisors(diff, error);
	if (failed == 0)
		failed = test_figures(diff, false, error);
	if (failed == 0)
		failed = test_figures(diff, true, error);
	if (failed == 0 && diff->store.failed)
		failed = error_set(error, ERROR_MEMORY, "no memory for the comparison");
	return failed;
}
