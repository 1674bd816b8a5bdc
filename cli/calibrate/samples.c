/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* samples: see samples.h. */
#include "cli/calibrate/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a normal distribution: standard deviation over median absolute deviation. */
static const double normal = 1.4826;
/* Of a median, over that of a single value divided by the root of their number. */
static const double median_error = 1.2533;

void samples_add(struct samples *samples, double value)
{
	if (samples->count < SAMPLES_MAX)
		samples->value[samples->count++] = value;
}

int samples_order(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(const double *value, unsigned count)
{
	double sorted[SAMPLES_MAX];

	if (count == 0)
		return 0;
	memcpy(sorted, value, count * sizeof(*value));
	qsort(sorted, count, sizeof(*sorted), samples_order);
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double samples_median(const struct samples *samples)
{
	return median(samples->value, samples->count);
}

double samples_spread(const struct samples *samples)
{
	double middle = samples_median(samples), distance[SAMPLES_MAX];

	for (unsigned i = 0; i < samples->count; i++)
		distance[i] = fabs(samples->value[i] - middle);
	return normal * median(distance, samples->count);
}

double samples_error(const struct samples *samples)
{
	if (samples->count == 0)
		return 0;
	return median_error * samples_spread(samples) / sqrt(samples->count);
}

double samples_drift(const struct samples *samples)
{
	unsigned half = samples->count / 2;

	if (half == 0)
		return 0;
	return fabs(median(samples->value, half) -
		    median(samples->value + samples->count - half, half));
}
