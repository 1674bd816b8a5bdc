/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * boot_class: classes of jprof's own in the boot loader, written down byte by byte.
 *
 * There are three, of a few native methods each; a Java compiler for them would be one more
 * thing to have at build time. The words below are those of the JVM specification, chapter 4.
 */
#ifndef JPROF_BOOT_CLASS_H
#define JPROF_BOOT_CLASS_H

#include <jni.h>
#include <stddef.h>

#include "error/error.h"

#define U2(n) (unsigned char)((n) >> 8), (unsigned char)(n)
#define U4(n) U2((n) >> 16), U2(n)

/* Magic number, version 52 (Java 8). */
#define BOOT_CLASS_HEAD 0xca, 0xfe, 0xba, 0xbe, U2(0), U2(52)

/* Constants (section 4.4). The bytes of a text follow its UTF8. */
#define UTF8(length)                    1, U2(length)
#define CLASS(name)                     7, U2(name)
#define METHOD_REFERENCE(class, type)   10, U2(class), U2(type)
#define NAME_AND_TYPE(name, descriptor) 12, U2(name), U2(descriptor)

/* Access flags (tables 4.1-B and 4.6-A). */
enum {
	ACC_PUBLIC = 0x0001,
	ACC_STATIC = 0x0008,
	ACC_FINAL = 0x0010,
	ACC_SUPER = 0x0020,
	ACC_NATIVE = 0x0100,
	ACC_SYNTHETIC = 0x1000
};

/* Defines the class in the boot loader, or finds it there, if it was defined before. A global
 * reference, or NULL with error filled. On a Java thread without pending exception. */
jclass boot_class_define(JNIEnv *jni, const char *internal, const unsigned char *bytes,
	size_t size, struct error *error);

/* Gives native methods of any class their functions, silently. HotSpot warns on standard output when
 * RegisterNatives is called for a class of a named module of the boot or platform loader, unless
 * the calling Java code is of the same loader (jni.cpp, jni_RegisterNatives). So it is called by
 * a native method that a Java method of a boot class calls:
 *
 *   boot_class_register --> jprof.Registrar.call() --> go(), native --> RegisterNatives
 *
 * That class itself is in the boot loader's unnamed module, which HotSpot does not watch. On a
 * Java thread without pending exception, without locks. 0, or a negative code. */
int boot_class_register(JNIEnv *jni, jclass class, const JNINativeMethod *method, int count,
	struct error *error);

/* A native method, and the function that it has: from it can be learnt where the JVM keeps
 * that. NULL: there is none. On a Java thread without pending exception. */
jmethodID boot_class_example(JNIEnv *jni, const void **function);

#endif
