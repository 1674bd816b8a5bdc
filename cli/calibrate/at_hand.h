/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * at_hand: whether what a profile was made with is here, so that it can be measured.
 *
 *   processor, architecture   this machine's
 *   agent                     the libjprof.so of this program has the build id that the profile names
 *   recording                 has ended, or its program: nothing is measured beside it
 *   JVM                       in the folder that the profile names; that version, by its file "release"
 *
 * A profile may come from anybody: java is run only if nobody but root and this program's user
 * can have put it there.
 */
#ifndef JPROF_CLI_AT_HAND_H
#define JPROF_CLI_AT_HAND_H

#include <limits.h>

#include "calibration/identity.h"
#include "profile/profile_read.h"

/* 0, and the java program to run; or a negative code with a line: what of it is not here. */
int at_hand_check(const struct profile *profile, const struct identity *identity,
	char java[PATH_MAX], struct error *error);

#endif
