/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * thread_events: the calling thread's place for everything its events need.
 *
 *   thread-local pointer --> struct thread_events --> struct thread_context (trace)
 *                              busy, method cache
 *
 * A thread gets one at its ThreadStart event, or, if it was there before, at its first event;
 * it is given back at ThreadEnd and used again by a later thread. 4 KB each.
 *
 * busy, and how a stop waits for events in flight: the owner sets busy with a plain store,
 * then looks at `stopping`. The stopper sets `stopping`, makes every running thread of the
 * process pass a memory barrier (membarrier(2)), and then waits until no busy is set. So the
 * hot path needs no fence. busy also turns away events raised by jprof's own calls into the
 * JVM, and those of threads that are not recorded.
 */
#ifndef JPROF_THREAD_EVENTS_H
#define JPROF_THREAD_EVENTS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "agent/events/events.h"
#include "agent/jvm/methods.h"
#include "agent/trace/trace.h"

enum { METHOD_CACHE = 256 };

struct method_cache_line {
	jmethodID method;
	method_ref ref;
};

struct thread_events {
	struct thread_context *context;
	_Atomic int busy; /* written by the owner, read by the stopper */
	struct thread_events *next;      /* all there ever were; never taken off */
	struct thread_events *next_free; /* under LOCK_EVENTS */
	struct method_cache_line cache[METHOD_CACHE];
};

/* NULL: not yet seen. */
extern __thread struct thread_events *thread_events_current
	__attribute__((tls_model("initial-exec")));

/* Set once, at the end. */
extern _Atomic bool thread_events_stopping;

/* What of the calling thread's Java stack is already there when it is first seen. */
enum found_frames {
	FOUND_NONE,         /* the thread is just starting */
	FOUND_ALL,          /* every frame */
	FOUND_ALL_BUT_LAST  /* the innermost is being entered now */
};

/* Makes the calling thread known: context, and the frames that are already on its stack.
 * Threads that the user did not ask for, and threads without memory, get a place that is
 * always busy. Never NULL. */
struct thread_events *thread_events_adopt(JNIEnv *jni, jthread thread, enum found_frames found);

/* True if the calling thread was seen, and is not recorded. */
bool thread_events_is_ignored(void);

/* From hide to show the calling thread's events are turned away: another, virtual, thread runs
 * on it. */
void thread_events_hide(void);
void thread_events_show(void);

/* Whose account the calling thread's I/O goes to: while it is hidden, that of the thread that
 * carries the other. NULL: nobody's; *unwanted says whether that is as the user wants it. */
struct thread_events *thread_events_for_io(bool *unwanted);
bool thread_events_is_hidden(void);

/* jprof's own work in an application's thread, done between the two, is charged to nobody.
 * False: the thread is not recorded, and thread_events_resume must not follow. */
bool thread_events_pause(void);
void thread_events_resume(void);

/* The calling thread ends: its context is closed, its place is free for another. */
void thread_events_end(JNIEnv *jni, jthread thread);

/* No event is recorded from now on; waits for those in flight, at most about two seconds.
 * Returns how many are still inside. */
unsigned thread_events_stop(void);

/* False: the event must not be recorded. True: it may be; thread_events_leave must follow. */
static inline bool thread_events_enter(struct thread_events *thread)
{
	if (__builtin_expect(atomic_load_explicit(&thread->busy, memory_order_relaxed), 0))
		return false;
	atomic_store_explicit(&thread->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst); /* the other half is membarrier(2) */
	if (__builtin_expect(atomic_load_explicit(
				     &thread_events_stopping, memory_order_relaxed),
		    0)) {
		atomic_store_explicit(&thread->busy, 0, memory_order_release);
		return false;
	}
	return true;
}

static inline void thread_events_leave(struct thread_events *thread)
{
	atomic_store_explicit(&thread->busy, 0, memory_order_release);
}

/* What the method is: from the thread's cache, or the table behind it. */
static inline method_ref thread_events_method(
	struct thread_events *thread, JNIEnv *jni, jmethodID method)
{
	/* Handles are addresses of words, or counters: both spread over the low bits. */
	uintptr_t key = (uintptr_t)method;
	struct method_cache_line *line =
		&thread->cache[(key ^ (key >> 3) ^ (key >> 11)) % METHOD_CACHE];

	if (__builtin_expect(line->method != method, 0)) {
		line->ref = methods_find(&events.jvm, jni, method);
		line->method = method;
	}
	return line->ref;
}

#endif
