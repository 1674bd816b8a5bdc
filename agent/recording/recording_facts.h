/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * recording_facts: what a profile tells beside its counts: the JVM, the machine, how events are seen,
 * and what was put into classes.
 */
#ifndef JPROF_RECORDING_FACTS_H
#define JPROF_RECORDING_FACTS_H

#include "agent/jvm/hotspot.h"
#include "agent/session/session.h"
#include "agent/session/status.h"

/* Notes what is known when a session begins, and says what the user should know. alloc: how this JVM
 * shows allocation. */
void recording_note_facts(JNIEnv *jni, struct session *session, enum hotspot_alloc alloc);

/* Tells metrics how they are read in this JVM. */
void recording_describe_alloc(struct metric_set *metrics, enum hotspot_alloc way);

/* The same of a guest, whose host's are known. */
void recording_note_guest(struct session *guest);

/* Facts of what the session brought along are written from now on. */
void recording_note_parts(const struct session *session);

/* Tells `jprof run` which profile is made. */
void recording_note_run(const struct session *session);

/* Where the writer finds names, files and facts. */
extern const struct writer_source recording_source;

/* What of a session's counts is not kept by itself. */
struct session_counts recording_counts(void);

#endif
