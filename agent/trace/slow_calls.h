/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * slow_calls: of each watched method the calls that took longest, of all threads, each with what it did.
 *
 *   a call ends --> longer than the least that is kept? --seldom--> in its place --flush--> the profile
 *
 * A snapshot closes what was kept so far: behind it as many are kept anew. So of any interval between
 * snapshots the slowest calls are in the profile.
 *
 * Owns: calls and their trees, in the trace's memory budget. Runs: on any thread, under a lock of its
 * own, but for the look whether a call is slow enough.
 */
#ifndef JPROF_SLOW_CALLS_H
#define JPROF_SLOW_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "agent/trace/memory_budget.h"
#include "profile/kinds.h"
#include "profile/small_tree.h"

struct slow_call {
	uint32_t id; /* for the profile */
	uint32_t method;
	uint32_t thread; /* row of the trace */
	uint64_t began;  /* ns of CLOCK_MONOTONIC */
	uint32_t known;  /* figures, as bits: elapsed, base where its path was not folded... */
	bool failed;     /* it was left by an exception */
	uint64_t figure[CALL_FIGURES]; /* those that are known */
	uint64_t own; /* ns that jprof itself took in it and below, as far as that is known */
	struct small_node *tree; /* NULL: not kept */
	uint32_t nodes;
	bool written;
};

struct slow_list; /* of a method */

struct slow_calls {
	struct lock lock;
	struct memory_budget *budget; /* borrowed */
	uint32_t most;                /* calls of a method; 0: none are kept */
	uint32_t next_id;
	struct slow_list *first;
};

void slow_calls_init(struct slow_calls *calls, struct memory_budget *budget, uint32_t most);
void slow_calls_fini(struct slow_calls *calls);

/* The method's list, made if need be. NULL: no memory, or none are kept. */
struct slow_list *slow_calls_of(struct slow_calls *calls, uint32_t method);

/* A call that takes longer than that is kept, at the moment. */
uint64_t slow_list_least(const struct slow_list *list);

/* Room for a tree, for slow_calls_put. NULL without memory, or where there are no nodes. */
struct small_node *slow_calls_room(
	struct slow_calls *calls, uint32_t nodes, enum memory_claim claim);

/* The call is kept, if it is slow enough still. Takes its tree. */
void slow_calls_put(struct slow_calls *calls, struct slow_list *list, struct slow_call *call);

/* Shows each call that was not shown since it came, or all; without the lock. Returns what ended it, or 0. On
 * the writer's thread. */
int slow_calls_show(struct slow_calls *calls, bool all, void *user,
	int (*show)(void *user, const struct slow_call *call));

/* What was shown is in the profile, and stays there as it is: it makes room for others. */
void slow_calls_close(struct slow_calls *calls);

#endif
