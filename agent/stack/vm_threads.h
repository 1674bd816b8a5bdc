/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * vm_threads: which of the JVM's threads the calling one is, and where its stack ends.
 *
 * HotSpot keeps a thread's Thread in a pthread key (threadLocalStorage_posix.cpp), for all its threads; those
 * that may run Java code are told by their class, that is the pointer to its virtual functions.
 *
 * Runs: vm_threads_learn once, in a Java thread; vm_thread_now anywhere, also in a signal handler.
 */
#ifndef JPROF_VM_THREADS_H
#define JPROF_VM_THREADS_H

#include <sys/types.h>

#include "agent/stack/vm_layout.h"
#include "agent/stack/walk.h"

/* current: the calling thread's JavaThread. symbol: as in vm_layout_read. False: this JVM keeps its threads in
 * another way. */
bool vm_threads_learn(
	const struct vm_layout *layout, uintptr_t current, void *(*symbol)(const char *name));

/* The calling thread, whose stack is used down to sp. */
struct walk_thread vm_thread_now(uintptr_t sp);

/* What a JavaThread does, as it has left Java: while that is so its stack stays as it is. Looked at by another thread, as
 * what follows: it may have ended, and its memory be gone. */
struct vm_anchor {
	uintptr_t sp, pc; /* of the Java frame that it has left; 0: it has none */
	uint32_t state;   /* JavaThreadState */
};
struct vm_anchor vm_anchor_of(uintptr_t java_thread);

/* True if it is out of Java: in native code, or waits, or in the JVM. */
bool vm_anchor_is_outside(const struct vm_anchor *anchor);

/* Whether a thread that stands at a safepoint would run, if nobody had stopped it. in_native: its innermost frame is a native
 * method's, as of one that is parked. False also where this JVM does not tell. */
bool vm_anchor_would_run(uintptr_t java_thread, const struct vm_anchor *anchor, bool in_native);

/* Where its stack is: the lowest address, and behind the last; nothing, if the thread is gone. */
struct walk_thread vm_thread_stack(uintptr_t java_thread, uintptr_t *low);

/* The system's id of a JavaThread, 0: not known. */
pid_t vm_thread_system_id(uintptr_t java_thread);

/* Calls each for every JavaThread that there is, with the system's id of it. In one of them. */
void vm_threads_each(void (*each)(void *user, uintptr_t java_thread, pid_t tid), void *user);

#endif
