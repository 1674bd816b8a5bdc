/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * counters: the native method Counters.spin, which runs 20,000,000 instructions of its own.
 *
 * It is registered when the library is loaded: a JVM that had to look for it would do so
 * inside its first call.
 */
#include <jni.h>

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved);

/* Ten million turns of two instructions. The few around them (loading the number, the
 * return) are a millionth of that. */
static void JNICALL spin(JNIEnv *env, jclass class)
{
	long turns = 10000000;

	__asm__ volatile("1:	subs	%0, %0, #1\n"
			 "	b.ne	1b\n"
			 : "+r"(turns)
			 :
			 : "cc");
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
	const JNINativeMethod method = {"spin", "()V", (void *)spin};
	JNIEnv *env;
	jclass class;

	if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK)
		return JNI_ERR;
	class = (*env)->FindClass(env, "Counters");
	if (!class || (*env)->RegisterNatives(env, class, &method, 1) != 0)
		return JNI_ERR;
	return JNI_VERSION_10;
}
