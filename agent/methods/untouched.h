/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * untouched: the list of what was to get probes, and could not.
 *
 * The first of them by name and reason, all of them by number.
 * Runs: on any thread; LOCK_UNTOUCHED.
 */
#ifndef JPROF_UNTOUCHED_H
#define JPROF_UNTOUCHED_H

#include "profile/fact.h"

/* method NULL: the whole class. Strings are copied. Said before: nothing happens. */
void untouched_add(const char *class_name, const char *method, const char *reason);

/* A new session begins: nothing was said before. While no facts are put. */
void untouched_forget(void);

/* Calls put("untouched", N), then put("untouched.I", "NAME: REASON") for each. */
void untouched_facts(fact_put put, void *argument);

#endif
