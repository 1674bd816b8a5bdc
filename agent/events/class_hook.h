/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * class_hook: puts probes into classes as they are loaded, and takes them into and out of those
 * that are loaded already.
 *
 *   class bytes --ClassFileLoadHook--> filter --> agent/rewrite --> class bytes with probes
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

/* The JVMTI event. */
void JNICALL class_hook_event(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
	const char *name, jobject domain, jint size, const unsigned char *bytes,
	jint *new_size, unsigned char **new_bytes);

/* A session begins, before its facts are put: what was counted for another is forgotten. */
void class_hook_forget(void);

/* From now on classes get probes (open), or get none; those that are loaded are brought to the
 * same state before it returns, some hundreds at a time. On a Java thread, without locks. Not
 * to be called by two threads at once. */
void class_hook_open(struct jvm *jvm, JNIEnv *jni);
/* False: somebody is still inside the hook, and uses the filter of methods. */
bool class_hook_close(struct jvm *jvm, JNIEnv *jni);

/* What got probes in the session. */
void class_hook_chosen(struct session_chosen *chosen);

/* Calls put for each fact of the session: how many classes and methods got probes, and what stayed
 * as it is, with the reason. */
void class_hook_facts(
	void (*put)(void *argument, const char *key, const char *value), void *argument);

#endif
