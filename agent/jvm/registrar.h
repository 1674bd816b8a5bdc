/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * registrar: gives native methods of the JDK's own classes their functions, silently.
 *
 * HotSpot warns on standard output when RegisterNatives is called for a class of a named
 * module of the boot or platform loader, unless the calling Java code is of the same loader
 * (jni.cpp, jni_RegisterNatives). So the call is made by a native method that a Java method of
 * a boot class calls:
 *
 *   registrar_register --> jprof.Registrar.call() --> go(), native --> RegisterNatives
 *
 * The class itself is in the boot loader's unnamed module, which HotSpot does not watch.
 */
#ifndef JPROF_REGISTRAR_H
#define JPROF_REGISTRAR_H

#include <jni.h>

#include "error/error.h"

/* On a Java thread without pending exception, without locks. 0, or a negative code. */
int registrar_register(JNIEnv *jni, jclass class, const JNINativeMethod *method, int count,
	struct error *error);

/* A native method, and the function that it has: from it can be learnt where the JVM keeps
 * that. NULL: there is none. On a Java thread without pending exception. */
jmethodID registrar_example(JNIEnv *jni, const void **function);

#endif
