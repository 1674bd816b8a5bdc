/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * native_methods: native methods of included classes, which have no code to put probes into.
 *
 *   compiled or interpreted caller --> thunk --> native_thunk_enter
 *                                           --> the function that was to be bound
 *                                           --> native_thunk_exit
 *
 * When the JVM binds such a method to its function (JVMTI specification, "Native Method
 * Bind"), it is bound to a thunk of a fixed pool instead (arch/<cpu>/native_thunks.S). The other
 * way, a native-method prefix, would give the class a second method, which reflection shows,
 * take the modifier `native` from the first, and could not be used on loaded classes.
 *
 * Left alone: what was bound before jprof came; methods that the compilers replace by code of
 * their own; what the pool is too small for.
 */
#ifndef JPROF_NATIVE_METHODS_H
#define JPROF_NATIVE_METHODS_H

#include <jvmti.h>

#include "metric/metric.h"

/* Before the event is enabled. */
void native_methods_init(enum metric_shape shape);

/* The JVMTI event. */
void JNICALL native_methods_bind(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
	jmethodID method, void *address, void **new_address);

#endif
