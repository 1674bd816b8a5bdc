/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * call_choice: which methods are to be timed from now on, and which counted, by how often they were called in a turn.
 *
 *   timed   --takes more than its part of the budget--------> dear
 *   counted --of a class of which nothing is called often---> timed
 *   dear    --the same, for some turns in a row-------------> timed
 *
 * A method alone is never changed back to timed: to give a class new bytes has the JVM drop whatever code it has compiled of the
 * class, or with methods of it inside. Where nothing of the class is called often, there is little of that.
 *
 * Runs: anywhere; no state of its own.
 */
#ifndef JPROF_CALL_CHOICE_H
#define JPROF_CALL_CHOICE_H

#include <stddef.h>

#include "agent/methods/call_kinds.h"

/* A method in a turn. */
struct call_turn {
	uint32_t method;
	const char *class_name;  /* borrowed */
	enum call_kind kind, to; /* what it is; and is to be, if that differs */
	uint64_t timed, counted; /* calls */
	uint32_t dear,
		rare; /* how often it became dear; turns in a row, with this one, in which it was rare since */
};

struct call_limits {
	double call_ns; /* what a timed call takes */
	double share;   /* of a thread's time: the budget */
	uint64_t ns;    /* how long the turn was */
	/* Of threads that spent much on timed calls: how many, in how long. */
	uint64_t noted_calls, noted_ns;
	bool only_dear; /* in the midst of a turn: nothing becomes timed, and nothing is known of what is rare */
};

/* Fills `to`, and goes on with dear and rare, which are to be kept also where nothing changes; sorts the methods by their
 * classes' names. Returns how many are to be changed. */
size_t call_choose(struct call_turn *turn, size_t count, const struct call_limits *limits);

#endif
