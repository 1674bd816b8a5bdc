/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * event_condition: what an item of the option `events_when` says: "com.acme.X.y>200ms", a call of a method that takes longer
 * than that.
 */
#ifndef JPROF_OPTIONS_EVENT_CONDITION_H
#define JPROF_OPTIONS_EVENT_CONDITION_H

#include <stdint.h>

#include "options/pattern.h"

enum { EVENT_PATTERN = 512 };

/* The pattern for methods, and the ns. NULL, or why the item is none. */
const char *event_condition_read(const char *item, char pattern[EVENT_PATTERN], uint64_t *ns);

/* The patterns of such items, in their order. 0, or -1: no memory. */
int event_condition_patterns(const struct pattern_list *items, struct pattern_list *patterns);

#endif
