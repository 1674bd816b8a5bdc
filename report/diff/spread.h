/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * spread: is a figure of a few runs another one than that of a few others, or do runs differ by as much anyway?
 *
 * Three runs tell little of how much one figure differs from run to run: two degrees of freedom a side. But a program has
 * many figures (each method's), and all of them together tell it well. So the variance of each is drawn towards what the
 * others have, the more so the less they differ in it (the moderated t test: G. K. Smyth, Linear models and empirical Bayes
 * methods, 2004). docs/ci.md says how often that is wrong, and right.
 *
 * In:   for each figure its values by side, and how far off each may be as it was measured.
 * Out:  how probable such a difference is where there is none.
 */
#ifndef JPROF_REPORT_DIFF_SPREAD_H
#define JPROF_REPORT_DIFF_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

/* The runs of two sides; of each side one, at least. */
struct spread_runs {
	const double *value[2];
	unsigned count[2];
	double error; /* half the width of a run's own interval, by what it was measured with */
};

/* What all of a kind of figure have in common. */
struct spread_prior {
	double degrees; /* of freedom; 0: nothing is known */
	double scale;   /* variances are so many times what is usual (spread_usual) */
};

double spread_median(const double *value, unsigned count);

/* The prior out of `count` figures' runs. */
struct spread_prior spread_prior_of(const struct spread_runs *runs, size_t count);

/* The variance of one run's figure, and of which degrees; 0 degrees: nothing is known, as each side has one run. */
struct spread_variance {
	double variance, degrees;
};
struct spread_variance spread_variance_of(
	const struct spread_runs *runs, const struct spread_prior *prior);

/* Half the width of the interval that holds the difference of the sides in 19 cases of 20. */
double spread_half_width(
	const struct spread_runs *runs, const struct spread_variance *variance);

/* How probable it is that the means differ by as much, to either side, where there is no difference. 1: nothing is known. */
double spread_probability(
	const struct spread_runs *runs, const struct spread_variance *variance);

/* True where all of one side's values are above all of the other's. */
bool spread_is_apart(const struct spread_runs *runs);

/* How much a side's values differ, the larger of both: the largest less the smallest. */
double spread_range(const struct spread_runs *runs);

/* Holm's procedure: up to which probability differences are held for true, so that with 95 in 100 none of those is
 * wrong. Sorts them. 0: none. */
double spread_holm(double *probability, size_t count);

/* For tests. Two-sided: of |t| or more. Its inverse: of which |t|. */
double student_probability(double t, double degrees);
double student_quantile(double probability, double degrees);
double trigamma(double x);
double trigamma_inverse(double y);

#endif
