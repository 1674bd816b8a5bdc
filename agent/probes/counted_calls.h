/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * counted_calls: methods that are counted, not timed: their bytecode adds to the calling thread's counters
 * (java/probe/java/lang/JprofProbe.java), which it finds in a register that this file keeps.
 *
 *   thread starts, or counts natively --> context_open_counts --> its number and block into JprofProbe.REGISTER
 *   thread ends                       --> the entry is free again
 */
#ifndef JPROF_COUNTED_CALLS_H
#define JPROF_COUNTED_CALLS_H

#include "agent/jvm/jvm.h"
#include "agent/session/session.h"

/* The native method behind JprofProbe.count, (IJ)V. */
void JNICALL counted_calls_probe(JNIEnv *jni, jclass probe, jint method, jlong thread);

/* Where blocks of counters begin, for JprofProbe, ()J. */
jlong JNICALL counted_calls_blocks(JNIEnv *jni, jclass probe);

/* One call of a native method that is counted. */
void counted_calls_native(JNIEnv *jni, uint32_t method);

/* Whether this JVM is one where calls can be counted; the class is initialised. */
bool counted_calls_learn(JNIEnv *jni, jclass probe);
bool counted_calls_possible(void);

/* The calling thread, of that number, is recorded: it need not count natively first. */
void counted_calls_join(JNIEnv *jni, int64_t thread);

/* The steps of a recording: threads are registered, until it ends: behind the last class with probes. What another session wants
 * (more: behind its part of the plan, before classes have its probes), or one that goes no longer does, may need another way to count: that is waited
 * for. */
int counted_calls_begin(JNIEnv *jni, struct session *session, struct error *error);
int counted_calls_more(JNIEnv *jni, struct session *guest, struct error *error);
void counted_calls_less(JNIEnv *jni, struct session *session);
bool counted_calls_stop(struct session *session, struct error *error);
bool counted_calls_end(JNIEnv *jni, struct session *session);

#endif
