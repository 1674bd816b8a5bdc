/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * threads: a recording's threads: its steps begin, stop and end here.
 */
#ifndef JPROF_THREADS_H
#define JPROF_THREADS_H

#include <jvmti.h>

#include "agent/session/session.h"

/* Fills in the callbacks for starts and ends of threads. */
void threads_callbacks(jvmtiEventCallbacks *callbacks);

/* The steps of a recording (agent/recording/recording.c): from now on threads join the session, each at its
 * first event. */
int threads_begin(JNIEnv *jni, struct session *session, struct error *error);

/* What is recorded of threads has become another, while the recording goes on: each thread looks at it at its next event
 * (slots_renew), and those that were turned away are asked for again. Events in flight end as they began. On a Java thread
 * without pending exception; not while the recording begins or stops. */
void threads_renew(JNIEnv *jni, struct session *session);

/* No event is recorded from now on; waits for those in flight, at most about two seconds. */
bool threads_stop(struct session *session, struct error *error);

/* Behind trace_stop, too: no thread has anything of the session's any more. False: the trace must stay. */
bool threads_end(JNIEnv *jni, struct session *session);

/* The session that records, which stays until threads_leave; several may look at it at a time. NULL:
 * nothing is recorded. Nothing is done in between that may wait for the JVM: the end of the session
 * waits some seconds, not longer. */
struct session *threads_look(void);
void threads_leave(void);

/* Functions that are called in each Java thread as it begins and ends, while a session records. They may be called
 * still when others, or none (NULL), have taken their place. told: borrowed for good. */
struct threads_told {
	void (*begins)(JNIEnv *jni, int64_t java_id, const char *name);
	void (*ends)(JNIEnv *jni);
};
enum threads_listener { TOLD_SAMPLER, TOLD_COUNTER, TOLD_TRACER, THREADS_LISTENERS };
void threads_tell(enum threads_listener who, const struct threads_told *told);

#endif
