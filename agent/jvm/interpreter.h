/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * interpreter: where in memory the JVM's interpreter is.
 *
 * HotSpot announces the code it generates (JVMTI specification, "Dynamic Code Generated"); its
 * interpreter is one stretch of the name "Interpreter". A Java frame whose return address lies
 * there is interpreted, every other one is jitted.
 */
#ifndef JPROF_INTERPRETER_H
#define JPROF_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Written once, before the first probe is called. */
extern struct interpreter {
	uintptr_t begin;
	size_t size; /* 0: not known */
} interpreter;

/* A DynamicCodeGenerated event. */
void interpreter_learn(const char *name, const void *address, size_t size);

static inline bool interpreter_has(const void *address)
{
	return (uintptr_t)address - interpreter.begin < interpreter.size;
}

#endif
