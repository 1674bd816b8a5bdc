/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* objects: the native methods of agent/ObjectsKnown.java, which allocate, in a thread that runs Java and in one that does not. */
#include <jni.h>
#include <pthread.h>
#include <stddef.h>

struct work {
	JavaVM *vm;
	jclass class;
	jint count;
};

JNIEXPORT void JNICALL Java_ObjectsKnown_make(
	JNIEnv *env, jclass type, jclass class, jint count);
JNIEXPORT void JNICALL Java_ObjectsKnown_makeOutside(
	JNIEnv *env, jclass type, jclass class, jint count);

JNIEXPORT void JNICALL Java_ObjectsKnown_make(
	JNIEnv *env, jclass type, jclass class, jint count)
{
	for (jint i = 0; i < count; i++)
		(*env)->DeleteLocalRef(env, (*env)->AllocObject(env, class));
}

static void *make(void *argument)
{
	struct work *work = argument;
	JNIEnv *env;

	if ((*work->vm)->AttachCurrentThread(work->vm, (void **)&env, NULL))
		return NULL;
	Java_ObjectsKnown_make(env, NULL, work->class, work->count);
	(*work->vm)->DetachCurrentThread(work->vm);
	return NULL;
}

JNIEXPORT void JNICALL Java_ObjectsKnown_makeOutside(
	JNIEnv *env, jclass type, jclass class, jint count)
{
	struct work work = {.class = (*env)->NewGlobalRef(env, class), .count = count};
	pthread_t thread;

	(*env)->GetJavaVM(env, &work.vm);
	if (pthread_create(&thread, NULL, make, &work) == 0)
		pthread_join(thread, NULL);
	(*env)->DeleteGlobalRef(env, work.class);
}
