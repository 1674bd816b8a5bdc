/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * call_budget: while a recording runs, methods whose timed calls take more of their threads' time than the budget are counted
 * instead, the dearest first; and timed again when they have become rare.
 *
 *   agent/trace/toll.h: what they take --now and then--> the dearest --> call_kinds --> classes rewritten
 *   counts of those that became dear --each 10 s--> the rare ones --> the same way back
 *
 * Decided in a thread of jprof's own, which is one of the JVM's only while classes are being rewritten.
 */
#ifndef JPROF_CALL_BUDGET_H
#define JPROF_CALL_BUDGET_H

#include "agent/jvm/jvm.h"
#include "agent/session/session.h"
#include "agent/session/status.h"
#include "profile/fact.h"

/* The steps of a recording that keeps a budget: what calls cost is known before threads join, and until they are gone. */
int call_budget_open(JNIEnv *jni, struct session *session, struct error *error);
bool call_budget_close(JNIEnv *jni, struct session *session);

/* The thread, behind the first rewriting of classes. */
int call_budget_begin(JNIEnv *jni, struct session *session, struct error *error);
bool call_budget_stop(struct session *session, struct error *error);

/* How methods are seen, and what was changed. */
void call_budget_counts(struct session_counts *counts);

/* Calls put for each fact of the session: how many methods have which kind, how often and for how long that was changed. */
void call_budget_facts(fact_put put, void *argument);

#endif
