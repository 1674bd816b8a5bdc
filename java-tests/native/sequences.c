/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sequences: the native methods of agent.Sequences, which do nothing. */
#include <jni.h>

#define METHOD(name)                                                                           \
	JNIEXPORT void JNICALL Java_agent_Sequences_##name(JNIEnv *env, jobject it);           \
	JNIEXPORT void JNICALL Java_agent_Sequences_##name(JNIEnv *env, jobject it)            \
	{                                                                                      \
		(void)env;                                                                     \
		(void)it;                                                                      \
	}

METHOD(nativeStatic)
METHOD(nativeInstance)
