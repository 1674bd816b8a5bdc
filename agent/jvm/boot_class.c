/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* boot_class: see boot_class.h. */
#include "agent/jvm/boot_class.h"

jclass boot_class_define(
	JNIEnv *jni, const char *internal, const char *bytes, size_t size, struct error *error)
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
/* clang-format off */
static const char registrar_class[] = BOOT_CLASS_HEAD "\0\14"
	/* 1 */ TEXT("\17", "jprof/Registrar") CLASS("\1")
	/* 3 */ TEXT("\20", "java/lang/Object") CLASS("\3")
	/* 5 */ TEXT("\4", "call") TEXT("\2", "go") TEXT("\3", "()V") TEXT("\4", "Code")
	/* 9 */ NAME_AND_TYPE("\6", "\7") METHOD_REFERENCE("\2", "\11") TEXT("\0", "")
	FINAL_CLASS("\x30", "\2", "\4") "\0\2" /* methods */
	NATIVE("\x01\x08", "\6", "\7")
	/* call: no stack, no locals, 4 bytes of code: invokestatic go; return */
	"\0\x08" "\0\5" "\0\7" "\0\1" "\0\10" "\0\0\0\20" "\0\0" "\0\0" "\0\0\0\4"
	"\xb8\0\12" "\xb1" "\0\0" NO_ATTRIBUTES
	NO_ATTRIBUTES;
/* clang-format on */

/* The class with its native method; a global reference, kept for good. */
static jclass registrar(JNIEnv *jni, struct error *error)
{
	static jclass class;
	static const JNINativeMethod native = {(char *)"go", (char *)"()V", (void *)go};

	if (class)
		return class;
	class = boot_class_define(
		jni, "jprof/Registrar", registrar_class, sizeof(registrar_class) - 1, error);
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

	(*jni)->ExceptionClear(jni);
	*function = (void *)go;
	return method;
}
