/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * events: from the JVM's birth to its death.
 *
 *   Agent_OnLoad -> events_prepare     callbacks set, nothing but the JVM's life enabled
 *   VMInit       -> the session begins, the running thread is taken up, events enabled
 *   ThreadStart, MethodEntry, MethodExit, VMObjectAlloc, ThreadEnd     (other files here)
 *   VMDeath      -> events off, those in flight waited for, the session ends
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

/* Takes the environment and the session (both for good) and registers the callbacks. 0, or a
 * negative code: the JVM must not start. */
int events_prepare(struct jvm jvm, struct session *session, struct error *error);

#endif
