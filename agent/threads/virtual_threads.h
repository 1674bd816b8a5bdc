/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * virtual_threads: which thread runs on a carrier, and records there.
 *
 *   mount    the carrier's slot gives way, its virtual slot is the calling thread's slot; the virtual
 *            thread's context is put into it, if there is one (agent/trace/mount.h)
 *   event    the first of a virtual thread makes its context
 *   unmount  the context is taken out, the carrier's slot is the thread's again
 *   end      the context is given back
 *
 * A virtual thread's word in the JVM (JVMTI specification, "Thread Local Storage") says which context is
 * its own, and of which recording; or in which edition of it (thread_slot.h) the thread was turned away. Those that were
 * mounted before the session began are found at their first event.
 *
 * In:   HotSpot's extension events VirtualThreadMount and VirtualThreadUnmount, and VirtualThreadEnd
 *       (JDK 21 and later), on the carrier. The JVM raises them while the thread is itself: after the
 *       mount, before the unmount. JVMs without them have no virtual threads; or, JDK 19 and 20, have
 *       them as a preview: there they and their carriers are not recorded.
 */
#ifndef JPROF_VIRTUAL_THREADS_H
#define JPROF_VIRTUAL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/threads/thread_slot.h"

/* A session begins: before threads can join it; or ends. In the live phase. */
void virtual_threads_watch(bool on);

/* Called in a virtual thread, before it is unmounted, and behind its mount, while a session records. NULL: nobody listens
 * any more; calls may be under way still. */
typedef void (*virtual_moves)(JNIEnv *jni, jthread thread);
void virtual_threads_listen(virtual_moves when_unmounted, virtual_moves when_mounted);

/* The event VirtualThreadEnd. */
void JNICALL virtual_threads_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

/* ---- for thread_events.c; the slot is the calling thread's, and entered ---- */

/* If it is a virtual slot whose carrier gave way in this recording: its counters, before the thread's first
 * event is looked into. What a thread used that was turned away until now is nobody's. */
bool virtual_threads_read(const struct thread_slot *slot, uint64_t *now);

/* A virtual thread runs, and has no context: it gets one. now: its carrier's counters at its first
 * event, or NULL: when it was mounted is not known. Returns the virtual slot, entered; NULL: it is not recorded,
 * and nothing is entered. */
struct thread_slot *virtual_threads_begin(struct thread_slot *slot,
	const struct session *session, JNIEnv *jni, const struct jvm_thread *description,
	enum found_frames found, const uint64_t *now);

/* The virtual slot's thread, which is known, comes to another edition: other sessions may want it than before. jthread NULL: the
 * calling thread. Returns the context that it has from now on. */
struct thread_context *virtual_threads_ask_again(
	struct thread_slot *slot, const struct session *session, JNIEnv *jni, jthread thread);

/* True if the platform thread (NULL: the calling one), which runs, has frames of a virtual one: the JVM
 * does its own work in between. */
bool virtual_threads_carries(JNIEnv *jni, jthread thread);

/* A platform thread runs where a virtual one was thought to, or the other way round: leaves the slot.
 * What it was for is known better at the next event. Always NULL. */
struct thread_slot *virtual_threads_leave(struct thread_slot *slot);

/* Calls that, once, as the next virtual thread is mounted; NULL: no more. */
void virtual_threads_tell(void (*mounts)(void));

#endif
