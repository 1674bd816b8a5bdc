/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * recording: a session begins and ends: everything that raises or takes events is
 * switched on, and off again, in the order that loses nothing and leaves nothing behind.
 * The order is one table, `steps` in recording.c.
 *
 *   make    options checked against this JVM; metrics, trace
 *   begin   all steps, one after the other
 *   stop    backwards: threads turned away, those inside an event waited for, profile
 * complete end     stop, and backwards again: probes out, natives back, events off,
 * contexts and memory given back
 *
 * Runs: on a Java thread, in a turn (turn.h); stop on any.
 */
#ifndef JPROF_RECORDING_H
#define JPROF_RECORDING_H

#include <stdbool.h>

#include "agent/jvm/hotspot.h"
#include "agent/session/session.h"

/* What this JVM can do. */
struct recording_jvm {
	bool method_events; /* it was started with calls=events */
	bool attached;      /* the agent came when it ran already */
	enum hotspot_alloc alloc;
	jvmtiEventCallbacks callbacks; /* of the agent's life; recordings add theirs */
};

/* Before the others; again when more is known. */
void recording_know(const struct recording_jvm *jvm);
const struct recording_jvm *recording_known(void);

/* A session of the options, which are taken; none may record. 0, or a negative code: this
 * JVM, machine or version cannot do it. */
int recording_make(struct session **session, struct options *options, struct error *error);

/* Takes the session, which becomes that of session_joined. thread: the running one, if
 * it is the application's; or NULL. 0, or a negative code, and nothing is recorded. */
int recording_begin(JNIEnv *jni, jthread thread, struct session *session, struct error *error);

/* A further session, of the options, which are taken, for the recording of that host. 0, or a negative code. */
int recording_make_guest(struct session **guest, struct session *host, struct options *options,
	struct error *error);

/* Switches traces on and off for the session: bits 1 << enum trace_kind. Of one that is not to be had the
 * error says why; what stands before it in enum trace_kind has been switched. */
int recording_trace(
	JNIEnv *jni, struct session *session, unsigned on, unsigned off, struct error *error);

/* The guest has its part in the recording of its host, and a file of its own. 0, or a negative code: it has none, and the recording goes
 * on as it was. */
int recording_join(JNIEnv *jni, struct session *guest, struct error *error);

/* The session, one of several, has its part no more; its profile is complete. It stays if `serves` is set then, and may be the host.
 * 0, or a negative code: its profile is not complete. */
int recording_leave(JNIEnv *jni, struct session *session, struct error *error);

/* From here on nothing is recorded, and the profile is complete, or error says what it
 * lacks. On any thread. */
void recording_stop(struct session *session, struct error *error);

/* Behind that, where the JVM ends: its events are off. */
void recording_silence(const struct session *session);

/* recording_stop, and undoes recording_begin. What is still in use is left, and that is
 * said, rather than taken away. 0, or a negative code: the profile is not complete. */
int recording_end(JNIEnv *jni, struct session *session, struct error *error);

#endif
