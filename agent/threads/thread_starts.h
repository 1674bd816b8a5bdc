/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * thread_starts: threads that are started inside the session's scope are in it, too
 * (scope_follow=yes).
 *
 *   Thread.start0, native --> stand-in: the caller is in the scope? note the new thread's id
 *                         --> the JVM's own function
 *   ThreadStart, in the new thread --> noted? then it is in the scope as long as it lives
 *
 * JVMTI does not tell who started a thread.
 */
#ifndef JPROF_THREAD_STARTS_H
#define JPROF_THREAD_STARTS_H

#include <jvmti.h>
#include <stdbool.h>

/* From now on starts are noted, or not any more. On a Java thread without pending exception; one at
 * a time. Where the JVM's function cannot be found, that is said, and nothing is noted. */
void thread_starts_watch(JNIEnv *jni, bool on);

/* A function that is called in the thread that has started another one; NULL: none is. On a Java thread without pending
 * exception, or where the JVM ends (jni NULL). */
typedef void (*thread_starts_told)(void);
void thread_starts_tell(JNIEnv *jni, thread_starts_told tell);

/* The calling thread, which is known to the session, begins. */
void thread_starts_begin(JNIEnv *jni, jthread thread);

#endif
