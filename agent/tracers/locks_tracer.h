/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * locks_tracer: the trace `locks`: who waited how long, for which lock, and who held it and where.
 *
 *   monitors              JVM's events: contended enter, wait, and their ends
 *   java.util.concurrent  jdk.internal.misc.Unsafe.park, whose function is a stand-in; virtual threads that park are
 *                         unmounted and mounted
 *
 * What is not contended is not seen, and costs nothing. Who holds a monitor is read in the JVM (vm_monitors.h), or the JVM
 * is asked; of java.util.concurrent the blocker of the thread tells, if it is an AbstractOwnableSynchronizer.
 */
#ifndef JPROF_LOCKS_TRACER_H
#define JPROF_LOCKS_TRACER_H

#include "agent/tracers/tracers.h"

extern const struct tracer locks_tracer;

/* ---- for deadlocks.c ---- */

/* What it needs to know of the JDK, and may ask the JVM. 0, or a negative code. On a Java thread. */
int locks_learn(JNIEnv *jni, struct error *error);

/* Who holds what the thread, one of the system, waits for now: a number, or a JavaThread; nothing: it does not wait, or nobody is
 * known. *object: that, a local reference, or NULL: not known. */
struct locks_holder {
	int64_t id;
	uintptr_t java;
};
struct locks_holder locks_holder_now(JNIEnv *jni, jthread thread, jobject *object);

#endif
