/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sampled_threads: the threads of the process whose stacks are taken, Java's and all others.
 *
 * A Java thread comes as it starts; what the JVM starts for itself (collectors, compilers), and other
 * native threads, are found in /proc/self/task. Each has the events of its conditions.
 *
 *   tid --hash--> struct sampled_thread        found by a handler, once a thread; then by a
 *                                              thread-local pointer
 *
 * Owns: the threads. One that has ended is given back by the next sweep, as samples that wait to be
 *       written tell of it. jprof's own are none of them: native ones whose name begins with "jprof ".
 * Runs: add and remove on any thread, under LOCK_SAMPLES; look_for and sweep on the writer's;
 *       sampled_thread_now in a signal handler.
 */
#ifndef JPROF_SAMPLED_THREADS_H
#define JPROF_SAMPLED_THREADS_H

#include "agent/sample/sample_buffer.h"
#include "agent/sample/sample_event.h"

struct sampled_thread {
	pid_t tid;
	uint32_t index;         /* in sample records */
	uint32_t row;           /* of the trace; 0: it has none; the drain's */
	int64_t java_id;        /* 0: it is none of Java's, or not known */
	char name[256];         /* UTF-8 */
	_Atomic uint8_t wanted; /* bits of the sessions that want it */
	/* Of Java's threads, for those who look from outside; under the lock, but for due. */
	uintptr_t java;       /* JavaThread, which may have ended; 0: not known */
	_Atomic(void *) slot; /* of its events, where those know it */
	uint64_t tick;        /* of the last look */
	uint64_t ran;         /* ns of processor time until then */
	_Atomic uint32_t due; /* ticks that its handler is to count */
	_Atomic uint32_t
		asked;   /* the newest of the events that others want its stack for; 0: none */
	uint64_t before; /* ns of processor time when its events were opened */
	uint64_t told[SAMPLE_CONDITIONS]; /* periods since; its handler's */
	struct sample_event event[SAMPLE_CONDITIONS];
	struct sampled_thread *_Atomic next; /* of the same hash */
	struct sampled_thread *link;         /* under the lock: ended, or free */
	bool gone;                           /* under the lock: it has ended, or never was */
};

struct sampled_threads_for {
	/* Bits of the sessions that want the thread. */
	uint8_t (*wanted)(const char *name, int64_t java_id, pid_t tid);
	/* The thread is sampled no more: how much of a condition, by its place, no poll has told of, in the period's
	 * unit. */
	void (*left)(struct sampled_thread *thread, unsigned condition, uint64_t rest);
};

/* The conditions that threads have events for, by place; those of another kind have a period of 0. From now on threads
 * may be added; those of the process are. */
void sampled_threads_begin(const struct sample_event_choice *choice, unsigned count, int signal,
	const struct sampled_threads_for *of);

/* The same of more conditions, behind those that there are. No handler is inside, and none comes meanwhile. */
void sampled_threads_more(const struct sample_event_choice *choice, unsigned count, int signal);

/* No thread has events from now on. */
void sampled_threads_stop(void);

/* Behind it, when no handler is inside any more: memory is given back. */
void sampled_threads_end(void);

/* A thread of Java's; java: JavaThread, 0: none that may be looked at. If it is there, that is what it is from now on. */
void sampled_thread_add(pid_t tid, int64_t java_id, const char *name, uintptr_t java);

/* All are asked for again: other sessions want them. */
void sampled_threads_renew(void);

/* It ends. */
void sampled_thread_remove(pid_t tid);

/* Calls look for each of Java's threads that is wanted. False: another thread is changing the list, and will go on to. In the
 * midst of a safepoint, say: without waiting. */
bool sampled_threads_try(void (*look)(struct sampled_thread *thread, void *user), void *user);

/* Calls look for Java's threads from the next-th on, until the clock is at `until`, all in turn; ticks: since
 * the last look. Returns where to go on. */
uint32_t sampled_threads_visit(uint32_t next, uint64_t tick, uint64_t until,
	void (*look)(struct sampled_thread *thread, uint32_t ticks));

/* ns of processor time that the thread has used. */
uint64_t sampled_thread_ran(const struct sampled_thread *thread);

/* Looks for threads that nobody told of, and for those that have ended. */
void sampled_threads_look(void);

/* So many have ended that they are better given back soon. */
bool sampled_threads_many_ended(void);

/* Gives those back that had ended before the last call. */
void sampled_threads_sweep(void);

/* The calling thread, NULL: it is not sampled. */
struct sampled_thread *sampled_thread_now(void);

/* The same, made known if it is not; not in a signal handler. NULL: no memory. */
struct sampled_thread *sampled_thread_known(void);

/* A thread that others are interested in, NULL: it is not sampled. */
struct sampled_thread *sampled_thread_find(pid_t tid);

/* By the number in a record. */
struct sampled_thread *sampled_thread_at(uint32_t index);

struct sampled_threads_state {
	uint64_t timed;   /* threads that a timer samples, as perf had no room */
	uint64_t refused; /* threads without an event that they should have */
	uint64_t late_ns; /* processor time that threads had used when they were found */
};
struct sampled_threads_state sampled_threads_state(void);

#endif
