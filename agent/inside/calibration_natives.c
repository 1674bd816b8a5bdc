/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * calibration_natives: see calibration_natives.h.
 *
 * Runs: on Java threads, with and without probes around it.
 */
#include "agent/inside/calibration_natives.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/jvm/jvm.h"

enum { SLOTS = 1024, CALLEES = 8, THROWS = -1 };

struct callee {
	jmethodID method;
	jint slot; /* what it is called with */
	bool is_static;
};

/* What the native of a slot does. */
struct native {
	jclass type; /* global references */
	jobject self;
	jthrowable thrown;
	jint chain; /* steps of work before, between and behind the calls; THROWS */
	jint callee_count;
	struct callee callee[CALLEES];
};

/* Written once each. */
static struct native *_Atomic slots[SLOTS];

/* ---- what they do ---- */

/* Each needs the result of the one before. */
static jint work(jint chain, jint x)
{
	uint32_t value = (uint32_t)x;

	for (jint i = 0; i < chain; i++)
		value = (value ^ value >> 15) * 0x2c1b3c6du;
	return (jint)value;
}

/* The function of all of them. */
static jint JNICALL run(JNIEnv *jni, jobject class_or_self, jint slot, jint x)
{
	const struct native *native =
		(uint32_t)slot < SLOTS
			? atomic_load_explicit(&slots[slot], memory_order_acquire)
			: NULL;

	if (!native)
		return x;
	if (native->chain == THROWS) {
		(*jni)->Throw(jni, native->thrown);
		return x;
	}
	x = work(native->chain, x);
	for (jint i = 0; i < native->callee_count; i++) {
		const struct callee *callee = &native->callee[i];

		if (callee->is_static)
			x = (*jni)->CallStaticIntMethod(
				jni, native->type, callee->method, callee->slot, x);
		else
			x = (*jni)->CallIntMethod(
				jni, native->self, callee->method, callee->slot, x);
		if ((*jni)->ExceptionCheck(jni))
			return x;
		x = work(native->chain, x);
	}
	return x;
}

/* ---- binding ---- */

/* int NAME(int, int). Another class of the same name may ask for anything. */
static bool is_callable(JNIEnv *jni, jmethodID id)
{
	struct jvm_method method;
	bool callable;

	if (!id || !jvm_describe_method(jni, id, &method))
		return false;
	callable = strcmp(method.signature, "(II)I") == 0;
	jvm_method_fini(&method);
	return callable;
}

static bool take_callees(JNIEnv *jni, struct native *native, jobjectArray methods,
	jintArray callee_slots, jint statics)
{
	jint count = (*jni)->GetArrayLength(jni, methods), slot[CALLEES];

	if (count > CALLEES || (*jni)->GetArrayLength(jni, callee_slots) != count)
		return false;
	(*jni)->GetIntArrayRegion(jni, callee_slots, 0, count, slot);
	for (jint i = 0; i < count; i++) {
		jobject method = (*jni)->GetObjectArrayElement(jni, methods, i);

		native->callee[i] = (struct callee){
			.method = method ? (*jni)->FromReflectedMethod(jni, method) : NULL,
			.slot = slot[i],
			.is_static = statics >> i & 1,
		};
		(*jni)->DeleteLocalRef(jni, method);
		if (!is_callable(jni, native->callee[i].method))
			return false;
	}
	native->callee_count = count;
	return true;
}

static jboolean JNICALL bind(JNIEnv *jni, jclass natives, jclass type, jobject self,
	jthrowable thrown, jint slot, jstring name, jint chain, jobjectArray callees,
	jintArray callee_slots, jint statics)
{
	struct native *native, *none = NULL;
	JNINativeMethod method = {.signature = (char *)"(II)I", .fnPtr = (void *)run};
	const char *text;
	jboolean bound;

	if (!type || !self || !thrown || !name || !callees || !callee_slots)
		return JNI_FALSE;
	native = calloc(1, sizeof(*native));
	if (!native)
		return JNI_FALSE;
	native->chain = chain;
	native->type = (*jni)->NewGlobalRef(jni, type);
	native->self = (*jni)->NewGlobalRef(jni, self);
	native->thrown = (*jni)->NewGlobalRef(jni, thrown);
	if (native->type && native->self && native->thrown &&
		take_callees(jni, native, callees, callee_slots, statics) &&
		(uint32_t)slot < SLOTS &&
		atomic_compare_exchange_strong(&slots[slot], &none, native)) {
		/* The method of that name gets the function of all. */
		text = (*jni)->GetStringUTFChars(jni, name, NULL);
		method.name = (char *)text;
		bound = text && !(*jni)->RegisterNatives(jni, type, &method, 1);
		if (text)
			(*jni)->ReleaseStringUTFChars(jni, name, text);
		return bound;
	}
	(*jni)->DeleteGlobalRef(jni, native->type);
	(*jni)->DeleteGlobalRef(jni, native->self);
	(*jni)->DeleteGlobalRef(jni, native->thrown);
	free(native);
	return JNI_FALSE;
}

void calibration_natives_take(JNIEnv *jni, jclass class)
{
	static const JNINativeMethod native = {(char *)"bind0",
		(char *)"(Ljava/lang/Class;Ljava/lang/Object;Ljava/lang/Throwable;I"
			"Ljava/lang/String;I[Ljava/lang/reflect/Method;[II)Z",
		(void *)bind};

	if ((*jni)->RegisterNatives(jni, class, &native, 1))
		(*jni)->ExceptionClear(jni);
}
