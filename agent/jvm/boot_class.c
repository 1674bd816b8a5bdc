/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* boot_class: see boot_class.h. */
#include "agent/jvm/boot_class.h"

jclass boot_class_define(JNIEnv *jni, const char *internal, const unsigned char *bytes,
	size_t size, struct error *error)
{
	jclass class =
		(*jni)->DefineClass(jni, internal, NULL, (const jbyte *)bytes, (jsize)size);
	jclass global = NULL;

	if ((*jni)->ExceptionCheck(jni)) {
		(*jni)->ExceptionClear(jni);
		class = (*jni)->FindClass(jni, internal);
	}
	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	else if (class)
		global = (*jni)->NewGlobalRef(jni, class);
	(*jni)->DeleteLocalRef(jni, class);
	if (!global)
		error_set(error, ERROR_JVM, "the JVM refused the class '%s'", internal);
	return global;
}

/* ---- the registrar ---- */

/* What go() is to do; set by the thread that calls it. */
static __thread struct {
	jclass class;
	const JNINativeMethod *method;
	jint count;
	jint result;
} order;

static void JNICALL go(JNIEnv *jni, jclass registrar)
{
	order.result = (*jni)->RegisterNatives(jni, order.class, order.method, order.count);
}

/*
 * package jprof;
 * final class Registrar {
 *         static void call() { go(); }
 *         static native void go();
 * }
 */
static const unsigned char registrar_class[] = {BOOT_CLASS_HEAD, U2(12),
	/* 1 */ UTF8(15), 'j', 'p', 'r', 'o', 'f', '/', 'R', 'e', 'g', 'i', 's', 't', 'r', 'a',
	'r',
	/* 2 */ CLASS(1),
	/* 3 */ UTF8(16), 'j', 'a', 'v', 'a', '/', 'l', 'a', 'n', 'g', '/', 'O', 'b', 'j', 'e',
	'c', 't',
	/* 4 */ CLASS(3),
	/* 5 */ UTF8(4), 'c', 'a', 'l', 'l',
	/* 6 */ UTF8(2), 'g', 'o',
	/* 7 */ UTF8(3), '(', ')', 'V',
	/* 8 */ UTF8(4), 'C', 'o', 'd', 'e',
	/* 9 */ NAME_AND_TYPE(6, 7),
	/* 10 */ METHOD_REFERENCE(2, 9),
	/* 11 */ UTF8(0), U2(ACC_FINAL | ACC_SUPER | ACC_SYNTHETIC), U2(2), U2(4), U2(0), U2(0),
	U2(2),
	/* go */
	U2(ACC_STATIC | ACC_NATIVE), U2(6), U2(7), U2(0),
	/* call: no stack, no locals, 4 bytes of code: invokestatic go; return */
	U2(ACC_STATIC), U2(5), U2(7), U2(1), U2(8), U4(16), U2(0), U2(0), U4(4), 0xb8, U2(10),
	0xb1, U2(0), U2(0), U2(0)};

/* The class with its native method; a global reference, kept for good. */
static jclass registrar(JNIEnv *jni, struct error *error)
{
	static jclass class;
	static const JNINativeMethod native = {(char *)"go", (char *)"()V", (void *)go};

	if (class)
		return class;
	class = boot_class_define(
		jni, "jprof/Registrar", registrar_class, sizeof(registrar_class), error);
	if (class && (*jni)->RegisterNatives(jni, class, &native, 1)) {
		(*jni)->ExceptionClear(jni);
		class = NULL;
	}
	return class;
}

int boot_class_register(JNIEnv *jni, jclass class, const JNINativeMethod *method, int count,
	struct error *error)
{
	jclass caller = registrar(jni, error);
	jmethodID call = caller ? (*jni)->GetStaticMethodID(jni, caller, "call", "()V") : NULL;

	order.class = class;
	order.method = method;
	order.count = count;
	order.result = -1;
	if (call)
		(*jni)->CallStaticVoidMethod(jni, caller, call);
	if ((*jni)->ExceptionCheck(jni)) {
		(*jni)->ExceptionClear(jni);
		order.result = -1;
	}
	return order.result == 0 ? 0
				 : error_set(error, ERROR_JVM,
					   "the JVM refused functions for native methods");
}

jmethodID boot_class_example(JNIEnv *jni, const void **function)
{
	struct error error;
	jclass class = registrar(jni, &error);
	jmethodID method = class ? (*jni)->GetStaticMethodID(jni, class, "go", "()V") : NULL;

	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	*function = (void *)go;
	return method;
}
