/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * perf_names: names of events, as libpfm4 knows them.
 *
 * Only this module calls libpfm4. Not to be called by two threads at once.
 */
#ifndef JPROF_PERF_NAMES_H
#define JPROF_PERF_NAMES_H

#include <stdio.h>

#include "error/error.h"
#include "metric/perf_event.h"

/* What perf_name_resolve gives for a name that nothing here or elsewhere has. */
#define PERF_NAME_UNKNOWN 1

/* Makes a choice of an event's name: PMU::EVENT:UMASK:modifier, parts but EVENT optional.
 * Counts in user mode unless a modifier says otherwise; software events that happen only in
 * the kernel count there. 0; PERF_NAME_UNKNOWN, error left alone; or a negative code for a
 * name that is known but cannot be had. */
int perf_name_resolve(struct perf_event_choice *choice, const char *name, struct error *error);

/* Calls visit for the short name, in lower case, of each generic event of the kernel. */
void perf_names_generic(void (*visit)(void *argument, const char *name), void *argument);

/* Calls visit for every event name of the PMUs that this machine has. */
void perf_names_present(void (*visit)(void *argument, const char *name), void *argument);

/* Prints a line for each PMU of this machine that has events of its own, with how to name
 * one, and how to name those that libpfm4 does not know, of whatever processor. */
void perf_names_print_pmus(FILE *out);

#endif
