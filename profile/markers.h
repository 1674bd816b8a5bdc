/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * markers: snapshots, resets and marks of a profile, and the interval between two of them that
 * a user means.
 */
#ifndef JPROF_PROFILE_MARKERS_H
#define JPROF_PROFILE_MARKERS_H

#include "profile/read_rows.h"

/* Reads them into the reader's profile; marks only if they are wanted. Files of before there
 * were any have none. 0, or a negative code. */
int markers_read(struct reader *reader, bool marks);

/* Fills profile->interval from a text as struct profile_wanted has it. shown is the file's
 * name, for messages. 0, or a negative code. */
int markers_choose(
	struct profile *profile, const char *shown, const char *text, struct error *error);

#endif
