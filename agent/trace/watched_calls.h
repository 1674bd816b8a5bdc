/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * watched_calls: calls of methods whose every call is told of: how long each took.
 *
 *   entry --> a frame beside the shadow stack: when, and what its node had used by then; a watch (call_watch.h)
 *   exit  --> elapsed, base, cpu --> the thread's histograms (call_times.h)
 *                                --> is it one of the slowest? --> slow_calls.h
 *
 * Probes of such methods, and no others, call watched_enter and watched_leave, behind the ordinary events. While
 * a call is watched each entry of its thread is one at which the toll is due (toll.h): so the entries below it
 * are seen with nothing more on the way of all others.
 *
 * The frames are the thread's: those of a virtual one leave a lane with it. Each call counts for itself, also one
 * in another of the same method. A call that has not ended is in nothing yet.
 *
 * elapsed is the call's part of its nodes' cum: the clock's time, but for that in which jprof kept the thread from
 * running. base is without what jprof's rare ways used in it, as far as that is known (spent).
 *
 * What the whole process used of a metric meanwhile (distribution_process) is a look at the entry and one at the exit, and
 * the same wherever a virtual thread goes on: of cpu the system's clock of the process, of all others trace_totals.
 *
 * Runs: in the thread; what it takes is charged as spent.
 */
#ifndef JPROF_WATCHED_CALLS_H
#define JPROF_WATCHED_CALLS_H

#include "agent/trace/thread_context.h"

/* Watched calls in one another that have a tree of their own; deeper ones are in that of the call around them. */
enum { WATCHED_NESTED = 8 };

/* How they are watched, for a session. */
struct watching {
	bool on;
	unsigned wall; /* indices of metrics */
	int cpu;       /* -1: it is not counted */
	uint32_t
		process; /* metrics, as bits: what the whole process uses of them is told, too */
};

/* Behind the entry of the method. */
void watched_enter(struct thread_context *context, uint32_t method);

/* Behind its exit. */
void watched_leave(struct thread_context *context, uint32_t method, bool failed);

/* Frames above the shadow stack's were left without an exit of their own, by an exception. */
void watched_cut(struct thread_context *context);

/* The toll of an entry is due, for the watch's sake alone, which knows its node: most often so. That takes less than
 * a look at the counters would, and is not charged. */
bool watched_knows_entry(struct thread_context *context);

/* An entry of whatever method, while the thread has a watch. */
void watched_note_entry(struct thread_context *context);

/* The node of the thread's innermost frame has changed, by a label: of one that has been in watched calls. */
void watched_note_label(struct thread_context *context);

/* The toll of an entry is due. Returns whether it is so by its own reckoning, too. */
bool watched_toll(struct thread_context *context);

/* A virtual thread leaves a lane, whose counters were just read; and is in one, with its frames, before it is
 * charged anything. */
struct watched_calls *watched_unmount(struct thread_context *lane);
void watched_mount(struct thread_context *lane, struct watched_calls *calls);

/* Calls under way are forgotten. NULL is allowed. */
void watched_destroy(struct watched_calls *calls, struct memory_budget *budget);

#endif
