/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sample_choice: how a user says when stacks are taken, in the items of the option `sample`.
 *
 *   cpu:1ms           each ms of a thread's processor time          ns, us, ms, s
 *   wall:10ms         each 10 ms of the clock, whether threads run or not
 *   alloc:512k        each 512 KB of the Java heap that are allocated     k, m, g
 *   enter:com.acme.X.y, enter:com.acme.X.y:100     each call of a method, or each 100th; patterns as in `include`
 *   instructions:10000000     each so many of an event that `jprof metrics` lists    k, m, g (decimal)
 */
#ifndef JPROF_SAMPLE_CHOICE_H
#define JPROF_SAMPLE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "options/pattern.h"

enum sample_event_kind { SAMPLE_CPU, SAMPLE_WALL, SAMPLE_ALLOC, SAMPLE_ENTER, SAMPLE_EVENT };

struct sample_choice {
	enum sample_event_kind kind;
	uint64_t period; /* ns, bytes, calls, events */
	char event[256]; /* the part before the period; of `enter` the method */
};

/* NULL, or why the item is none, to stand behind it in a message: "has no period". */
const char *sample_choice_read(const char *item, struct sample_choice *choice);

/* Puts the methods of the conditions on entries into a list, in their order. 0, or -1 when there is no memory. */
int sample_choice_entered(const struct pattern_list *sample, struct pattern_list *entered);

/* "ns", "bytes", "entries", "count": what a period counts. */
const char *sample_choice_unit(const struct sample_choice *choice);

#endif
