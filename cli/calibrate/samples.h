/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * samples: one number measured again and again, and what to make of it where now and then
 * something else came between.
 */
#ifndef JPROF_CLI_SAMPLES_H
#define JPROF_CLI_SAMPLES_H

enum { SAMPLES_MAX = 32 };

/* Embedded; zero-initialised means none. */
struct samples {
	unsigned count;
	double value[SAMPLES_MAX];
};

/* What is above SAMPLES_MAX is dropped. */
void samples_add(struct samples *samples, double value);

/* The middle one; 0 for none. */
double samples_median(const struct samples *samples);

/* The standard deviation, estimated by the median distance from the median, which outliers do
 * not move; 0 for fewer than two. */
double samples_spread(const struct samples *samples);

/* The standard error of the median. */
double samples_error(const struct samples *samples);

/* How far the medians of the earlier and of the later half are apart. */
double samples_drift(const struct samples *samples);

/* Of two doubles, for qsort. */
int samples_order(const void *a, const void *b);

#endif
