/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * native_methods: native methods of included classes, which have no code to put probes into.
 *
 *   compiled or interpreted caller --> thunk --> native_thunk_enter
 *                                           --> the function that was to be bound
 *                                           --> native_thunk_exit
 *
 * When the JVM binds such a method to its function (JVMTI specification, "Native Method Bind"),
 * it is bound to a thunk of a fixed pool instead (arch/<cpu>/native_thunks.S). A native-method
 * prefix would give the class a second method, which reflection shows, take the modifier
 * `native` from the first, and could not be used on loaded classes.
 *
 * What was bound before is found where the JVM keeps it (agent/jvm/native_function.h), and the
 * thunk registered in its place. It need not be the function that the method's library exports
 * for it.
 *
 * Left alone: methods that the compilers replace by code of their own; those bound to the JVM's
 * own functions before jprof came; what the pool is too small for.
 */
#ifndef JPROF_NATIVE_METHODS_H
#define JPROF_NATIVE_METHODS_H

#include <jvmti.h>
#include <stdbool.h>

#include "agent/jvm/jvm.h"
#include "metric/metric.h"

/* The thunks' calls are recorded with metric sets of that shape, in that timing: set while
 * nothing is recorded, whether or not the next session wraps methods. */
void native_methods_use(enum metric_shape shape, bool precise);

/* Methods that are bound are wrapped from now on. Learns where the JVM keeps what they are
 * bound to. */
void native_methods_begin(JNIEnv *jni);

/* The method's calls, where they are wrapped, are from now on seen as its kind says (call_kinds.h). */
void native_methods_change(uint32_t method);

/* A session has left: calls of wrapped methods that no other wants are not seen any more. Their thunks stay until the end. As
 * native_methods_take_noted. */
void native_methods_renew(JNIEnv *jni);

/* They are not any more, and those that are wrapped are bound to their own functions again,
 * where possible; thunks that stay do nothing but call. Waits for the binding under way: false,
 * if that does not end. As native_methods_take_noted. */
bool native_methods_end(JNIEnv *jni);

/* The JVM binds the method to the function: the one to bind it to. */
void *native_methods_bind(
	JNIEnv *jni, jmethodID method, const struct jvm_method *description, void *function);

/* Wraps the bound native methods of a class. Its next version inherits what they are bound to,
 * but compiled code of other classes may go on calling what was compiled for the version
 * before: so this comes before that. As native_methods_take_noted. */
void native_methods_take(JNIEnv *jni, jclass class);

/* The class, which was loaded before, has native methods to be wrapped, which may be bound
 * already. On any thread. */
void native_methods_note(JNIEnv *jni, jclass class);

/* Wraps the bound native methods of the classes noted until now. On a Java thread, without
 * locks, with the event enabled. Not by two threads at once. */
void native_methods_take_noted(JNIEnv *jni);

#endif
