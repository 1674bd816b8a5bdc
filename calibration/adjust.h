/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * adjust: takes what jprof itself cost out of a profile's nodes.
 *
 *   adjusted base = base - spent - SUM over the node's deltas of taken - behind / 2
 *   error         = range + rows + pace
 *   range         = SUM over them of the farther of least and most from taken, + behind / 2
 *   rows          = SUM over them of spread
 *   pace          = relative * (base - spent)  (`interpreted`, where one of a delta's methods is)
 *
 *   empty  = SUM over its deltas of observed
 *   behind = the least of: BEHIND of what all below the node used; empty of the deltas
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
 * of a node's work may be in a few of its deltas, so that the others are empty ones:
 * so most does not fall with work.
 *
 * Long work leaves little of a probe in caches and in what predicts branches: so much
 * more may the deltas behind callees cost, as far as it is seen. Of instructions, whose
 * reach is next to nothing, behind is 0.
 *
 * In a thread's tree of so many nodes that a cache does not hold them a probe may cost
 * `more`, up to all that there is: most rises by it. There what seems to be work is the
 * probes' as a rule, so taken goes to cost as more grows from 0 to reach * observed.
 *
 * How many deltas a node has is known by the events at their two ends; the types of
 * the methods around them by how often the node, its caller and its callees were called
 * in each state (of a node whose path was folded: its group, mix_folds); a call that began
 * interpreted counts as compiled for what it does after so many deltas that its loop
 * has been compiled meanwhile. Where those are mixed, so is the cost. What would fall
 * below zero becomes zero, and is summed up as over-correction; range and rows are less by
 * the same part.
 *
 * Errors of sums: what nodes have in common adds up; each method is off by itself beside that, so
 * that methods add up by their squares. docs/calibration.md says why.
 *
 *   common of a node = root of (machine^2 + SUM over rows of (its part of rows)^2 + (own / 5)^2),
 *                      where pace = machine + what the interpreter's is beyond it, and
 *                      own = range + pace - machine
 *   error of a sum   = root of ((SUM of common)^2 + SUM over methods of (SUM of error)^2), and no
 *                      more than SUM of error, nor than from the figure to zero and to raw
 */
#ifndef JPROF_ADJUST_H
#define JPROF_ADJUST_H

#include "calibration/calibration.h"
#include "error/error.h"
#include "profile/profile_read.h"

/* What was taken out of a thread's nodes, of one metric. */
struct adjust_total {
	uint64_t taken; /* the sum over its nodes of what they have less than was counted */
	double over;    /* what the calibration says beyond that: there was no more */
};

/* A thread's deltas. */
struct adjust_deltas {
	double all;
	/* of them without a row of their own: that of a like sequence was taken */
	double nearest;
	double missing; /* without any: nothing was taken out */
};

/* By how much a node's adjusted base may be off. */
struct adjust_error {
	float whole;
	float common; /* of that, in the same direction as all others */
};

/* The same of a sum over nodes: each is the sum of theirs. */
struct adjust_errors {
	double whole, common;
	double square; /* of whole, each times that of all nodes of the same method */
};

struct adjusted {
	unsigned metric_count;
	/* metric_count for each node, in the profile's order. */
	uint64_t *base;
	struct adjust_error *error;
	/* metric_count for each method: the sum of whole over its nodes */
	double *method_error;
	struct adjust_total *total;   /* metric_count for each thread */
	struct adjust_deltas *deltas; /* by thread */
};

/* The errors of a node's base, as a sum of one. */
struct adjust_errors adjusted_errors(const struct adjusted *adjusted,
	const struct profile *profile, size_t node, unsigned metric);

/* Half the width of the interval that holds the true value of a sum, which is `value` by the
 * calibration, of `raw` that was counted. */
uint64_t adjust_half_width(const struct adjust_errors *errors, uint64_t value, uint64_t raw);

/* The calibration has the profile's metrics. 0, or a negative code, and nothing to give back. */
int adjust_profile(struct adjusted *adjusted, const struct profile *profile,
	const struct calibration *calibration, struct error *error);

void adjusted_fini(struct adjusted *adjusted);

#endif
