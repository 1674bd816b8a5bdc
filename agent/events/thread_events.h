/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * thread_events: the calling thread's place for everything its events need.
 *
 *   thread-local pointer --> struct thread_events --> struct thread_context (trace)
 *                              busy, session, method cache
 *
 * A platform thread that carries virtual ones has a second place, its guest: a mount makes the pointer
 * show it, an unmount takes the pointer back (virtual_threads.h).
 *
 * A thread gets a place when it is first seen, and keeps it until it ends; then a later thread
 * uses it again. 4 KB each. What it records into, its context, is one session's: a place joins
 * each session at its thread's first event in it. Sessions are numbered, so that a place which
 * has not joined is told by one comparison.
 *
 * busy, and how a stop waits for events in flight: the owner sets busy with a plain store, then
 * compares the session's number. The stopper takes the number away, makes every running thread
 * of the process pass a memory barrier (membarrier(2)), and then waits until no owner is inside.
 * So the hot path needs no fence. busy also turns away events raised by jprof's own calls into
 * the JVM, and those of threads that are not recorded, or are outside the session's scope.
 */
#ifndef JPROF_THREAD_EVENTS_H
#define JPROF_THREAD_EVENTS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "agent/events/events.h"
#include "agent/jvm/methods.h"
#include "agent/trace/mount.h"
#include "agent/trace/trace.h"

enum { METHOD_CACHE = 256 };

struct method_cache_line {
	jmethodID method;
	method_ref ref;
};

/* What busy is. */
enum place_state {
	PLACE_FREE,
	PLACE_INSIDE, /* its owner is in an event, or in jprof's own work */
	PLACE_SHUT    /* the thread is not recorded in this session, or not now */
};

struct thread_events {
	_Atomic int busy; /* enum place_state; written by the owner, read by the stopper */
	_Atomic uint32_t session; /* that it has joined; the owner's */
	/* NULL: not recorded. Taken away by the owner's end, or by the session's. */
	_Atomic(struct thread_context *) context;
	bool refused;   /* not to be recorded, whatever the scope; the owner's */
	bool inherited; /* in the scope as long as it lives; the owner's */
	/* Virtual threads; the owner's. */
	struct thread_events *guest; /* for those that it carries; NULL: not yet */
	struct thread_events *host;  /* this one is a guest, and whose */
	/* NULL: whoever is not recorded itself has not yet carried any. As context. */
	_Atomic(struct thread_context *) unlisted;
	struct thread_context *carrier;  /* a guest's: what steps aside for it */
	struct virtual_thread *mounted;  /* a guest's: whose context it is; NULL: none is known */
	uint32_t mounted_in; /* a guest's: the session in which the carrier stepped aside */
	struct thread_events *next;      /* all there ever were; never taken off */
	struct thread_events *next_free; /* under LOCK_EVENTS */
	struct method_cache_line cache[METHOD_CACHE]; /* of the session joined */
};

/* NULL: not yet seen. */
extern __thread struct thread_events *thread_events_current
	__attribute__((tls_model("initial-exec")));

/* Number of the session that records; 0: none does. */
extern _Atomic uint32_t thread_events_session;

/* What of the calling thread's Java stack is already there when it is first seen. */
enum found_frames {
	FOUND_NONE,         /* the thread is just starting, or frames cannot be told */
	FOUND_ALL,          /* every frame */
	FOUND_ALL_BUT_LAST  /* the innermost is being entered now */
};

/* From now on threads join the session, which is events.session. The next number. */
void thread_events_start(void);

/* Makes the calling thread known to the session, if there is one: context, and the frames that
 * are already on its stack. thread NULL: the calling one. */
void thread_events_adopt(JNIEnv *jni, jthread thread, enum found_frames found);

/* The calling thread begins its life in the JVM, or another one: it may have been attached to the
 * JVM before. */
void thread_events_thread_start(JNIEnv *jni, jthread thread);

/* For thread_events_begin: what is rare. */
struct thread_events *thread_events_join(
	enum metric_shape shape, JNIEnv *jni, jthread thread, enum found_frames found);

/* A method of the session's scope is entered: if the calling thread is outside, it comes in, and
 * the entry is recorded. */
void thread_events_enter_scope(
	JNIEnv *jni, jthread thread, method_ref ref, enum call_state state);

/* Instead of thread_events_leave, when a method of the scope was left: if it was the outermost, the
 * thread is outside. */
void thread_events_leave_scope(struct thread_events *thread);

/* The calling thread, which begins, is in the scope as long as it lives. */
void thread_events_inherit_scope(JNIEnv *jni, jthread thread);

/* True if the calling thread is inside the session's scope; if it is seen, and outside of it. */
bool thread_events_in_scope(void);
bool thread_events_is_outside(void);

