/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * adjust: takes what jprof itself cost out of a profile's nodes.
 *
 *   adjusted base = base - spent - SUM over the node's stretches of taken - behind / 2
 *   error         = SUM over them of (the farther of least and most from taken, + spread)
 *                   + behind / 2 + relative * (base - spent)
 *                                  (`interpreted`, where one of a stretch's methods is)
 *
 *   empty  = SUM over its stretches of observed
 *   behind = the least of: BEHIND of what all below the node used; empty of the stretches
 *            behind its callees; base - spent - empty
 *   work   = (base - spent - behind) / empty - 1, not below 0
 *
 *   least = low;       most = the higher of high and cost + work * observed, where work <= reach
 *   least = work_low;  most = the higher of high and work_high,     where work >= 3/2 * reach
 *   and in a straight line from the one to the other between
 *   taken = (least + most) / 2
 *
 * The more work there is around a probe, the more of the probe the processor may do
 * beside it; and a probe may hide a little work so well that none is to be seen. But all
 * of a node's work may be in a few of its stretches, so that the others are empty ones:
 * so most does not fall with work.
 *
 * Long work leaves little of a probe in caches and in what predicts branches: so much
 * more may the stretches behind callees cost, as far as it is seen. Of instructions, whose
 * reach is next to nothing, behind is 0.
 *
 * In a thread's tree of so many nodes that a cache does not hold them a probe may cost
 * `more`, up to all that there is: most rises by it. There what seems to be work is the
 * probes' as a rule, so taken goes to cost as more grows from 0 to reach * observed.
 *
 * How many stretches a node has is known by the events at their two ends; the types of
 * the methods around them by how often the node, its caller and its callees were called
 * in each state; a call that began interpreted counts as compiled for what it does after
 * so many stretches that its loop has been compiled meanwhile. Where those are mixed, so
 * is the cost. What would fall below zero becomes zero, and is summed up as
 * over-correction.
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
