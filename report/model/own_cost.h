/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * own_cost: how much of a report's figures is jprof's own, as far as that is known without a
 * calibration: by the events, and by what one costs as the agent estimates it.
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
};

/* Of the threads with such names; none given (or NULL): of all. */
struct own_cost own_cost_of(const struct profile *profile, const struct pattern_list *threads);

/* "12 % of processor time or more"; NULL: it is not known. */
enum { OWN_COST_TEXT = 48 };
const char *own_cost_text(const struct own_cost *cost, char text[OWN_COST_TEXT]);

#endif
