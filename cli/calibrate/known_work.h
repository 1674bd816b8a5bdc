/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * known_work: how far what a probe costs depends on the work around it.
 *
 *   shift(body) = (seen with probes, body - empty) - (measured without, body - empty)
 *
 * of methods that do known work: in a leaf; before and behind one call; before, between
 * and behind two. A shift is by how much such a method's deltas cost more, or less,
 * than those of an empty one: a processor does a probe's work beside a long chain of the
 * method's own.
 *
 * It is also large where the run without probes did the work of several calls at a time,
 * which probes prevent, or where what a processor has learnt of the program is lost: that
 * is no cost of theirs, and such bodies are left out, unless most of a state's are such
 * ones. So are those that work so long that what work differs from itself is much beside
 * what a probe costs.
 */
#ifndef JPROF_CLI_KNOWN_WORK_H
#define JPROF_CLI_KNOWN_WORK_H

#include <stdint.h>

#include "calibration/sequence.h"
#include "cli/calibrate/batches.h"
#include "cli/calibrate/observations.h"

/* One metric of both runs; borrowed. */
struct runs {
	const struct batches *without;
	const struct observations *with;
	unsigned metric;
};

/* Of a delta with work, beside what an empty one costs. */
struct shift_range {
	double low, high;
};

/* Of one metric. Embedded. */
struct known_work {
	double relative;          /* by how much work differs from itself: a fraction */
	double interpreted;       /* the same of interpreted work; no less */
	double measured_relative; /* the same before it was put between its bounds */
	double reach;    /* as much work is little: a part of what an empty delta comes to */
	unsigned points; /* bodies that were compared with empty ones */
	unsigned overlapping, hiding; /* of them, that were left out */
	/* By state; next to little work, which may be none, and to more. */
	struct shift_range little[STATE_OUTSIDE], much[STATE_OUTSIDE];
};

/* cost: of an empty delta, by code; what it is without a row does not matter. */
void known_work_init(
	struct known_work *work, const struct runs *runs, const double cost[SEQUENCE_CODES]);

#endif
