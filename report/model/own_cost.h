/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * own_cost: how much of a report's figures is jprof's own, as far as that is known without a
 * calibration: by the events, and by what one costs as the agent estimates it; and what calls that are counted and
 * samples cost, which is measured by samples and by the clock.
 */
#ifndef JPROF_REPORT_OWN_COST_H
#define JPROF_REPORT_OWN_COST_H

#include "options/pattern.h"
#include "profile/profile_read.h"

struct own_cost {
	double event_ns; /* what an event costs, by the agent's estimate */
	/* Parts of the processor time of those threads that have events, 0 to 1: what it is by that
	 * estimate, which is of nothing but events, and what it is at most. */
	double least, most;
	bool is_known; /* or there is no event (most is 0), estimate, or processor time (1) */
	/* Parts of processor time that were measured: of the threads of the program that have such names, samples that came
	 * while a call was counted among all of theirs; of all threads, what taking samples took. 0: none, or not known. */
	double counting, sampling;
};

/* Of the threads with such names; none given (or NULL): of all. */
struct own_cost own_cost_of(const struct profile *profile, const struct pattern_list *threads);

/* "12 % of processor time or more"; NULL: it is not known. */
enum { OWN_COST_TEXT = 48 };
const char *own_cost_text(const struct own_cost *cost, char text[OWN_COST_TEXT]);

/* Where calls are counted: "13 % (counting 12.1 %, timing 0.4 %, samples 0.6 %)". timing: of events, a part of 1 that was
 * measured; below 0: as it is estimated, which is the least, and is said. */
enum { OWN_COST_PARTS = 128 };
const char *own_cost_parts(
	const struct own_cost *cost, double timing, char text[OWN_COST_PARTS]);

#endif
