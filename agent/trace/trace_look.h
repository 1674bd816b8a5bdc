/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_look: a consistent look at one context while its thread runs on. For this room only.
 *
 * Nodes are copied in blocks, each under the tree's lock, which an owner needs only to
 * grow or to prune. A prune between two blocks moves nodes: the look is begun again, and
 * the last of LOOK_TRIES times the owner is asked not to prune meanwhile.
 *
 * The delta in progress is what the counters show from outside beyond the values at the
 * last event. It goes to the current node, in the copy only, and only where the values at
 * the last event are still the same when that node has been copied: the owner stores them
 * before it charges, so nothing is ever shown twice. Nor is a thread that was unmounted shown both
 * running and parked: that takes a turn.
 *
 * A context may count fewer metrics than others do, and take on more between two blocks: what it shows of them is
 * 0 before, and of its deltas it is those that it counted at first.
 *
 * A node or an account is marked as written with the sum of its counts, where changes are looked for.
 */
#ifndef JPROF_TRACE_LOOK_H
#define JPROF_TRACE_LOOK_H

#include "agent/trace/trace_rows.h"

enum { LOOK_TRIES = 3 };

struct look {
	struct trace *trace;
	struct thread_context *context;
	struct trace_thread thread;
	const struct trace_visitor *visitor;
	const struct metric_set *set; /* of all that is shown */
	unsigned metrics;             /* what the context counted as it was looked at */
	int result;                   /* what the visitor said last */
	bool all;                     /* of changes: all is to be written again */
	bool stopped;
	/* a lane: parked threads' time is added to their nodes, else to the fold, */
	bool parked_by_node;
	uint64_t now; /* as of this instant of the clock */
	uint32_t current;
	uint32_t turn; /* the context's forgetting, with last */
	uint32_t moves, account_moves;
	uint64_t last[METRIC_MAX];
	uint64_t delta[METRIC_MAX]; /* of lanes what runs on may be negative */
	uint64_t added[METRIC_MAX]; /* of the delta, what went into the copy */
	uint64_t sum[METRIC_MAX];   /* of base */
};

/* Fills look but for trace, visitor, set, result, now and what is asked for. identity: borrowed. */
void look_begin(struct look *look, struct thread_context *context,
	const struct thread_identity *identity, bool hold);

/* Each of these shows the visitor what there is, in blocks, until it wants no more: then result is
 * not 0. False: nodes (or accounts) were moved meanwhile. */

/* Only to those that ask for changes. */
bool look_forwards(struct look *look);

/* With the delta in progress where it belongs. */
bool look_nodes(struct look *look);

/* Ids of accounts that ceased: only to those that ask for changes. */
bool look_gone(struct look *look);

/* At last of each kind the account without a subject. */
bool look_accounts(struct look *look);

/* As accounts of the root, one a method: see ACCOUNT_OF_METHOD. */
bool look_counts(struct look *look);

/* How long calls of watched methods took. */
bool look_times(struct look *look);

/* thread.total. */
void look_end(struct look *look);

/* ---- trace_group.c: groups of virtual threads ---- */

/* The lanes that the group has now, and the instant that all are looked at. It is pinned. */
struct thread_context *group_begin(struct look *look, struct thread_context *group);

/* look->thread becomes the group's own row. */
void group_row(struct look *look, struct thread_context *group,
	const struct thread_context *lanes, const struct thread_identity *identity);

/* It is known of all lanes in which node threads are parked. */
bool group_is_sure(const struct thread_context *lanes);

/* Behind look_begin, for a lane. */
void lane_look_begin(struct look *look);

/* Under the tree's lock: adds the parked threads' time to a copy of the node. */
void lane_add_parked(const struct look *look, uint32_t index, struct tree_node *copy);

/* Under LOCK_THREADS: virtual threads that began, but for those whose group is finished. */
uint64_t groups_begun(const struct trace *trace);

/* What parked threads have used until now of a metric that runs on, modulo 2^64. */
uint64_t lane_parked_ns(const struct thread_context *lane, uint64_t now);

/* A lane's counters that were read from outside: those that run on become what they were at that
 * instant, which may be before the last event. */
void lane_look_clock(const struct metric_set *set, uint64_t instant, uint64_t *now);

#endif
