/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * profile_read: a whole profile in memory.
 *
 * In:   a file, finished, being written, or left behind by a killed JVM.
 * Out:  struct profile (contents.h), to be freed.
 */
#ifndef JPROF_PROFILE_READ_H
#define JPROF_PROFILE_READ_H

#include "error/error.h"
#include "profile/contents.h"

/* What is to be read, beside what always is. */
struct profile_wanted {
	bool facts_alone; /* meta, and nothing else: not what always is, nor what follows */
	bool records; /* each I/O operation that was recorded; some 50 bytes of memory each */
	bool marks;   /* the moments that the program named */
	/* "A..B", labels of snapshots; "A..": to the end; "..B": from the beginning; "..": all. NULL:
	 * from the last reset, if there is one, to the end. */
	const char *interval;
};

/* Reads the file. 0, or a negative code with a line that says what the file is
 * instead: empty, truncated, of another kind, of another version. -ERROR_USAGE: the interval
 * is not understood; -ERROR_MISSING: there is no snapshot of that label. */
int profile_open_wanted(struct profile **profile, const char *path,
	const struct profile_wanted *wanted, struct error *error);
/* The same with nothing wanted, or records alone. */
int profile_open(struct profile **profile, const char *path, struct error *error);
int profile_open_records(struct profile **profile, const char *path, struct error *error);

void profile_free(struct profile *profile);

#endif
