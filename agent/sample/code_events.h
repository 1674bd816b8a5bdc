/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * code_events: what the JVM tells of its code, into the code map of the session, and that into the profile.
 *
 *   CompiledMethodLoad, with the inlining --> code_methods, code_stacks --> code_map --> writer
 *
 * As long as the event is on, HotSpot's compilers describe their code at more places than those where it
 * may stop (DebugInformationRecorder::recording_non_safepoints): without it, a sample would be
 * charged to the next one of these.
 *
 * Owns: the code map of one session at a time.
 * Runs: the events on a thread of the JVM's, one after another, and on the one that has them repeated; open and
 *       close on the thread that begins and ends the recording; code_source on the writer's.
 */
#ifndef JPROF_CODE_EVENTS_H
#define JPROF_CODE_EVENTS_H

#include <jvmti.h>

#include "agent/session/session.h"

/* Fills in the callbacks. */
void code_events_callbacks(jvmtiEventCallbacks *callbacks);

/* True if the session has a code map. */
bool code_events_wanted(const struct session *session);

/* The map, and in it what the JVM has made for itself. 0, or a negative code. */
int code_events_open(const struct session *session, struct error *error);

/* Has the JVM tell of what is compiled already; the events are on. What it refuses is told. */
void code_events_repeat(void);

/* Behind the writer's end. */
void code_events_close(void);

/* The JVM has made a piece for itself; name: borrowed for good. */
void code_events_generated(const char *name, uintptr_t begin, size_t bytes);

/* For the writer: see there. */
extern const struct code_source code_events_source;

#endif
