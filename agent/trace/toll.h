/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * toll: which methods' timed calls take much of their threads' time.
 *
 *   one of so many timed calls of a thread --> did those since the last such one cost more than a share of the time between?
 *                                                 --> toll of the method, and the time that they came in
 *
 * So many are some at first, and some hundreds later. As calls are looked at in turn, whatever method they are of, a
 * method's toll is in proportion to its calls.
 *
 * Runs: toll_note in the thread; the rest on any one. No locks.
 */
#ifndef JPROF_TOLL_H
#define JPROF_TOLL_H

#include <stdint.h>

enum { TOLL_METHODS = 1 << 18 }; /* ids from here on are not looked at */

/* A thread's own. */
struct toll_turn {
	uint32_t left;   /* calls until the next look */
	uint32_t period; /* between the last look and that */
	uint32_t spread;
	uint32_t random;
	uint64_t at; /* of the last one, clock_now; 0: there was none */
};

/* From now on a call is taken to cost so much, and notes are taken where calls cost more than that share of a thread's
 * time; 0: nowhere, and threads that begin do not look. */
void toll_begin(double call_ns, double share);

/* A thread's turn as it begins. */
struct toll_turn toll_first(void);

/* What passed since this was asked last, where notes were taken. */
struct toll_sum {
	uint64_t calls, ns;
};
struct toll_sum toll_take(void);

/* Calls of the method among them; from now on 0. */
uint64_t toll_take_of(uint32_t method);

/* The thread has come to the call that is looked at, of the method. */
void toll_note(struct toll_turn *turn, uint32_t method);

#endif
