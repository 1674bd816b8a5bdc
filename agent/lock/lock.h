/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * lock: mutexes with a rank. A thread takes them in rising order only; builds without
 * NDEBUG check that, say so once on standard error and count it. No JVMTI or JNI call is
 * made while one is held: such a call may wait for a safepoint or a suspended thread.
 */
#ifndef JPROF_LOCK_H
#define JPROF_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum lock_rank {
	LOCK_SESSIONS = 1, /* the sessions that record */
	LOCK_SESSION,      /* the recording's life: started, flushing, ended */
	LOCK_EVENTS,       /* the threads' places for their events */
	LOCK_STARTS,       /* threads that are being started in the scope */
	LOCK_SAMPLES,      /* the threads that are sampled */
	LOCK_THREADS,      /* the list of thread contexts, folding */
	LOCK_ARCHIVE,      /* which archive a row is bound to */
	LOCK_ARCHIVES,     /* the list of archives that rows are bound to */
	LOCK_DIRECTORY,    /* an archive's directory, while it is read */
	LOCK_TREE, /* one call tree: held while its nodes move or are copied, and for its accounts */
	LOCK_METHODS,       /* new method ids */
	LOCK_NATIVES,       /* the records of wrapped native methods */
	LOCK_UNTOUCHED,     /* the list of what got no probes */
	LOCK_FILES,         /* a part of the table of files and connections */
	LOCK_FILE_SLOTS,    /* places of rows that are free again */
	LOCK_OPENERS,       /* the threads that opened something */
	LOCK_STUBS,         /* what code the JVM made */
	LOCK_CODE,          /* the code map, and the methods that it names */
	LOCK_COUNTS,        /* the reservation for counters */
	LOCK_SLOW,          /* the slowest calls of methods */
	LOCK_LABELS,        /* new labels */
	LOCK_KIN,           /* which classes are below which */
	LOCK_READINGS,      /* new readings of values */
	LOCK_TAG_SETS,      /* new sets of tags */
	LOCK_VALUES,        /* new values of parameters */
	LOCK_RECORDS,       /* rings and segments of records */
	LOCK_TRACERS,       /* when traces were on */
	LOCK_THREAD_STATES, /* what threads did */
	LOCK_CLASSES,       /* rows of classes */
	LOCK_LOADERS,       /* class loaders that were seen */
	LOCK_WAITING,       /* rows of traces that wait for a flush */
	LOCK_OBJECTS,       /* the locks that threads waited for */
	LOCK_WAITS,         /* threads that wait */
	LOCK_WAIT_ROOM,     /* memory for them */
	LOCK_MARKS,         /* marks that wait to be written */
	LOCK_NEAR,          /* the names near a session's patterns */
	LOCK_CONTROL,       /* the control channel's life */
	LOCK_RANKS          /* 64 at most: a bit each */
};

/* Static ones: {PTHREAD_MUTEX_INITIALIZER, LOCK_...}. */
struct lock {
	pthread_mutex_t mutex;
	enum lock_rank rank;
};

void lock_init(struct lock *lock, enum lock_rank rank);
void lock_fini(struct lock *lock);
void lock_take(struct lock *lock);
/* False: another thread holds it. */
bool lock_try(struct lock *lock);
void lock_give(struct lock *lock);

/* So many ms from now, of CLOCK_MONOTONIC, as timed waits take it. */
struct timespec lock_deadline(uint64_t ms);

/* How often the order was broken, by all threads; always 0 with NDEBUG. */
unsigned long lock_violations(void);

#endif
