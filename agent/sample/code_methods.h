/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * code_methods: ids and lines of the methods that compiled code is of, by the JVM's handles.
 *
 * A handle (jmethodID) is never another method's, but its bytecode may change (probes): with its size the
 * lines are asked for again.
 *
 * Owns: what was asked of each method, until code_methods_forget.
 * Runs: on any thread in which the handles are valid, with no lock held over a call of the JVM.
 */
#ifndef JPROF_CODE_METHODS_H
#define JPROF_CODE_METHODS_H

#include "agent/jvm/jvm.h"

/* What is known of a method; shared, with a count of its users. */
struct code_method {
	_Atomic uint32_t users;
	uint32_t id;    /* of agent/methods; 0: it has no name, for want of memory */
	uint64_t bytes; /* of bytecode */
	size_t lines;
	struct jvm_line *line; /* by bytecode; owned */
};

/* In use until it is given back. NULL: the method is gone, or no memory. */
struct code_method *code_method_take(JNIEnv *jni, jmethodID method);
void code_method_give(struct code_method *method);

/* The line of a bytecode; 0: not known. */
uint32_t code_method_line(const struct code_method *method, jint bytecode);

/* Gives all back that is not in use. */
void code_methods_forget(void);

#endif
