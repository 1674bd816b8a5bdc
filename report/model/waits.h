/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* waits: what views and findings of the trace `locks` have in common. */
#ifndef JPROF_REPORT_WAITS_H
#define JPROF_REPORT_WAITS_H

#include "profile/profile_read.h"
#include "profile/store.h"

/* What people call a lock, "ReentrantLock" for java.util.concurrent.locks.ReentrantLock$NonfairSync: a part of the class's name,
 * without that package, and without the synchronizer within; all of other names. */
struct label lock_name(const char *class_name);

/* A wait that is unfinished, as a row of contention by itself, with the time that it has taken so far. */
struct profile_contention waits_row(const struct profile_wait *wait);

/* True where somebody held the lock, or a monitor was not to be had at once; all others are idle: for work, for time. */
static inline bool waits_are_contended(const struct profile_contention *row)
{
	return row->kind == LOCKS_BLOCK || row->holder_thread != 0;
}

#endif
