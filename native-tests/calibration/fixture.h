/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* fixture: a calibration whose every number is known, as a struct and as a text. */
#ifndef JPROF_TEST_CALIBRATION_FIXTURE_H
#define JPROF_TEST_CALIBRATION_FIXTURE_H

#include "calibration/calibration.h"

/* Two metrics (wall, alloc); a row for "jitted entry jitted static exit jitted", and one for
 * unwinds of jitted methods. */
extern const char fixture_text[];

/* The code of a sequence in words, "jitted entry jitted static exit outside" or "jitted unwind".
 * Fails the test if it is none. */
uint32_t fixture_code(const char *first, const char *begin, const char *second, const char *end,
	const char *third);

/* Adds a row with that cost of the first metric, found out from so many deltas. */
void fixture_row(struct calibration *calibration, uint32_t code, uint64_t count, double cost,
	double low, double high);

/* fixture_text with the first occurrence of `what` replaced. Owned by the caller (free). Fails
 * the test if there is none. */
char *fixture_with(const char *what, const char *instead);

#endif
