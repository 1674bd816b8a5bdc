/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * boot_class: classes of jprof's own in the boot loader, written down byte by byte: a Java
 * compiler for three classes of a few native methods would be one more thing to have at build
 * time. The words below are those of the JVM specification, chapter 4.
 */
#ifndef JPROF_BOOT_CLASS_H
#define JPROF_BOOT_CLASS_H

#include <jni.h>
#include <stddef.h>

#include "error/error.h"

/* Magic number, version 52 (Java 8). */
#define BOOT_CLASS_HEAD "\xca\xfe\xba\xbe\0\0\0\x34"

/* Constants (section 4.4). Lengths and indices are a byte each, as strings. */
#define TEXT(length, text)              "\1\0" length text
#define CLASS(name)                     "\7\0" name
#define METHOD_REFERENCE(class, type)   "\12\0" class "\0" type
#define NAME_AND_TYPE(name, descriptor) "\14\0" name "\0" descriptor

/* The class itself (section 4.1) without interfaces, fields and attributes; flags: final, super
 * and synthetic (0x1030), and others joined to the second byte. */
#define FINAL_CLASS(flags, self, super)                                                        \
	"\x10" flags "\0" self "\0" super "\0\0"                                               \
	"\0\0"
#define NO_ATTRIBUTES "\0\0"

/* A native static method (section 4.6); flags: "\x01\x08", public (1) and synthetic (0x1000)
 * joined. */
#define NATIVE(flags, name, descriptor) flags "\0" name "\0" descriptor NO_ATTRIBUTES

/* Defines the class in the boot loader, or finds it there. A global reference, or NULL with
 * error filled. On a Java thread without pending exception. */
jclass boot_class_define(
	JNIEnv *jni, const char *internal, const char *bytes, size_t size, struct error *error);

/* Gives native methods of any class their functions, silently. HotSpot warns on standard output
 * when RegisterNatives is called for a class of a named module of the boot or platform loader,
 * unless the calling Java code is of the same loader (jni.cpp, jni_RegisterNatives). So a
 * native method calls it that a Java method of a boot class calls, which is in the loader's
 * unnamed module:
 *
 *   boot_class_register --> jprof.Registrar.call() --> go(), native --> RegisterNatives
 *
 * On a Java thread without pending exception, without locks. 0, or a negative code. */
int boot_class_register(JNIEnv *jni, jclass class, const JNINativeMethod *method, int count,
	struct error *error);

/* A native method and its function: they tell where the JVM keeps that. NULL: there is none. On
 * a Java thread without pending exception. */
jmethodID boot_class_example(JNIEnv *jni, const void **function);

#endif
