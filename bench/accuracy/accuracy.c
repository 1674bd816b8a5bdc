/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* accuracy: natives of known work for Programs.java. */
#include <jni.h>

#include <stdint.h>

static jlong chain(jlong x, jint steps)
{
	uint64_t value = (uint64_t)x;

	for (jint i = 0; i < steps; i++) {
		value = value * 31 + 7;
		__asm__ volatile("" : "+r"(value));
	}
	return (jlong)value;
}

#define NATIVE(class, method)                                                                  \
	JNIEXPORT jlong JNICALL Java_Programs_00024##class##_##method(                         \
		JNIEnv *jni, jclass type, jlong x, jint steps);                                \
	JNIEXPORT jlong JNICALL Java_Programs_00024##class##_##method(                         \
		JNIEnv *jni, jclass type, jlong x, jint steps)                                 \
	{                                                                                      \
		(void)jni;                                                                     \
		(void)type;                                                                    \
		return chain(x, steps);                                                        \
	}

NATIVE(Native1k, work)
NATIVE(Native1k, none)
NATIVE(Native16k, work)
NATIVE(Native16k, none)
