/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * events: from the agent's loading to the JVM's death.
 *
 *   Agent_OnLoad   -> events_prepare     callbacks set, nothing but the JVM's life enabled
 *   VMInit         -> events_start       unless start=no
 *   Agent_OnAttach -> events_prepare, events_attached: events_start, unless start=no
 *   events_start   -> the session begins; events are enabled, or probes put into the classes
 *   ThreadStart, MethodEntry, probes, VMObjectAlloc, ThreadEnd ...     (other files here)
 *   events_stop    -> events off, those in flight waited for, the session ends, probes out
 *   VMDeath        -> the same, but for the probes
 *   exit(3) without a VMDeath (native code called it) -> the session ends, without the JVM
 */
#ifndef JPROF_EVENTS_H
#define JPROF_EVENTS_H

#include <sys/types.h>

#include "agent/jvm/jvm.h"
#include "agent/session/session.h"

/* Written by events_prepare, before any event; constant afterwards. */
struct events {
	struct jvm jvm;
	struct session *session;
	pid_t process; /* a forked child is another one, and has nothing to record */
};
extern struct events events;

/* Takes the environment and the session (both for good) and registers the callbacks. live: the
 * JVM is running already, there will be no VMInit. 0, or a negative code: the JVM must not
 * start, or runs on without jprof. */
int events_prepare(
	struct jvm jvm, struct session *session, bool live, struct error *error);

/* What VMInit does, for an agent that is loaded later: learns what can be learnt of a running
 * JVM only, and begins to record, unless start=no. 0, or a negative code: nothing is recorded.
 */
int events_attached(struct error *error);

/* Begins to record; when it returns, every class that is loaded and chosen has its probes. On
 * any thread, in the live phase. 0, or a negative code: nothing is recorded. */
int events_start(struct error *error);

/* Ends the recording, and takes the probes out. On any thread. 0, or a negative code: nothing
 * was being recorded. */
int events_stop(struct error *error);

#endif
