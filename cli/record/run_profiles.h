/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * run_profiles: what became of the JVMs that one `jprof run` started, for people.
 *
 * In:   the notes of their agents (profile/run_notes.h).
 * Out:  lines on standard error.
 */
#ifndef JPROF_CLI_RUN_PROFILES_H
#define JPROF_CLI_RUN_PROFILES_H

#include <stdbool.h>

#include "profile/run_notes.h"

/* Says where the profiles are, and what was not profiled. is_armed: with --start no;
 * is_java: the user named the program himself. */
void run_profiles_say(const struct run_notes *notes, bool is_armed, bool is_java);

#endif
