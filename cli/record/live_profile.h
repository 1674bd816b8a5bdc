/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * live_profile: a profile whose JVM still records into it.
 *
 * In:   /proc/locks: which process holds the file's lock, as the writer of a profile
 *       does. Nothing in the file decides whom to talk to.
 * Out:  the file brought up to date, if that process is this user's (or this user is root), has
 *       jprof's library, and says itself that it writes this very file; else why it is not.
 */
#ifndef JPROF_CLI_LIVE_PROFILE_H
#define JPROF_CLI_LIVE_PROFILE_H

#include <stdbool.h>

#include "error/error.h"

struct stat;
struct target;

struct live_profile {
	long pid;         /* of the writer; 0: there is none, or none that can be seen */
	bool is_fresh;    /* it was brought up to date just now */
	double age;       /* seconds since it was changed last */
	struct error why; /* it is not fresh */
};

/* True if the target means that very file by the name, which its agent told, or NULL. */
bool live_profile_is(const struct target *target, const char *name, const struct stat *file);

/* Never fails; takes some seconds at most. */
void live_profile_refresh(const char *path, struct live_profile *live);

#endif
