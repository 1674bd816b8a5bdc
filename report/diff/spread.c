/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* spread: see spread.h. */
#include "report/diff/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often a growth may be believed that is none, in a whole comparison. */
#define LEVEL 0.05
/* What differs from run to run beside the error of measuring, as a part of the figure. Only how the one compares with the
 * other matters: how large both are is found (spread_scale). */
#define USUAL_PART 0.01
/* Of more ways to call runs "before" so many are tried, drawn by chance, the same ones each time. */
enum { WAYS_MOST = 2000 };

static int rising(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

double spread_median(const double *value, unsigned count)
{
	double sorted[SPREAD_RUNS_MAX];

	if (count == 0 || count > SPREAD_RUNS_MAX)
		return NAN;
	memcpy(sorted, value, count * sizeof(*value));
	qsort(sorted, count, sizeof(*sorted), rising);
	return count % 2 == 1 ? sorted[count / 2]
			      : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* ---- variances ---- */

static unsigned runs_of(const struct spread_runs *runs)
{
	return runs->count[0] + runs->count[1];
}

static double mean_of(const double *value, unsigned count)
{
	double sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += value[i];
	return sum / count;
}

/* What such a figure would have, up to the factor that all have in common. */
static double usual_variance(const struct spread_runs *runs)
{
	return pow(USUAL_PART * mean_of(runs->value, runs_of(runs)), 2) +
	       pow(runs->error / 2, 2);
}

/* Of all runs, as if they were of one side. */
static double whole_variance(const struct spread_runs *runs)
{
	unsigned count = runs_of(runs);
	double mean = mean_of(runs->value, count), squares = 0;

	for (unsigned i = 0; i < count; i++)
		squares += pow(runs->value[i] - mean, 2);
	return squares / (count - 1);
}

/* The median: the few figures that have changed do not matter. */
double spread_scale(const struct spread_runs *runs, size_t count)
{
	double *ratio = malloc((count + 1) * sizeof(*ratio)), scale = 0;
	size_t used = 0;

	if (!ratio)
		return -1;
	for (size_t i = 0; i < count; i++) {
		double usual = usual_variance(&runs[i]);

		if (usual > 0 && runs_of(&runs[i]) > 1)
			ratio[used++] = whole_variance(&runs[i]) / usual;
	}
	if (used > 0) {
		qsort(ratio, used, sizeof(*ratio), rising);
		scale = used % 2 == 1 ? ratio[used / 2]
				      : (ratio[used / 2 - 1] + ratio[used / 2]) / 2;
	}
	free(ratio);
	return scale;
}

/* ---- one way to call runs "before" ---- */

/* is_after, by run. */
static double difference_in(
	const struct spread_runs *runs, const bool *is_after, double usual, double *error)
{
	unsigned count = runs_of(runs);
	double sum[2] = {0}, squares = 0, mean[2], variance;

	for (unsigned i = 0; i < count; i++)
		sum[is_after[i]] += runs->value[i];
	for (int side = 0; side < 2; side++)
		mean[side] = sum[side] / runs->count[side];
	for (unsigned i = 0; i < count; i++)
		squares += pow(runs->value[i] - mean[is_after[i]], 2);
	variance = (squares / (count - 2) + usual * runs->scale) / 2;
	*error = sqrt(variance * (1.0 / runs->count[0] + 1.0 / runs->count[1]));
	if (mean[0] == mean[1])
		return 0;
	/* Of no variance at all: certain, whichever way it is. */
	return *error > 0 ? (mean[1] - mean[0]) / *error
			  : copysign(INFINITY, mean[1] - mean[0]);
}

static double observed(const struct spread_runs *runs, double *error)
{
	bool is_after[SPREAD_RUNS_MAX] = {false};

	for (unsigned i = runs->count[0]; i < runs_of(runs); i++)
		is_after[i] = true;
	return difference_in(runs, is_after, usual_variance(runs), error);
}

double spread_error(const struct spread_runs *runs)
{
	double error;

	if (runs_of(runs) <= 2)
		return NAN;
	observed(runs, &error);
	return error;
}

double spread_difference(const struct spread_runs *runs)
{
	double error;

	return runs_of(runs) <= 2 ? 0 : observed(runs, &error);
}

/* ---- all ways ---- */

/* How many ways there are, or WAYS_MOST + 1 if more. */
static size_t count_ways(unsigned before, unsigned after)
{
	double ways = 1;

	for (unsigned i = 1; i <= after; i++)
		ways = ways * (before + i) / i;
	return ways > WAYS_MOST ? WAYS_MOST + 1 : (size_t)(ways + 0.5);
}

/* The next way, in the order of binary numbers with as many ones; false behind the last. */
static bool next_way(bool *is_after, unsigned count)
{
	unsigned at = 0, ones = 0;

	/* The first one with a zero behind it moves there; the ones before it go to the front. */
	while (at + 1 < count && !(is_after[at] && !is_after[at + 1]))
		ones += is_after[at++];
	if (at + 1 >= count)
		return false;
	is_after[at] = false;
	is_after[at + 1] = true;
	for (unsigned i = 0; i < at; i++)
		is_after[i] = i < ones;
	return true;
}

/* One by chance (Fisher and Yates; the numbers are those of xorshift64). */
static void shuffle(bool *is_after, unsigned count, uint64_t *state)
{
	for (unsigned i = count; i > 1; i--) {
		unsigned other;
		bool kept = is_after[i - 1];

		*state ^= *state << 13;
		*state ^= *state >> 7;
		*state ^= *state << 17;
		other = (unsigned)(*state % i);
		is_after[i - 1] = is_after[other];
		is_after[other] = kept;
	}
}

/* The largest differences of one way: [0] of what fell, [1] of what grew. */
static void largest_in(const struct spread_runs *runs, const double *usual, size_t count,
	const bool *is_after, double largest[2])
{
	double error;

	largest[0] = largest[1] = 0;
	for (size_t i = 0; i < count; i++) {
		double difference = difference_in(&runs[i], is_after, usual[i], &error);

		largest[0] = fmax(largest[0], -difference);
		largest[1] = fmax(largest[1], difference);
	}
}

int spread_least_of(struct spread_least *least, const struct spread_runs *runs, size_t count)
{
	unsigned all = count > 0 ? runs_of(&runs[0]) : 0;
	size_t ways, allowed, way = 0;
	bool is_after[SPREAD_RUNS_MAX] = {false}, is_drawn;
	double *usual, *largest[2];
	uint64_t state = 88172645463325252u;
	int failed = -1;

	*least = (struct spread_least){{INFINITY, INFINITY}};
	if (count == 0 || all <= 2)
		return 0;
	ways = count_ways(runs[0].count[0], runs[0].count[1]);
	is_drawn = ways > WAYS_MOST;
	if (is_drawn)
		ways = WAYS_MOST;
	allowed = (size_t)(LEVEL * (double)ways);
	if (allowed == 0)
		return 0;
	usual = malloc(count * sizeof(*usual));
	largest[0] = malloc(ways * sizeof(double));
	largest[1] = malloc(ways * sizeof(double));
	if (!usual || !largest[0] || !largest[1])
		goto end;
	for (size_t i = 0; i < count; i++)
		usual[i] = usual_variance(&runs[i]);
	/* The way that was observed is the first of those by chance. */
	for (unsigned i = 0; i < all; i++)
		is_after[i] = is_drawn ? i >= runs[0].count[0] : i < runs[0].count[1];
	for (bool more = true; more && way < ways; way++) {
		double most[2];

		largest_in(runs, usual, count, is_after, most);
		largest[0][way] = most[0];
		largest[1][way] = most[1];
		if (!is_drawn)
			more = next_way(is_after, all);
		else
			shuffle(is_after, all, &state);
	}
	for (int side = 0; side < 2; side++) {
		qsort(largest[side], way, sizeof(double), rising);
		least->least[side] = largest[side][way - 1 - allowed];
	}
	failed = 0;
end:
	free(usual);
	free(largest[0]);
	free(largest[1]);
	return failed;
}

/* ---- ranges ---- */

struct extremes {
	double least, most;
};

static struct extremes extremes_of(const struct spread_runs *runs, int side)
{
	const double *value = runs->value + (side ? runs->count[0] : 0);
	struct extremes extremes = {value[0], value[0]};

	for (unsigned i = 1; i < runs->count[side]; i++) {
		extremes.least = fmin(extremes.least, value[i]);
		extremes.most = fmax(extremes.most, value[i]);
	}
	return extremes;
}

bool spread_is_apart(const struct spread_runs *runs)
{
	struct extremes before = extremes_of(runs, 0), after = extremes_of(runs, 1);

	return before.most < after.least || after.most < before.least;
}

double spread_range(const struct spread_runs *runs)
{
	struct extremes before = extremes_of(runs, 0), after = extremes_of(runs, 1);

	return fmax(before.most - before.least, after.most - after.least);
}
