/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * verdict: what a profile says of methods beside what is known of them.
 *
 *   {"method":"tiny15","share":15,"calls":4113800,"bytes":0,
 *    "before":{"wall":..,"cpu":..},"after":{"wall":..,"cpu":..}}
 *
 * In:   such lines, which the program with known shares prints: untrusted; its profile, and its
 *       adjustment.
 * Out:  per method and metric expected, raw and adjusted values, and whether they agree; how
 *       many do.
 */
#ifndef JPROF_CLI_VERDICT_H
#define JPROF_CLI_VERDICT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/model/adjustment.h"

enum { EXPECTATIONS_MAX = 64, EXPECTATION_NAME = 64 };

/* In the measured time. */
struct expectation {
	char name[EXPECTATION_NAME];
	double share; /* of CPU time, in percent, that its name tells */
	uint64_t calls;
	uint64_t bytes; /* allocated, as the JVM tells them */
	/* By metric, as measured without probes: before the run with probes, and after it. */
	double before[PROFILE_METRIC_MAX], after[PROFILE_METRIC_MAX];
};

/* Embedded; all zero at first. */
struct expectations {
	char metric[PROFILE_METRIC_MAX][128];
	unsigned metric_count;
	struct expectation method[EXPECTATIONS_MAX];
	size_t count;
};

/* Takes a line; what is about no method is passed over. 0, or a negative code: a value is
 * missing or impossible, or they are too many. */
int expectations_take(struct expectations *expectations, const char *line, struct error *error);

/* The place of that metric, or -1. */
int expectations_metric(const struct expectations *expectations, const char *name);

/* Of a metric, in its unit. */
struct verdict_value {
	double expected;    /* the mean of what was measured before and after */
	double uncertainty; /* half of what these differ by */
	double raw;
	double adjusted, error;      /* without a calibration: raw, 0 */
	struct adjust_errors errors; /* what the error comes from */
};

struct verdict_method {
	const struct expectation *expectation; /* borrowed */
	uint64_t calls;                        /* counted */
	struct verdict_value value[PROFILE_METRIC_MAX];
};

/* Of one metric. */
struct verdict_sum {
	struct verdict_value value; /* of all methods; uncertainties added up */
	unsigned judged;            /* methods that use a thousandth of it at least */
	/* of them: expected and adjusted are the same as far as can be told */
	unsigned hold;
	/* of them: the adjusted share is within VERDICT_NEAR of the expected one */
	unsigned near;
	unsigned raw_near;
	double worst, raw_worst; /* by how much shares are off at most, in percent of all */
};

/* Percent of all. */
#define VERDICT_NEAR 2.0

/* Embedded; borrows the expectations and the profile's texts. */
struct verdict {
	const struct profile *profile;
	bool is_adjusted;
	unsigned metric_count; /* in the profile's order */
	struct verdict_method method[EXPECTATIONS_MAX];
	size_t count;
	struct verdict_sum sum[PROFILE_METRIC_MAX];
	unsigned calls_exact; /* methods whose calls are all there */
};

/* Compares. 0, or a negative code: the profile has other metrics. */
int verdict_reach(struct verdict *verdict, const struct expectations *expectations,
	const struct profile *profile, const struct adjustment *adjustment,
	struct error *error);

/* Whether expected and adjusted agree: the intervals they are in meet. */
bool verdict_holds(const struct verdict_value *value);

/* Whether a method uses enough to be judged, or is said to. */
bool verdict_judges(const struct verdict_sum *sum, const struct verdict_value *value);

/* Percent of the sum; 0 where that is 0. */
double verdict_share(double value, double sum);

/* Prints it as docs/selftest.md tells. said: which calibration it was adjusted by. 0, or a
 * negative code: no memory. */
typedef int verdict_printer(FILE *out, const struct verdict *verdict, const char *said);

verdict_printer print_verdict_text, print_verdict_json;

#endif
