/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * late: the native methods of agent/Late.java, and native threads that live on between
 * the times that they are attached to the JVM.
 */
#include <jni.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define METHOD(type, name) JNIEXPORT type JNICALL Java_agent_##name

METHOD(jint, LateJobs_add)(JNIEnv *env, jclass type, jint a, jint b);
METHOD(void, LateJobs_back)(JNIEnv *env, jclass type, jint times);
METHOD(jint, LateNoise_add)(JNIEnv *env, jclass type, jint a, jint b);
METHOD(jboolean, Late_order)
(JNIEnv *env, jclass type, jint number, jint verb, jint calls);

METHOD(jint, LateJobs_add)(JNIEnv *env, jclass type, jint a, jint b)
{
	return a + b;
}

METHOD(jint, LateNoise_add)(JNIEnv *env, jclass type, jint a, jint b)
{
	return a + b;
}

METHOD(void, LateJobs_back)(JNIEnv *env, jclass type, jint times)
{
	jmethodID leaf = (*env)->GetStaticMethodID(env, type, "leaf", "()V");

	for (jint i = 0; leaf != NULL && i < times; i++) {
		(*env)->CallStaticVoidMethod(env, type, leaf);
		if ((*env)->ExceptionCheck(env))
			return;
	}
}

/* ---- native threads ---- */

enum { THREADS = 8 };

/* In the order of Late.VERBS. */
enum verb { ATTACH, WORK, DETACH };

static struct native_thread {
	sem_t told, done;
	bool made, failed;
	jint verb, calls;
	JNIEnv *env; /* while it is attached */
	char name[32];
} native_threads[THREADS];

static JavaVM *vm;
static jclass work_class; /* a global reference, for ever */
static jmethodID enter;

static bool obey(struct native_thread *thread)
{
	JavaVMAttachArgs args = {JNI_VERSION_1_8, thread->name, NULL};
	JNIEnv *env = thread->env;

	switch (thread->verb) {
	case ATTACH:
		return !env &&
		       (*vm)->AttachCurrentThread(vm, (void **)&thread->env, &args) == JNI_OK;
	case WORK:
		if (!env)
			return false;
		(*env)->CallStaticVoidMethod(env, work_class, enter, thread->calls);
		return !(*env)->ExceptionCheck(env);
	case DETACH:
		thread->env = NULL;
		return (*vm)->DetachCurrentThread(vm) == JNI_OK;
	default:
		return false;
	}
}

static void *live(void *argument)
{
	struct native_thread *thread = argument;

	for (;;) {
		while (sem_wait(&thread->told))
			;
		thread->failed = !obey(thread);
		sem_post(&thread->done);
	}
	return NULL;
}

static bool make(struct native_thread *thread, int number)
{
	pthread_t id;

	snprintf(thread->name, sizeof(thread->name), "native-%d", number);
	sem_init(&thread->told, 0, 0);
	sem_init(&thread->done, 0, 0);
	thread->made = pthread_create(&id, NULL, live, thread) == 0;
	return thread->made && pthread_detach(id) == 0;
}

static bool learn(JNIEnv *env, jclass type)
{
	if (enter)
		return true;
	work_class = (*env)->NewGlobalRef(env, type);
	enter = (*env)->GetStaticMethodID(env, type, "enter", "(I)V");
	return enter && (*env)->GetJavaVM(env, &vm) == JNI_OK;
}

/* The native thread of that number, made when it is told something first, does it; false:
 * it could not. Told by one thread at a time. */
METHOD(jboolean, Late_order)(JNIEnv *env, jclass type, jint number, jint verb, jint calls)
{
	struct native_thread *thread = &native_threads[number % THREADS];

	if (!learn(env, type) || (!thread->made && !make(thread, number)))
		return false;
	thread->verb = verb;
	thread->calls = calls;
	sem_post(&thread->told);
	while (sem_wait(&thread->done))
		;
	return !thread->failed;
}
