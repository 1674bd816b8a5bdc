/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * interval_tree: what the trees of an earlier state had is subtracted from one of a later state. Of
 * interval.c alone.
 */
#ifndef JPROF_PROFILE_INTERVAL_TREE_H
#define JPROF_PROFILE_INTERVAL_TREE_H

#include "profile/profile_read.h"

enum {
	STATES = 3,                /* interpreted, jitted, native */
	COUNTERS_FIXED = STATES + 4, /* and the transitions */
	COUNTERS_MAX = COUNTERS_FIXED + 2 * PROFILE_METRIC_MAX /* base, spent */
};

struct match {
	struct profile *to;
	const struct profile *from;
	uint64_t *base; /* of to's nodes, each followed by what was spent */
	unsigned counters;
	uint32_t *into; /* by from's thread: to's thread + 1; 0: it is nowhere */
	uint32_t *place; /* by from's node: the index that its counts are at now */
	bool *exact;     /* by from's node: that is the same path */
	bool *keep;      /* by to's node */
	struct tree *tree; /* the one at work */
};

/* Takes from the value what it has of the amount. */
static inline void match_take(uint64_t *value, uint64_t *amount)
{
	uint64_t less = *amount < *value ? *amount : *value;

	*value -= less;
	*amount -= less;
}

/* True if something was counted at the node. */
bool match_node_is_used(const struct match *match, const struct profile_node *node);

/* Subtracts the nodes of from's threads order[0 .. count), which are some, from those of to's thread,
 * and finds their places. 0, or -1 without memory. */
int match_subtract_trees(
	struct match *match, size_t to, const uint32_t *order, size_t count);

#endif
