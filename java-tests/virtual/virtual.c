/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * libvirtual: the native method of the programs of virtual threads; and an agent that
 * suspends and resumes them all the time, as a debugger does.
 *
 * In:   -agentpath:libvirtual.so, or System.loadLibrary for the native method alone.
 * Out:  at the JVM's end a line "suspended N" on standard output, N times a thread was.
 * Runs: in a thread of its own; callbacks in the thread that begins, or that ends the
 * JVM.
 */
#include <jni.h>
#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	THREADS = 64,        /* looked after at once */
	PAUSE_US = 300,      /* between two rounds */
	ALL_EVERY_ROUNDS = 8 /* one that suspends all virtual threads */
};

static jvmtiEnv *jvmti;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of thread */
static jweak thread[THREADS];
static unsigned next;
static atomic_bool ending, ended;
static atomic_ulong suspended;

JNIEXPORT void JNICALL Java_Native_through(JNIEnv *env, jclass type, jobject body);

JNIEXPORT void JNICALL Java_Native_through(JNIEnv *env, jclass type, jobject body)
{
	jclass runnable = (*env)->FindClass(env, "java/lang/Runnable");
	jmethodID run = runnable ? (*env)->GetMethodID(env, runnable, "run", "()V") : NULL;

	if (run)
		(*env)->CallVoidMethod(env, body, run);
}

/* The newest take the place of the oldest. */
static void JNICALL thread_begins(jvmtiEnv *unused, JNIEnv *env, jthread begun)
{
	jweak gone, kept = (*env)->NewWeakGlobalRef(env, begun);

	pthread_mutex_lock(&lock);
	gone = thread[next % THREADS];
	thread[next++ % THREADS] = kept;
	pthread_mutex_unlock(&lock);
	if (gone)
		(*env)->DeleteWeakGlobalRef(env, gone);
}

/* A local reference; NULL: there is none, or it has gone. */
static jthread pick(JNIEnv *env, unsigned number)
{
	jthread found;

	pthread_mutex_lock(&lock);
	found = thread[number] ? (*env)->NewLocalRef(env, thread[number]) : NULL;
	pthread_mutex_unlock(&lock);
	return found;
}

/* Each for a moment, one after the other; its stack is looked at meanwhile. */
static void one_by_one(JNIEnv *env)
{
	jvmtiFrameInfo frames[16];
	unsigned i;
	jint count;

	for (i = 0; i < THREADS; i++) {
		jthread one = pick(env, i);

		if (!one)
			continue;
		if (!(*jvmti)->SuspendThread(jvmti, one)) {
			(*jvmti)->GetStackTrace(jvmti, one, 0, 16, frames, &count);
			atomic_fetch_add(&suspended, 1);
			(*jvmti)->ResumeThread(jvmti, one);
		}
		(*env)->DeleteLocalRef(env, one);
	}
}

static void JNICALL suspend_and_resume(jvmtiEnv *unused, JNIEnv *env, void *data)
{
	unsigned round;

	for (round = 0; !atomic_load(&ending); round++) {
		if (round % ALL_EVERY_ROUNDS) {
			one_by_one(env);
		} else if (!(*jvmti)->SuspendAllVirtualThreads(jvmti, 0, NULL)) {
			usleep(PAUSE_US);
			(*jvmti)->ResumeAllVirtualThreads(jvmti, 0, NULL);
		}
		usleep(PAUSE_US);
	}
	atomic_store(&ended, true);
}

/* A daemon's thread object; NULL with an exception pending: there is none. */
static jthread new_thread(JNIEnv *env)
{
	jclass type = (*env)->FindClass(env, "java/lang/Thread");
	jmethodID init = (*env)->GetMethodID(env, type, "<init>", "(Ljava/lang/String;)V");

	return (*env)->NewObject(env, type, init, (*env)->NewStringUTF(env, "suspender"));
}

static void JNICALL jvm_begins(jvmtiEnv *unused, JNIEnv *env, jthread main)
{
	if ((*jvmti)->SetEventNotificationMode(
		    jvmti, JVMTI_ENABLE, JVMTI_EVENT_VIRTUAL_THREAD_START, NULL) ||
		(*jvmti)->RunAgentThread(jvmti, new_thread(env), suspend_and_resume, NULL,
			JVMTI_THREAD_NORM_PRIORITY)) {
		fprintf(stderr, "libvirtual: no thread to suspend others\n");
		atomic_store(&ended, true);
	}
}

/* When it returns nobody is suspended any more. */
static void JNICALL jvm_ends(jvmtiEnv *unused, JNIEnv *env)
{
	atomic_store(&ending, true);
	while (!atomic_load(&ended))
		usleep(PAUSE_US);
	printf("suspended %lu\n", atomic_load(&suspended));
	fflush(stdout);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	jvmtiCapabilities capabilities = {.can_suspend = 1, .can_support_virtual_threads = 1};
	jvmtiEventCallbacks callbacks = {
		.VirtualThreadStart = thread_begins, .VMInit = jvm_begins, .VMDeath = jvm_ends};

	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_21) ||
		(*jvmti)->AddCapabilities(jvmti, &capabilities) ||
		(*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) ||
		(*jvmti)->SetEventNotificationMode(
			jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) ||
		(*jvmti)->SetEventNotificationMode(
			jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL)) {
		fprintf(stderr, "libvirtual: the JVM does not let threads be suspended\n");
		return JNI_ERR;
	}
	return JNI_OK;
}
