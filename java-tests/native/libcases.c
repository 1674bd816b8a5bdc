/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * libcases: the native methods of the cases.
 */
#include <dlfcn.h>
#include <jni.h>
#include <jvmti.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define METHOD(type, name) JNIEXPORT type JNICALL Java_cases_##name

METHOD(jint, Natives_add)(JNIEnv *env, jclass type, jint a, jint b);
METHOD(void, Natives_up)(JNIEnv *env, jobject self, jint depth);
METHOD(void, Natives_fail)(JNIEnv *env, jclass type);
METHOD(void, Natives_pass)(JNIEnv *env, jclass type);
METHOD(jint, Natives_swallow)(JNIEnv *env, jclass type);
METHOD(jstring, Natives_text)(JNIEnv *env, jclass type, jstring in);
METHOD(jdouble, BoundNatives_mix)
(JNIEnv *env, jclass type, jint a, jdouble b, jlong c, jfloat d, jint e, jdouble f, jlong g,
	jfloat h, jint i, jdouble j, jlong k, jfloat l, jint m, jdouble n, jlong o, jfloat p,
	jdouble q, jdouble r, jlong s, jboolean t);
METHOD(jboolean, BoundNatives_register)(JNIEnv *env, jclass type);
METHOD(jint, BoundNatives_plus)(JNIEnv *env, jclass type, jint to);
METHOD(jint, BoundNatives_late)(JNIEnv *env, jclass type, jint value);
METHOD(void, BoundNatives_again)(JNIEnv *env, jobject self, jint times);
METHOD(void, AttachedThreads_attach)(JNIEnv *env, jclass type, jint threads, jint calls);
METHOD(void, NativeExit_exit)(JNIEnv *env, jclass type, jint status);
METHOD(jint, StopProbes_call)(JNIEnv *env, jclass type, jstring agent, jstring function);
METHOD(void, AsyncExceptions_stop)
(JNIEnv *env, jclass type, jthread thread, jthrowable exception);

/* A function of jprof.h, found as that header says. -2: there is no agent, or no function. */
METHOD(jint, StopProbes_call)(JNIEnv *env, jclass type, jstring agent, jstring function)
{
	const char *path = (*env)->GetStringUTFChars(env, agent, NULL);
	const char *name = (*env)->GetStringUTFChars(env, function, NULL);
	void *library = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
	int (*found)(void) = NULL;

	if (library)
		*(void **)&found = dlsym(library, name);
	(*env)->ReleaseStringUTFChars(env, agent, path);
	(*env)->ReleaseStringUTFChars(env, function, name);
	return found ? found() : -2;
}

METHOD(void, AsyncExceptions_stop)
(JNIEnv *env, jclass type, jthread thread, jthrowable exception)
{
	static jvmtiEnv *jvmti;
	jvmtiCapabilities capabilities = {.can_signal_thread = 1};
	JavaVM *vm;

	if (!jvmti && ((*env)->GetJavaVM(env, &vm) ||
			      (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) ||
			      (*jvmti)->AddCapabilities(jvmti, &capabilities)))
		abort();
	if ((*jvmti)->StopThread(jvmti, thread, exception))
		abort();
}

METHOD(void, NativeExit_exit)(JNIEnv *env, jclass type, jint status)
{
	exit(status);
}

METHOD(jint, Natives_add)(JNIEnv *env, jclass type, jint a, jint b)
{
	return a + b;
}

METHOD(void, Natives_up)(JNIEnv *env, jobject self, jint depth)
{
	jclass type = (*env)->GetObjectClass(env, self);
	jmethodID back = (*env)->GetMethodID(env, type, "back", "(I)V");

	if (back != NULL)
		(*env)->CallVoidMethod(env, self, back, depth);
}

METHOD(void, Natives_fail)(JNIEnv *env, jclass type)
{
	jclass exception = (*env)->FindClass(env, "java/lang/IllegalStateException");

	if (exception != NULL)
		(*env)->ThrowNew(env, exception, "on purpose");
}

METHOD(void, Natives_pass)(JNIEnv *env, jclass type)
{
	jmethodID throwing = (*env)->GetStaticMethodID(env, type, "throwing", "()V");

	if (throwing != NULL)
		(*env)->CallStaticVoidMethod(env, type, throwing);
}

