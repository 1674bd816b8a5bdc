/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * expectations: what the program with known shares should have used, from the lines that it prints.
 *
 *   {"method":"tiny15","share":15,"calls":4113800,"bytes":0,
 *    "before":{"wall":..,"cpu":..},"after":{"wall":..,"cpu":..}}
 *
 * In:   untrusted lines. Out: a row a method.
 */
#ifndef JPROF_CLI_EXPECTATIONS_H
#define JPROF_CLI_EXPECTATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "error/error.h"
#include "profile/profile.h"

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

/* Takes a line; what is about no method is passed over. 0, or a negative code: a value is missing or
 * impossible, or they are too many. */
int expectations_take(struct expectations *expectations, const char *line, struct error *error);

/* The place of that metric, or -1. */
int expectations_metric(const struct expectations *expectations, const char *name);

#endif
