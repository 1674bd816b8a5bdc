/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * class_hook: puts probes into classes as they are loaded, and takes them into and out of those
 * that are loaded already.
 *
 *   class bytes --ClassFileLoadHook--> plan --> agent/rewrite --> class bytes with probes
 *
 * The JVM asks the hook again, with the bytes of before all retransformation, whenever jprof
 * or another agent retransforms the class. So a class has probes exactly if the hook was open
 * when it was asked last, and nothing has to be remembered about it.
 *
 * Hidden classes (those of lambdas) are never shown to agents (JVMTI specification, "Class File
 * Load Hook").
 */
#ifndef JPROF_CLASS_HOOK_H
#define JPROF_CLASS_HOOK_H

#include <stdbool.h>

#include "agent/jvm/jvm.h"
#include "agent/session/session.h"
#include "profile/fact.h"

/* The JVMTI event. */
void JNICALL class_hook_event(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
	const char *name, jobject domain, jint size, const unsigned char *bytes, jint *new_size,
	unsigned char **new_bytes);

/* A session begins, before its facts are put: what was counted for another is forgotten. */
void class_hook_forget(void);

/* The steps of a recording: classes get probes and native methods are wrapped from now on
 * (begin), or not any more (end); those that are loaded are brought to the same state before it
 * returns, some hundreds at a time. On a Java thread, without locks. Not by two threads at
 * once. */
int class_hook_begin(JNIEnv *jni, struct session *session, struct error *error);
/* False: a thread is still inside the hook, and uses the plan. */
bool class_hook_end(JNIEnv *jni, struct session *session);

/* While they are open: loaded classes that the plan reaches for this session (its bit) get the probes that they are to have by
 * now. As above. */
void class_hook_session(JNIEnv *jni, unsigned session);

/* While a recording runs: loaded classes of these names get the probes that their methods are to have by now, as long
 * as nothing stops that. On a Java thread, without locks. Not by two threads at once. */
void class_hook_renew(JNIEnv *jni, bool (*wanted)(const char *class_name), bool (*stops)(void));

/* Whether it is noted when bytes of a class go back to the JVM; and when that was, in the calling thread, of the newest one of
 * that Java name, which it forgets: ns of CLOCK_MONOTONIC; 0: not known. What was shown later and has not become a class is
 * forgotten, too. */
void class_hook_note_times(bool on);
uint64_t class_hook_passed(const char *class_name);

/* What got probes in the session. */
void class_hook_counts(uint64_t *classes, uint64_t *methods);

/* Calls put for each fact of the session: how many classes and methods got probes, and what
 * stayed as it is, with the reason. */
void class_hook_facts(fact_put put, void *argument);

#endif