METHOD(jint, Natives_swallow)(JNIEnv *env, jclass type)
{
	Java_cases_Natives_pass(env, type);
	if (!(*env)->ExceptionCheck(env))
		return 0;
	(*env)->ExceptionClear(env);
	return 1;
}

METHOD(jstring, Natives_text)(JNIEnv *env, jclass type, jstring in)
{
	const char *text = (*env)->GetStringUTFChars(env, in, NULL);
	jstring out = text != NULL ? (*env)->NewStringUTF(env, text) : NULL;

	if (text != NULL)
		(*env)->ReleaseStringUTFChars(env, in, text);
	return out;
}

METHOD(jdouble, BoundNatives_mix)
(JNIEnv *env, jclass type, jint a, jdouble b, jlong c, jfloat d, jint e, jdouble f, jlong g,
	jfloat h, jint i, jdouble j, jlong k, jfloat l, jint m, jdouble n, jlong o, jfloat p,
	jdouble q, jdouble r, jlong s, jboolean t)
{
	return a + 2 * b + 3. * (jdouble)c + 4 * (jdouble)d + 5. * e + 6 * f + 7. * (jdouble)g +
	       8 * (jdouble)h + 9. * i + 10 * j + 11. * (jdouble)k + 12 * (jdouble)l + 13. * m +
	       14 * n + 15. * (jdouble)o + 16 * (jdouble)p + 17 * q + 18 * r +
	       19. * (jdouble)s + 20 * t;
}

/* What the JVM finds by the name, until plus_one is registered. */
METHOD(jint, BoundNatives_plus)(JNIEnv *env, jclass type, jint to)
{
	return to - 1;
}

static jint JNICALL plus_one(JNIEnv *env, jclass type, jint to)
{
	return to + 1;
}

METHOD(jboolean, BoundNatives_register)(JNIEnv *env, jclass type)
{
	const JNINativeMethod plus = {(char *)"plus", (char *)"(I)I", (void *)plus_one};

	return (*env)->RegisterNatives(env, type, &plus, 1) == JNI_OK;
}

METHOD(jint, BoundNatives_late)(JNIEnv *env, jclass type, jint value)
{
	return value + 1;
}

METHOD(void, BoundNatives_again)(JNIEnv *env, jobject self, jint times)
{
	jclass type = (*env)->GetObjectClass(env, self);
	jmethodID plus = (*env)->GetStaticMethodID(env, type, "plus", "(I)I");

	for (jint i = 0; plus != NULL && i < times; i++) {
		if ((*env)->CallStaticIntMethod(env, type, plus, i) != i + 1 ||
			(*env)->ExceptionCheck(env))
			abort();
	}
}

struct attach {
	JavaVM *vm;
	jclass type;
	jmethodID enter;
	jint calls;
	char name[32];
};

static bool enter_once(const struct attach *attach)
{
	JavaVMAttachArgs args = {JNI_VERSION_1_8, (char *)attach->name, NULL};
	JNIEnv *env;

	if ((*attach->vm)->AttachCurrentThread(attach->vm, (void **)&env, &args) != JNI_OK)
		return false;
	(*env)->CallStaticVoidMethod(env, attach->type, attach->enter, attach->calls);
	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	return (*attach->vm)->DetachCurrentThread(attach->vm) == JNI_OK;
}

static void *attached_thread(void *argument)
{
	const struct attach *attach = argument;

	return enter_once(attach) && enter_once(attach) ? argument : NULL;
}

METHOD(void, AttachedThreads_attach)(JNIEnv *env, jclass type, jint threads, jint calls)
{
	struct attach attach = {.calls = calls};
	pthread_t thread;

	attach.enter = (*env)->GetStaticMethodID(env, type, "enter", "(I)V");
	if (attach.enter == NULL || (*env)->GetJavaVM(env, &attach.vm) != JNI_OK)
		return;
	attach.type = (*env)->NewGlobalRef(env, type);
	for (int i = 0; i < threads; i++) {
		snprintf(attach.name, sizeof(attach.name), "native-%d", i);
		if (pthread_create(&thread, NULL, attached_thread, &attach) == 0)
			pthread_join(thread, NULL);
	}
	(*env)->DeleteGlobalRef(env, attach.type);
}
