/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * native_function: which function a native method is bound to.
 *
 * JVMTI tells that when a method is bound, and never again. HotSpot keeps the function right
 * behind the structure of the method (method.hpp, native_function_addr):
 *
 *   jmethodID --> Method* --> struct Method | native function | ...
 *                             <-- distance -->
 *
 * The distance is learnt from a method whose function is known. All is read by the kernel
 * (process_vm_readv): a JVM with another layout gives no answer, and no fault.
 */
#ifndef JPROF_NATIVE_FUNCTION_H
#define JPROF_NATIVE_FUNCTION_H

#include "agent/jvm/jvm.h"

enum native_binding {
	NATIVE_UNKNOWN, /* it cannot be told, or the function is in no library */
	NATIVE_JVM, /* a function of the JVM's own: so is, too, the one that binds the method
	                 * at its first call */
	NATIVE_BOUND
};

/* Learns the distance. On a Java thread, without pending exception, before other threads look
 * for functions. False: it is not to be found in this JVM, and every binding is unknown. */
bool native_function_learn(JNIEnv *jni);

/* *function is filled in for NATIVE_BOUND alone. The method's class must be held. */
enum native_binding native_function_find(jmethodID method, void **function);

/* Whatever function it is bound to, of the JVM's own, too; NULL: it cannot be told. */
void *native_function_now(jmethodID method);

/* Binds the method to the function. False: the JVM refuses. As native_function_learn. */
bool native_function_bind(
	JNIEnv *jni, jclass class, const struct jvm_method *method, void *function);

#endif
