/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * hotspot: what only this JVM knows, read from its own description of itself.
 *
 * HotSpot exports a table of its fields for debuggers, gHotSpotVMStructs (vmStructs.hpp).
 * From it come the places of a thread's allocation counters:
 *
 *   JNIEnv of a thread - constant = JavaThread        (the constant is learnt from one thread
 *                                                      whose JavaThread is known by the field
 *                                                      `eetop` of java.lang.Thread)
 *   JavaThread + Thread::_allocated_bytes             bytes of all closed buffers
 *   JavaThread + Thread::_tlab + ::_start, ::_top     the buffer in use
 *
 * Without the table the JVM's management interface is asked instead (JVM_GetManagement,
 * jmm.h), slower; without both, `alloc` does not exist.
 */
#ifndef JPROF_HOTSPOT_H
#define JPROF_HOTSPOT_H

#include <jvmti.h>

#include "agent/jvm/jvm.h"
#include "metric/alloc.h"

enum hotspot_alloc { HOTSPOT_ALLOC_NONE, HOTSPOT_ALLOC_MANAGEMENT, HOTSPOT_ALLOC_FIELDS };

/* In the on-load phase: which way there seems to be. */
enum hotspot_alloc hotspot_probe(void);

/* Once Java code can run, on a Java thread: settles the way, and proves it by an array of known
 * size. What it returns may be less than hotspot_probe promised. */
enum hotspot_alloc hotspot_learn(JNIEnv *jni);

/* Where in memory the interpreter is, written before the first probe is called. HotSpot
 * announces the code it generates (JVMTI specification, "Dynamic Code Generated"); its
 * interpreter is one piece of the name "Interpreter". A Java frame that returns there is
 * interpreted, all others are jitted. */
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

/* A function that the JVM's library exports, or NULL. */
void *hotspot_function(const char *name);

/* Where the JVM has a static field that it tells debuggers of; NULL: it does not. */
void *hotspot_static(const char *type, const char *field);

/* The path of the JVM's library, borrowed; NULL: not known. */
const char *hotspot_library_path(void);

/* The JVM's struct of the calling thread, a Java one; 0: not known. */
uintptr_t hotspot_current_thread(JNIEnv *jni);

/* The same of any thread. */
uintptr_t hotspot_thread_of(JNIEnv *jni, jthread thread);

/* Where a field of a boot class is in its objects, by the JDK's own Unsafe; 0: there is none. */
uint32_t hotspot_field_offset(JNIEnv *jni, const char *class_name, const char *field);

/* True if references in objects have 32 bits. */
bool hotspot_references_are_narrow(JNIEnv *jni);

/* Where the calling thread's allocation counters are. */
struct alloc_source hotspot_alloc_source(JNIEnv *jni);

#endif
