/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * parameter_probes: what the readings of rewritten methods call (agent/rewrite/rewrite.h): the natives value and result of
 * java.lang.JprofProbe.
 *
 *   rewritten method: enter(id); value(an argument or `this`, number)...; ...; result(what it returns, number)...; exit(id)
 *
 * So the thread is in the method's node when they are called, if the method is timed.
 *
 * In:   the value, a local reference for the time of the call, or NULL; of boolean, byte, char, short and int a long, of float
 *       a double. number: what the rewriter was given with the reading (struct rewrite_reading). 0 comes from nowhere but the
 *       warm-up of method_probes.c, on a thread that is hidden, and means nothing.
 * Runs: on the thread of the call, in the midst of the application: its monitors may be held, it may be a virtual thread, and
 *       `this` or an argument may be an object whose constructor has not ended. Neither an exception nor a pending one is left.
 */
#ifndef JPROF_PARAMETER_PROBES_H
#define JPROF_PARAMETER_PROBES_H

#include <jni.h>

/* A method was entered with a value. */
void JNICALL parameter_probe_value_object(
	JNIEnv *jni, jclass probe, jobject value, jint number);
void JNICALL parameter_probe_value_long(JNIEnv *jni, jclass probe, jlong value, jint number);
void JNICALL parameter_probe_value_double(
	JNIEnv *jni, jclass probe, jdouble value, jint number);

/* A method returns a value. Where it throws none of these is called. */
void JNICALL parameter_probe_result_object(
	JNIEnv *jni, jclass probe, jobject value, jint number);
void JNICALL parameter_probe_result_long(JNIEnv *jni, jclass probe, jlong value, jint number);
void JNICALL parameter_probe_result_double(
	JNIEnv *jni, jclass probe, jdouble value, jint number);

#endif
