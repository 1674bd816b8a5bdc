/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* control: calls a function of jprof.h for a Java program (Control.java). */
#include <dlfcn.h>
#include <jni.h>
#include <stddef.h>

/* The function's result, or -1 where that library is not loaded. */
static int call(const char *library, const char *name)
{
	void *agent = dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
	int (*function)(void) = NULL;
	int result;

	if (!agent)
		return -1;
	*(void **)&function = dlsym(agent, name);
	result = function ? function() : -1;
	dlclose(agent);
	return result;
}

JNIEXPORT jint JNICALL Java_Control_call(
	JNIEnv *jni, jclass class, jstring library, jstring name);

JNIEXPORT jint JNICALL Java_Control_call(
	JNIEnv *jni, jclass class, jstring library, jstring name)
{
	const char *path = (*jni)->GetStringUTFChars(jni, library, NULL);
	const char *function = (*jni)->GetStringUTFChars(jni, name, NULL);
	int result = path && function ? call(path, function) : -1;

	if (path)
		(*jni)->ReleaseStringUTFChars(jni, library, path);
	if (function)
		(*jni)->ReleaseStringUTFChars(jni, name, function);
	return result;
}
