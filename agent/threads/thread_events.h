/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * thread_events: the events of the calling thread: its first one in a session makes it known there,
 * each one enters its slot.
 */
#ifndef JPROF_THREAD_EVENTS_H
#define JPROF_THREAD_EVENTS_H

#include "agent/threads/thread_slot.h"
#include "agent/trace/watched_calls.h"

/* Makes the calling thread known to the session, if there is one: context, and the frames that
 * are already on its stack. thread NULL: the calling one. */
void thread_events_adopt(JNIEnv *jni, jthread thread, enum found_frames found);

/* The calling thread begins its life in the JVM, or another one. */
void thread_events_thread_start(JNIEnv *jni, jthread thread);

/* The calling thread ends: its context is closed, its slot is free for another. */
void thread_events_end(JNIEnv *jni, jthread thread);

/* For thread_events_begin: what is rare. */
struct thread_slot *thread_events_join(
	enum metric_shape shape, JNIEnv *jni, jthread thread, enum found_frames found);

/* For thread_events_go_on: what is rare. */
struct thread_slot *thread_events_come_along(enum metric_shape shape, JNIEnv *jni);

/* The calling thread's slot, in an event; slot_leave must follow. NULL: the event must
 * not be recorded, or not by this function. shape: what the caller was compiled for; a thread that was held up in it since
 * an earlier session does not join one with other metrics. SHAPE_ANY is right for all. */
static inline __attribute__((always_inline)) struct thread_slot *thread_events_begin(
	enum metric_shape shape, JNIEnv *jni, jthread java_thread, enum found_frames found)
{
	struct thread_slot *slot = slot_current;

	if (__builtin_expect(slot && slot_enter(shape, slot), 1))
		return slot;
	/* Shut in this session: outside its scope, or not chosen. */
	if (slot &&
		atomic_load_explicit(&slot->session, memory_order_relaxed) ==
			atomic_load_explicit(&session_number[SHAPE_ANY], memory_order_relaxed))
		return NULL;
	return thread_events_join(shape, jni, java_thread, found);
}

/* The same for what the calling thread is in the middle of: it goes on in an edition that began meanwhile, but does not join
 * another recording. */
static inline __attribute__((always_inline)) struct thread_slot *thread_events_go_on(
	enum metric_shape shape, JNIEnv *jni)
{
	struct thread_slot *slot = slot_current;

	if (__builtin_expect(slot && slot_enter(shape, slot), 1))
		return slot;
	return thread_events_come_along(shape, jni);
}

/* Where one of the above gave NULL: functions of that shape are not, or not yet, for the session that records. What they are called
 * for is for the same function of SHAPE_ANY. */
static inline __attribute__((always_inline)) bool thread_events_outgrown(
	enum metric_shape shape)
{
	return shape != SHAPE_ANY && atomic_load_explicit(&session_number[shape],
					     memory_order_relaxed) != session_now();
}

/* ---- the session's scope ---- */

/* A method of the session's scope is entered: if the calling thread is outside, it comes in, and
 * the entry is recorded. */
void thread_events_enter_scope(
	JNIEnv *jni, jthread thread, method_ref ref, enum call_state state);

/* Instead of slot_leave, when a method of the scope was left: if it was the outermost, the
 * thread is outside. */
void thread_events_leave_scope(struct thread_slot *slot);

/* The same for one of the scope, or that is watched. */
void thread_events_leave_marked(struct thread_slot *slot, method_ref ref, bool unwound);

/* A method was left, unwound: by an exception: slot_leave, but where the scope ends. */
static inline __attribute__((always_inline)) void thread_events_leave_method(
	struct thread_slot *slot, method_ref ref, bool unwound)
{
	if (__builtin_expect(ref & (METHOD_REF_SCOPE | METHOD_REF_WATCHED), 0))
		thread_events_leave_marked(slot, ref, unwound);
	else
		slot_leave(slot);
}

/* The calling thread, which begins, is in the scope as long as it lives. */
void thread_events_inherit_scope(JNIEnv *jni, jthread thread);

#endif
