/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * verdict: what differs by chance, and what has changed.
 *
 *   counted exactly, all runs of a side alike    whatever differs has changed
 *   counted exactly, runs of a side differ       changed: no run of one side is among the other's, and the medians
 *                                                are farther apart than the runs of a side
 *   measured, one run on a side                  changed: the difference is larger than its error, which is both
 *                                                sides' errors and what times differ by from run to run (choice.pace)
 *   measured, several runs                       changed: no run of one side is among the other's; the difference is
 *                                                larger than its error; and it is improbable (spread.h), so that with
 *                                                95 in 100 there is none among all that is no change
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff/diff.h"

/* The runs of both sides, as they are compared. */
struct sides {
	double value[2][DIFF_RUNS_MAX];
	double error[2][DIFF_RUNS_MAX];
	struct spread_runs runs;
	double median[2], median_error[2];
	bool is_known;
};

double diff_value(const struct diff *diff, const struct diff_run *run, enum diff_by by,
	uint32_t item, unsigned figure)
{
	const struct diff_values *values = &run->values[by];
	unsigned place = values->place[figure];

	(void)diff;
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
	sides->is_known = true;
	sides->runs = (struct spread_runs){.value = {sides->value[0], sides->value[1]}};
	for (unsigned i = 0; i < diff->run_count; i++) {
		const struct diff_run *run = diff->run[i];
		double value = diff_value(diff, run, by, item, figure);
		unsigned at = sides->runs.count[run->side]++;

		sides->value[run->side][at] = value;
		sides->error[run->side][at] = value_error(run, by, item, figure, value);
		sides->is_known &= !isnan(value);
	}
	for (int side = 0; side < 2; side++) {
		unsigned count = sides->runs.count[side];

		sides->median[side] = spread_median(sides->value[side], count);
		sides->median_error[side] = spread_median(sides->error[side], count);
	}
	sides->runs.error = hypot(sides->median_error[0], sides->median_error[1]) / sqrt(2);
}

static bool has_several(const struct diff *diff)
{
	return diff->side_count[0] > 1 && diff->side_count[1] > 1;
}

/* What the errors of measuring come to: of several runs the mean's. */
static double measured_error(const struct diff *diff, const struct sides *sides)
{
	return hypot(sides->median_error[0] / sqrt(diff->side_count[0]),
		sides->median_error[1] / sqrt(diff->side_count[1]));
}

/* Half the width of the difference's interval. */
static double joint_error(const struct diff *diff, const struct sides *sides,
	const struct spread_variance *variance)
{
	double measured = measured_error(diff, sides);

	if (has_several(diff))
		return fmax(measured, spread_half_width(&sides->runs, variance));
	return hypot(measured, diff->choice.pace * fmax(sides->median[0], sides->median[1]));
}

/* Divided figures differ in their last bits where those they are made of do not. */
static bool is_equal(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static bool is_real(const struct diff *diff, const struct diff_figure *figure,
	const struct sides *sides, double change, double error,
	const struct spread_variance *variance)
{
	double range = spread_range(&sides->runs);

	if (figure->is_exact)
		return range == 0 || (spread_is_apart(&sides->runs) && fabs(change) > range);
	if (fabs(change) <= error || !spread_is_apart(&sides->runs))
		return false;
	return !has_several(diff) ||
	       spread_probability(&sides->runs, variance) <= diff->believed;
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
	struct spread_variance variance;
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
	variance = spread_variance_of(&sides.runs, &about->prior);
	if (!about->is_exact)
		change.error = joint_error(diff, &sides, &variance);
	else if (has_several(diff))
		change.error = spread_range(&sides.runs);
	if (is_equal(change.before, change.after))
		change.verdict = DIFF_SAME;
	else if (!is_real(diff, about, &sides, change.change, change.error, &variance))
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
		double value = diff_value(diff, run, DIFF_METHOD, i, (unsigned)calls);

		if (name->class_name.text && name->name.text &&
			pattern_match_method(pattern, name->class_name.text, name->name.text))
			sum += value;
	}
	return sum;
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
		double by = by_metric ? diff_value(diff, run, DIFF_TOTAL, 0, (unsigned)figure)
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
		/* Relative to it: value_error multiplies by a value that was divided. */
		run->divisor = by;
	}
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

/* All of a figure's items that are tested: once for the prior, once more for their probabilities. */
static int test_figure(
	struct diff *diff, enum diff_by by, unsigned figure, double **probability, size_t *room)
{
	struct diff_table *table = &diff->table[by];
	struct diff_figure *about = &table->figure[figure];
	size_t count = 0, items = table->item_count;
	struct sides *tested = NULL;
	struct spread_runs *runs = NULL;
	int failed = -1;

	/* Few have a share: room is made as they are found. */
	for (uint32_t i = 0; i < items; i++) {
		struct sides sides;

		take_sides(diff, by, i, figure, &sides);
		if (!is_tested(diff, about, &sides))
			continue;
		if (count % 64 == 0) {
			struct sides *more = realloc(tested, (count + 64) * sizeof(*tested));

			if (!more)
				goto end;
			tested = more;
		}
		tested[count++] = sides;
	}
	runs = malloc((count + 1) * sizeof(*runs));
	if (diff->tested + count > *room || !*probability) {
		double *more =
			realloc(*probability, (2 * (diff->tested + count) + 1) * sizeof(*more));

		if (!more)
			goto end;
		*probability = more;
		*room = 2 * (diff->tested + count);
	}
	if (!runs)
		goto end;
	for (size_t i = 0; i < count; i++) {
		tested[i].runs.value[0] = tested[i].value[0];
		tested[i].runs.value[1] = tested[i].value[1];
		runs[i] = tested[i].runs;
	}
	about->prior = spread_prior_of(runs, count);
	for (size_t i = 0; i < count; i++) {
		struct spread_variance variance = spread_variance_of(&runs[i], &about->prior);

		(*probability)[diff->tested++] = spread_probability(&runs[i], &variance);
	}
	failed = 0;
end:
	free(tested);
	free(runs);
	return failed;
}

static int test_figures(struct diff *diff, struct error *error)
{
	double *probability = NULL;
	size_t room = 0;
	int failed = 0;

	for (enum diff_by by = 0; by < DIFF_TABLES && has_several(diff); by++)
		for (unsigned i = 0; i < diff->table[by].figure_count && failed == 0; i++)
			if (!diff->table[by].figure[i].left_out &&
				!diff->table[by].figure[i].is_exact)
				failed = test_figure(diff, by, i, &probability, &room);
	if (failed != 0)
		failed = error_set(error, ERROR_MEMORY, "no memory for the comparison");
	else if (has_several(diff))
		diff->believed = spread_holm(probability, diff->tested);
	free(probability);
	return failed;
}

int diff_judge(struct diff *diff, struct error *error)
{
	bool has_some = false;
	int failed;

	if (diff->side_count[0] == 0 || diff->side_count[1] == 0)
		return error_set(error, ERROR_USAGE, "both sides need a profile");
	diff_compare_facts(diff);
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
		failed = test_figures(diff, error);
	if (failed == 0 && diff->store.failed)
		failed = error_set(error, ERROR_MEMORY, "no memory for the comparison");
	return failed;
}
