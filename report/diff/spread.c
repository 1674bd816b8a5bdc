/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* spread: see spread.h. */
#include "report/diff/spread.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often a difference that is none may be held for one, in a whole comparison. */
#define LEVEL 0.05
/* Figures that are needed to tell of all. */
#define FIGURES_LEAST 5
/* What differs from run to run beside the error of measuring, as a part of the figure; only how the one compares with the
 * other matters: how large both are is found (spread_prior.scale). */
#define USUAL_PART   0.01
#define DEGREES_MOST 1000.0

/* ---- functions that libm has not ---- */

/* By the series for large numbers, to which small ones are raised (Abramowitz and Stegun 6.3.18, 6.4.12). */
static double digamma(double x)
{
	double sum = 0, square;

	for (; x < 12; x++)
		sum -= 1 / x;
	square = 1 / (x * x);
	return sum + log(x) - 1 / (2 * x) -
	       square * (1.0 / 12 - square * (1.0 / 120 - square / 252));
}

double trigamma(double x)
{
	double sum = 0, square;

	for (; x < 12; x++)
		sum += 1 / (x * x);
	square = 1 / (x * x);
	return sum + 1 / x + square / 2 +
	       square / x * (1.0 / 6 - square * (1.0 / 30 - square / 42));
}

/* It falls from infinity to 0: halves the interval. */
double trigamma_inverse(double y)
{
	double low = 1e-6, high = 1e6;

	if (y >= trigamma(low))
		return low;
	if (y <= trigamma(high))
		return high;
	for (int i = 0; i < 200 && high / low > 1 + 1e-12; i++) {
		double middle = sqrt(low * high);

		if (trigamma(middle) > y)
			low = middle;
		else
			high = middle;
	}
	return sqrt(low * high);
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), from its front by Lentz's way. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), fraction;

	d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
	fraction = d;
	for (int m = 1; m <= 500; m++) {
		double term[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
			-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
		double step = 1;

		for (int i = 0; i < 2; i++) {
			d = 1 + term[i] * d;
			c = 1 + term[i] / c;
			d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
			c = fabs(c) < DBL_MIN ? DBL_MIN : c;
			step = d * c;
			fraction *= step;
		}
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return fraction;
}

static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
					 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_probability(double t, double degrees)
{
	if (degrees <= 0)
		return 1;
	if (isinf(t))
		return 0;
	return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_quantile(double probability, double degrees)
{
	double low = 0, high = 1;

	while (student_probability(high, degrees) > probability && high < 1e12)
		high *= 2;
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (student_probability(middle, degrees) > probability)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* ---- runs ---- */

static int rising(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

double spread_median(const double *value, unsigned count)
{
	double sorted[256];

	if (count == 0)
		return NAN;
	if (count > sizeof(sorted) / sizeof(*sorted))
		count = sizeof(sorted) / sizeof(*sorted);
	memcpy(sorted, value, count * sizeof(*value));
	qsort(sorted, count, sizeof(*sorted), rising);
	return count % 2 == 1 ? sorted[count / 2]
			      : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static double mean_of(const double *value, unsigned count)
{
	double sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += value[i];
	return sum / count;
}

static double degrees_of(const struct spread_runs *runs)
{
	return (double)runs->count[0] + runs->count[1] - 2;
}

/* What the figure's own runs say, within their sides. */
static double own_variance(const struct spread_runs *runs)
{
	double squares = 0;

	for (int side = 0; side < 2; side++) {
		double mean = mean_of(runs->value[side], runs->count[side]);

		for (unsigned i = 0; i < runs->count[side]; i++)
			squares += pow(runs->value[side][i] - mean, 2);
	}
	return squares / degrees_of(runs);
}

/* What such a figure would have, up to a factor that all have in common. Of two sides that differ much the smaller has the
 * smaller variance: the mean of both stands for them. */
static double usual_variance(const struct spread_runs *runs)
{
	double squares = 0;

	for (int side = 0; side < 2; side++)
		squares += pow(mean_of(runs->value[side], runs->count[side]), 2) / 2;
	return squares * pow(USUAL_PART, 2) + pow(runs->error / 2, 2);
}

struct spread_prior spread_prior_of(const struct spread_runs *runs, size_t count)
{
	struct spread_prior prior = {0};
	double sum = 0, squares = 0, degrees = count > 0 ? degrees_of(runs) : 0, beyond;
	size_t used = 0;

	/* Smyth's moments of the logarithms. What did not differ at all is none of them: it was not measured. */
	for (size_t i = 0; i < count && degrees > 0; i++) {
		double ratio = own_variance(&runs[i]) / usual_variance(&runs[i]), e;

		if (!(ratio > 0) || isinf(ratio))
			continue;
		e = log(ratio) - digamma(degrees / 2) + log(degrees / 2);
		sum += e;
		squares += e * e;
		used++;
	}
	if (used < FIGURES_LEAST)
		return prior;
	sum /= (double)used;
	beyond = (squares - (double)used * sum * sum) / (double)(used - 1) -
		 trigamma(degrees / 2);
	prior.degrees = beyond > 0 ? 2 * trigamma_inverse(beyond) : DEGREES_MOST;
	if (prior.degrees > DEGREES_MOST)
		prior.degrees = DEGREES_MOST;
	prior.scale = exp(sum + digamma(prior.degrees / 2) - log(prior.degrees / 2));
	return prior;
}

struct spread_variance spread_variance_of(
	const struct spread_runs *runs, const struct spread_prior *prior)
{
	double own = degrees_of(runs), all = own + prior->degrees;

	if (own <= 0)
		return (struct spread_variance){0};
	return (struct spread_variance){
		.variance = (own * own_variance(runs) +
				    (prior->degrees > 0 ? prior->degrees * prior->scale *
								  usual_variance(runs)
							: 0)) /
			    all,
		.degrees = all};
}

/* Of the difference of the means. */
static double deviation(const struct spread_runs *runs, const struct spread_variance *variance)
{
	return sqrt(variance->variance * (1.0 / runs->count[0] + 1.0 / runs->count[1]));
}

double spread_half_width(const struct spread_runs *runs, const struct spread_variance *variance)
{
	if (variance->degrees <= 0)
		return 0;
	return student_quantile(LEVEL, variance->degrees) * deviation(runs, variance);
}

double spread_probability(
	const struct spread_runs *runs, const struct spread_variance *variance)
{
	double difference = mean_of(runs->value[1], runs->count[1]) -
			    mean_of(runs->value[0], runs->count[0]);
	double width = deviation(runs, variance);

	if (variance->degrees <= 0 || difference == 0)
		return 1;
	return width > 0 ? student_probability(difference / width, variance->degrees) : 0;
}

struct extremes {
	double least, most;
};

static struct extremes extremes_of(const double *value, unsigned count)
{
	struct extremes extremes = {value[0], value[0]};

	for (unsigned i = 1; i < count; i++) {
		extremes.least = fmin(extremes.least, value[i]);
		extremes.most = fmax(extremes.most, value[i]);
	}
	return extremes;
}

bool spread_is_apart(const struct spread_runs *runs)
{
	struct extremes before = extremes_of(runs->value[0], runs->count[0]);
	struct extremes after = extremes_of(runs->value[1], runs->count[1]);

	return before.most < after.least || after.most < before.least;
}

double spread_range(const struct spread_runs *runs)
{
	struct extremes before = extremes_of(runs->value[0], runs->count[0]);
	struct extremes after = extremes_of(runs->value[1], runs->count[1]);

	return fmax(before.most - before.least, after.most - after.least);
}

double spread_holm(double *probability, size_t count)
{
	double most = 0;

	qsort(probability, count, sizeof(*probability), rising);
	for (size_t i = 0; i < count; i++) {
		if (probability[i] > LEVEL / (double)(count - i))
			break;
		most = probability[i];
	}
	return most;
}
