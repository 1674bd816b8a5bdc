/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * recording: a session begins and ends: everything that raises or takes events is switched on, and
 * off again, in the order that loses nothing and leaves nothing behind.
 *
 *   make    options checked against this JVM; metrics, trace
 *   begin   probes' functions, profile, threads may join, events on, I/O on, probes into classes
 *   finish  threads turned away, those inside an event waited for, profile complete
 *   end     finish; probes out, natives back, events off, contexts and memory given back
 *
 * Runs: on a Java thread, one at a time (events.c sees to that); finish on any.
 */
#ifndef JPROF_RECORDING_H
#define JPROF_RECORDING_H

#include <stdbool.h>

#include "agent/events/events.h"
#include "agent/jvm/hotspot.h"

/* What this JVM can do. */
struct recording_jvm {
	bool method_events; /* it was started with calls=events */
	bool attached;      /* the agent came when it ran already */
	enum hotspot_alloc alloc;
};

/* Before the others; again when more is known. */
void recording_know(const struct recording_jvm *jvm);

/* A session of the options, which are taken. 0, or a negative code: this JVM, machine or version
 * cannot do it. */
int recording_make(
	struct session **session, struct options *options, struct error *error);

/* The capabilities that its events need, enum jvm_capability joined by |. */
unsigned recording_capabilities(const struct session *session);

/* Takes the session, which becomes that of events_session. thread: the running one, if it is the
 * application's; or NULL. 0, or a negative code, and nothing is recorded. */
int recording_begin(
	JNIEnv *jni, jthread thread, struct session *session, struct error *error);

/* From here on nothing is recorded, and the profile is complete, or error says what it lacks. How
 * many threads are still inside an event. */
unsigned recording_finish(struct session *session, struct error *error);

/* Undoes recording_begin. What somebody still uses is left, and that is said, rather than taken
 * away. 0, or a negative code: the profile is not complete. */
int recording_end(JNIEnv *jni, struct session *session, struct error *error);

/* The session that records, which stays until recording_leave; several may look at it at a time. NULL:
 * nothing is recorded. Nothing is done in between that may wait for the JVM: who ends the session
 * waits some seconds, not longer. */
struct session *recording_look(void);
void recording_leave(void);

/* The session's events, on or off. */
void recording_enable(const struct session *session, bool on);

#endif
