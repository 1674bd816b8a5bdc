/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* moment: a moment of a recording as a user names it: how long after the begin, or what the clock said. */
#ifndef JPROF_PROFILE_MOMENT_H
#define JPROF_PROFILE_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile_read.h"

/*
 * Text of that length as ns since the recording began:
 *
 *   10s 1m30s 1.5s 250ms 50us 12       since the begin; a number alone is of seconds
 *   14:03 14:03:20 14:03:20.5          the clock, in this process's time zone; with a Z behind it UTC
 *
 * A time of the clock is the one that comes first behind the begin; one of the twelve hours before it is the begin. False for
 * any other text, and for the clock where the profile does not say when it was begun.
 */
bool moment_read(const struct profile *profile, const char *text, size_t length, uint64_t *ns);

/* What such texts are like, for messages. */
#define MOMENT_LIKE "10s, 1m30s or 250ms since the recording began, or 14:03:20 by the clock"

/* When the recording began, ns since 1970; 0: the profile does not say. */
uint64_t moment_begin(const struct profile *profile);

#endif
