/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * claim: a file that is to become a profile: opened or made, and locked against other JVMs.
 *
 * In:   a path; what may be replaced is a profile of the same user, nothing else.
 * Out:  the empty file, and where SQLite finds it.
 * Owns: a descriptor that has the lock, until the end; an older profile that was set aside.
 * Runs: on one thread at a time.
 */
#ifndef JPROF_PROFILE_CLAIM_H
#define JPROF_PROFILE_CLAIM_H

#include <stdbool.h>

#include "profile/place.h"

struct profile_creation;

/* Embedded. */
struct claim {
	struct place place;
	/* Locked with flock(2). Closed behind SQLite's connections: closing any descriptor of a
	 * file drops the process's POSIX locks on it, which are theirs. */
	int lock;
	bool created; /* the file did not exist before */
	bool aside;   /* an older profile is beside it */
};

/* Behind a path: what SQLite has beside a file ("": the file itself). */
#define CLAIM_FILES 4
extern const char *const claim_files[CLAIM_FILES];

/* Takes the file, and empties it; what a killed JVM left beside it is gone. 0, or a negative code, -ERROR_BUSY if a live JVM has
 * it: what was there is as it was, and `shown` alone can be used, until claim_fini. */
int claim_take(struct claim *claim, const char *path, const struct profile_creation *creation,
	struct error *error);

/* False: it was removed or renamed, or its folder. */
bool claim_has_name(const struct claim *claim);

/* Empties it once more; it has nothing beside it then. 0, or a negative code. */
int claim_clear(struct claim *claim, struct error *error);

/* Fills the error for a result of SQLite, or says that the file has lost its name; returns -code. db may be NULL. */
int claim_failed(const struct claim *claim, struct sqlite3 *db, int result, const char *doing,
	struct error *error);

/* Makes an empty file beside it, .NAME-copy, that others may read as that one, and locks it; such a one that a killed JVM left is replaced. 0, or a negative code; claim_fini in any case. */
int claim_copy(const struct claim *claim, struct claim *copy, struct error *error);

/* The copy, which no connection is open to, becomes the file; who has that open goes on with what it was. No connection of
 * this process may be open to it, either. A negative code: both are as they were. */
int claim_replace(struct claim *claim, struct claim *copy, struct error *error);

/* What is to become of the older profile, if there is one: it goes; or it comes back, and the file goes in any case. */
void claim_keep(struct claim *claim);
void claim_discard(struct claim *claim);

/* Gives back the lock, and all else. */
void claim_fini(struct claim *claim);

#endif
