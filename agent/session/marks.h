/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * marks: moments that the program names, on their way to the profile.
 *
 * In:   marks_add, on any thread.   Out: rows of the profile's table `mark`.
 * Owns: what waits; at most MARKS_WAITING, and MARKS_MAX in all, more are lost, and
 * counted. Runs: marks_put and marks_put_done on the thread that flushes.
 */
#ifndef JPROF_MARKS_H
#define JPROF_MARKS_H

#include "agent/lock/lock.h"
#include "error/error.h"
#include "profile/profile_write.h"

enum {
	MARKS_WAITING = 65536,
	MARKS_MAX = 1000000, /* of a session: some 60 MB in the profile */
	MARK_NAME_MAX = 200  /* bytes of a name; the rest is left out */
};

struct mark;

/* Embedded. */
struct marks {
	struct lock lock; /* guards what follows */
	struct mark *first, **end;
	uint32_t waiting; /* those that are being put, too */
	uint32_t taken;   /* of the session */
	uint64_t lost;
	/* Of the transaction under way; the flushing thread's own. */
	struct mark *putting;
};

void marks_init(struct marks *marks);
void marks_fini(struct marks *marks);

/* Takes a lock for an instant, and memory for the mark. NULL for a name that is not known. */
void marks_add(struct marks *marks, uint64_t at, const char *name, int64_t java_thread_id,
	const char *thread_name);

/* Within a transaction: puts what waits. 0, or a negative code. */
int marks_put(struct marks *marks, struct profile_writer *profile, struct error *error);

/* The transaction was committed, or not: the marks are written, or put by the next one. */
void marks_put_done(struct marks *marks, bool committed);

uint64_t marks_lost(struct marks *marks);

#endif
