/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sampled: the native methods of Sampled: loops of known numbers of instructions, and a counter of the
 * thread's own.
 */
#include <jni.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static int counter = -1;

static void JNICALL count(JNIEnv *env, jclass class)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
	};

	counter = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (counter < 0)
		(*env)->FatalError(env, "no counter");
}

static jlong JNICALL counted(JNIEnv *env, jclass class)
{
	uint64_t value;

	if (read(counter, &value, sizeof(value)) != sizeof(value))
		(*env)->FatalError(env, "cannot read the counter");
	return (jlong)value;
}

/* So many turns of two instructions. Each of the methods has a loop of its own. */
#define LOOP(turns)                                                                            \
	__asm__ volatile("1:	subs	%0, %0, #1\n"                                                \
			 "	b.ne	1b\n"                                                          \
			 : "+r"(turns)                                                         \
			 :                                                                     \
			 : "cc")

static void JNICALL spin_short(JNIEnv *env, jclass class, jlong turns)
{
	LOOP(turns);
}

static void JNICALL spin(JNIEnv *env, jclass class, jlong turns)
{
	LOOP(turns);
}

static void JNICALL spin_long(JNIEnv *env, jclass class, jlong turns)
{
	LOOP(turns);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
	const JNINativeMethod methods[] = {
		{"count", "()V", (void *)count},
		{"counted", "()J", (void *)counted},
		{"spinShort", "(J)V", (void *)spin_short},
		{"spin", "(J)V", (void *)spin},
		{"spinLong", "(J)V", (void *)spin_long},
	};
	JNIEnv *env;
	jclass class;

	if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK)
		return JNI_ERR;
	class = (*env)->FindClass(env, "Sampled");
	if (!class || (*env)->RegisterNatives(
			      env, class, methods, sizeof(methods) / sizeof(*methods)) != 0)
		return JNI_ERR;
	return JNI_VERSION_10;
}
