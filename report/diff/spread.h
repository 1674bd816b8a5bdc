/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * spread: is a figure of a few runs another one than that of a few others, or do runs differ by as much anyway?
 *
 * A JVM compiles and inlines in another way in each run: a method takes 5 ms in one and 80 ms in the next, another one
 * the other way round. No law of chance fits that, but this holds: where nothing has changed, it is chance alone which of
 * the runs are called "before". So all ways to call them are tried. A difference is believed if it is larger than the largest
 * one among all figures in all but one of 20 of those ways (the permutation test by maxima: P. H. Westfall, S. S. Young,
 * Resampling-based multiple testing, 1993). With that, at most one comparison in 20 believes a growth that there is not,
 * however many figures it has and however they hang together. It takes three runs a side: there are 20 ways then, with two
 * a side only 6.
 *
 * Differences are counted in their own standard errors. Three runs tell those badly: a figure's own variance is drawn
 * half of the way to what is usual for such a figure: some part of it, and what it was measured with.
 *
 * In:   for each figure its values by run, and how far off each may be as it was measured.
 * Out:  how large a difference is, and how large it must be.
 */
#ifndef JPROF_REPORT_DIFF_SPREAD_H
#define JPROF_REPORT_DIFF_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPREAD_RUNS_MAX = 128 };

/* The runs of both sides, those of the first one first; of each side one, at least. */
struct spread_runs {
	const double *value;
	unsigned count[2];
	double error; /* half the width of a run's own interval, by what it was measured with */
	double scale; /* spread_scale, of all such figures */
};

double spread_median(const double *value, unsigned count);

/* How large variances of such figures are, as a factor of what spread.c takes for usual. It does not depend on which runs
 * are called "before". -1 without memory. */
double spread_scale(const struct spread_runs *runs, size_t count);

/* The standard error of the difference of the means; NAN where each side has one run. */
double spread_error(const struct spread_runs *runs);

/* The difference of the means, after less before, in standard errors; 0 where there is none. */
double spread_difference(const struct spread_runs *runs);

/* How large a difference must be to be believed: [0] where the figure fell, [1] where it grew. */
struct spread_least {
	double least[2]; /* infinite: there are too few runs */
};

/* Of many figures of the same runs. -1 without memory, else 0. */
int spread_least_of(struct spread_least *least, const struct spread_runs *runs, size_t count);

/* True where all of one side's values are above all of the other's. */
bool spread_is_apart(const struct spread_runs *runs);

/* How much a side's values differ, the larger of both: the largest less the smallest. */
double spread_range(const struct spread_runs *runs);

#endif
