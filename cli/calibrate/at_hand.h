/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * at_hand: whether what a profile was made with is here, so that it can be measured.
 *
 *   processor, architecture   this machine's
 *   agent                     the libjprof.so of this program has the build id that the profile names
 *   recording                 has ended, or its program: nothing is measured beside it
 *   JVM                       that version, by its file "release"; in this order: the one that the
 *                             user names; JAVA_HOME's; one of known_jvms.h
 *
 * A profile is not trusted: nothing is run from where it says that its JVM is.
 */
#ifndef JPROF_CLI_AT_HAND_H
#define JPROF_CLI_AT_HAND_H

#include <limits.h>

#include "calibration/identity.h"
#include "profile/profile_read.h"

/* asked: the program or folder that the user names, or NULL. 0, and the java program to run; or a
 * negative code with a line: what of it is not here. */
int at_hand_check(const struct profile *profile, const struct identity *identity,
	const char *asked, char java[PATH_MAX], struct error *error);

#endif
