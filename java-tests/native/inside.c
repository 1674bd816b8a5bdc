/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * inside: the native methods of the case Inside, which ask by jprof.h as a program does that
 * runs without the agent, too.
 */
#define JPROF_OPTIONAL
#include "include/jprof.h"

#include <jni.h>

#define METHOD(type, name) JNIEXPORT type JNICALL Java_cases_##name

METHOD(jlong, Inside_nativeValue)(JNIEnv *env, jclass type, jstring metric, jboolean total);
METHOD(jboolean, Inside_nativeCalls)(JNIEnv *env, jclass type);

METHOD(jlong, Inside_nativeValue)(JNIEnv *env, jclass type, jstring metric, jboolean total)
{
	const char *name = (*env)->GetStringUTFChars(env, metric, NULL);
	uint64_t value = 0;
	int code = total ? jprof_total_value(name, &value) : jprof_thread_value(name, &value);

	(*env)->ReleaseStringUTFChars(env, metric, name);
	return code ? code : (jlong)value;
}

/* The thread's tags are what it was given; what is no key, or no number of this recording, changes nothing. */
static jboolean tags_are_right(void)
{
	int64_t none = jprof_tags(), some;
	jboolean right = none > 0 && jprof_tag_set("user", "alice") == 0;

	some = jprof_tags();
	right = right && some > 0 && some != none && jprof_tag_set("a=b", "c") == -1 &&
		jprof_tag_set("", "c") == -1 && jprof_tag_set(NULL, "c") == -1 &&
		jprof_tags_use(some + ((int64_t)1 << 32)) == -1 &&
		jprof_tags_use(some + 10000) == -1 && jprof_tags_use(0) == -1 &&
		jprof_tags_use(-1) == -1 && jprof_tags() == some;
	right = right && jprof_tags_use(none) == 0 && jprof_tags() == none;
	right = right && jprof_tags_use(some) == 0 && jprof_tag_set("user", NULL) == 0;
	return right && jprof_tags() == none;
}

/* With a pending exception, which stays: but for those of start and stop all may be called. */
static jboolean while_pending(JNIEnv *env)
{
	jclass exception = (*env)->FindClass(env, "java/lang/IllegalStateException");
	uint64_t value;
	jboolean right;

	(*env)->ThrowNew(env, exception, "pending");
	right = jprof_mark("pending") == 0 && jprof_tag_set("pending", "yes") == 0 &&
		jprof_thread_value("wall", &value) == 0 && jprof_snapshot("pending") == 0 &&
		(*env)->ExceptionCheck(env);
	(*env)->ExceptionClear(env);
	return right;
}

METHOD(jboolean, Inside_nativeCalls)(JNIEnv *env, jclass type)
{
	return jprof_is_recording() == 1 && jprof_version() && jprof_mark("native") == 0 &&
	       jprof_mark(NULL) == -1 && jprof_thread_value(NULL, NULL) == -1 &&
	       while_pending(env) && jprof_tag_set("pending", NULL) == 0 && tags_are_right();
}
