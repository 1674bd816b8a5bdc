/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * parameter_probes: see parameter_probes.h.
 *
 * The class hook asks for no readings: there is no call but those of the warm-up, and nothing to be done.
 */
#include "agent/probes/parameter_probes.h"

void JNICALL parameter_probe_value_object(JNIEnv *jni, jclass probe, jobject value, jint number)
{
}

void JNICALL parameter_probe_value_long(JNIEnv *jni, jclass probe, jlong value, jint number)
{
}

void JNICALL parameter_probe_value_double(JNIEnv *jni, jclass probe, jdouble value, jint number)
{
}

void JNICALL parameter_probe_result_object(
	JNIEnv *jni, jclass probe, jobject value, jint number)
{
}

void JNICALL parameter_probe_result_long(JNIEnv *jni, jclass probe, jlong value, jint number)
{
}

void JNICALL parameter_probe_result_double(
	JNIEnv *jni, jclass probe, jdouble value, jint number)
{
}