/* For who has to look at something of the session's while the thread is outside: its place, which is
 * entered until thread_events_shut; NULL: it is not outside. */
struct thread_events *thread_events_enter_outside(void);
void thread_events_shut(struct thread_events *thread);

/* The calling thread's events are turned away while it does jprof's own work, whatever sessions begin
 * and end, and however often it is done within itself. */
struct thread_hiding {
	struct thread_events *current;
	uint32_t in;
};
struct thread_hiding thread_events_hide_own(void);
void thread_events_show_own(struct thread_hiding before);

/* True if what the calling thread does is nobody's, as the user wants it. */
bool thread_events_is_unwanted(void);

/* jprof's own work in an application's thread, done between the two, is charged to nobody. NULL:
 * the thread is not recorded now; thread_events_resume does nothing then. */
struct thread_context *thread_events_pause(void);
void thread_events_resume(struct thread_context *context);

/* ---- for virtual_threads.c ---- */

/* Enters the place, whatever it was, for the session: which stays as long as that is so. False:
 * the session is over. */
bool thread_events_claim(struct thread_events *place, uint32_t session);

/* The calling platform thread's own place, whoever runs on it. NULL: there is none to be had now. */
struct thread_events *thread_events_own(void);

/* The place's guest, made if need be. NULL: no memory. */
struct thread_events *thread_events_guest(struct thread_events *host);

/* What a place does in a session that it has not joined: its first event will. */
void thread_events_unjoin(struct thread_events *place);

/* Puts the frames that are already there on the shadow stack, outermost first. */
void thread_events_push_found(
	struct thread_events *thread, JNIEnv *jni, enum found_frames found);

/* ---- the end of threads and sessions ---- */

/* The calling thread ends: its context is closed, its place is free for another. */
void thread_events_end(JNIEnv *jni, jthread thread);

/* No event is recorded from now on; waits for those in flight, at most about two seconds.
 * Returns how many are still inside. */
unsigned thread_events_stop(void);

/* Behind thread_events_stop and trace_stop: no place has a context any more. False: somebody still
 * uses one, so that the trace must stay. */
bool thread_events_release(void);

/* False: the event must not be recorded. True: it may be; thread_events_leave must follow. */
static inline bool thread_events_enter(struct thread_events *thread)
{
	if (__builtin_expect(atomic_load_explicit(&thread->busy, memory_order_relaxed), 0))
		return false;
	atomic_store_explicit(&thread->busy, PLACE_INSIDE, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst); /* the other half is membarrier(2) */
	if (__builtin_expect(
		    atomic_load_explicit(&thread_events_session, memory_order_relaxed) !=
			    atomic_load_explicit(&thread->session, memory_order_relaxed),
		    0)) {
		atomic_store_explicit(&thread->busy, PLACE_FREE, memory_order_release);
		return false;
	}
	return true;
}

static inline void thread_events_leave(struct thread_events *thread)
{
	atomic_store_explicit(&thread->busy, PLACE_FREE, memory_order_release);
}

/* The calling thread's place, in an event; thread_events_leave must follow. NULL: the event must
 * not be recorded. shape: what the caller was compiled for; a thread that was held up in it since
 * an earlier session does not join one with other metrics. SHAPE_ANY is right for all. */
static inline __attribute__((always_inline)) struct thread_events *thread_events_begin(
	enum metric_shape shape, JNIEnv *jni, jthread java_thread, enum found_frames found)
{
	struct thread_events *thread = thread_events_current;

	if (__builtin_expect(thread && thread_events_enter(thread), 1))
		return thread;
	/* Shut in this session: outside its scope, or not chosen. */
	if (thread &&
		atomic_load_explicit(&thread->session, memory_order_relaxed) ==
			atomic_load_explicit(&thread_events_session, memory_order_relaxed))
		return NULL;
	return thread_events_join(shape, jni, java_thread, found);
}

/* What a place records into, for who has entered it. */
static inline struct thread_context *thread_events_context(const struct thread_events *thread)
{
	return atomic_load_explicit(&thread->context, memory_order_relaxed);
}

/* What the calling thread, whose place it is, has used of a metric by its last event. It has a
 * context. */
static inline uint64_t thread_events_used(const struct thread_events *thread, unsigned metric)
{
	const struct thread_context *context = thread_events_context(thread);

	return thread->mounted ? virtual_used(context, thread->mounted, metric)
			       : context_used(context, metric);
}

/* ---- methods ---- */

/* A method was left: thread_events_leave, but where the scope ends. */
static inline __attribute__((always_inline)) void thread_events_leave_method(
	struct thread_events *thread, method_ref ref)
{
	if (__builtin_expect(ref & METHOD_REF_SCOPE, 0))
		thread_events_leave_scope(thread);
	else
		thread_events_leave(thread);
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
