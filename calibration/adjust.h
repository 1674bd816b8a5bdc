/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * adjust: takes what jprof itself cost out of a profile's nodes.
 *
 *   adjusted base = base - spent - SUM over the node's stretches of (least + most) / 2
 *   error         = SUM over them of ((most - least) / 2 + 2 * spread) + relative * adjusted base
 *
 *   least = max(low, cost - fall * work)      of the sequence's row
 *   most  = min(high, cost + rise * work)
 *   work  = what the node's mean delta, less spent, is above the mean observed of its rows
 *
 * A probe between empty bodies costs what the row says; the more work there is around it, the
 * less is known of how much of the probe the processor hides behind the work.
 *
 * How many stretches a node has is known by the events at their two ends; the types of the
 * methods around them by how often the node, its caller and its callees were called in each
 * state. Where those are mixed, so is the cost. What would fall below zero becomes zero, and is
 * summed up as over-correction.
 */
#ifndef JPROF_ADJUST_H
#define JPROF_ADJUST_H

#include "calibration/calibration.h"
#include "error/error.h"
#include "profile/profile_read.h"

/* What was taken out of a thread's nodes, of one metric. */
struct adjust_total {
	double cost;  /* of stretches */
	double spent; /* in jprof's rare ways */
	double over;  /* more than there was: this much of the two was left in */
};

/* A thread's stretches. */
struct adjust_stretches {
	double all;
	double nearest; /* of them without a row of their own: that of a like sequence was taken */
	double missing; /* without any: nothing was taken out */
};

struct adjusted {
	unsigned metric_count;
	/* metric_count for each node, in the profile's order. */
	uint64_t *base;
	uint64_t *error; /* half the width of the interval that the true base is in */
	struct adjust_total *total;        /* metric_count for each thread */
	struct adjust_stretches *stretches; /* by thread */
};

/* The calibration has the profile's metrics. 0, or a negative code, and nothing to give back. */
int adjust_profile(struct adjusted *adjusted, const struct profile *profile,
	const struct calibration *calibration, struct error *error);

void adjusted_fini(struct adjusted *adjusted);

#endif
