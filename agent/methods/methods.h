/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * methods: a small integer for every method that was seen, and its names, kept for good.
 *
 * In:   the JVM's method handle (jmethodID), which dangles when a class is unloaded; or names.
 * Out:  a method_ref: the id used in trees and files, whether it is native, or that its calls
 *       are not recorded. Names live as long as the process.
 * Runs: look-ups on any thread without a lock (the table only grows: chains with atomic
 *       heads); a first sight takes LOCK_METHODS, after all JVMTI calls are done.
 */
#ifndef JPROF_METHODS_H
#define JPROF_METHODS_H

#include "agent/jvm/jvm.h"
#include "agent/methods/plan.h"
#include "profile/profile.h"

/* id << 1, joined with METHOD_REF_STATIC for static methods, METHOD_REF_NATIVE for native ones,
 * METHOD_REF_SCOPE for those that begin the session's scope, and METHOD_REF_WATCHED for those whose every
 * call is told of; 0: not included. Probes push it: what most methods have is in the low bits. */
typedef uint32_t method_ref;
#define METHOD_REF_STATIC   1u
#define METHOD_REF_NATIVE   0x80000000u
#define METHOD_REF_SCOPE    0x40000000u
#define METHOD_REF_WATCHED  0x04000000u /* below what native_methods.c joins to it */
#define METHOD_REF_EXCLUDED 0u

static inline uint32_t method_ref_id(method_ref ref)
{
	return (ref & ~(METHOD_REF_NATIVE | METHOD_REF_SCOPE | METHOD_REF_WATCHED)) >> 1;
}

static inline bool method_ref_is_static(method_ref ref)
{
	return ref & METHOD_REF_STATIC;
}

/* What the method is, by the plan (plan.h). The first time its names are asked from the JVM
 * (some microseconds); after that a look-up in a table (about 5 ns). Without memory a method is
 * not included, and counted in methods_lost. */
method_ref methods_find(JNIEnv *jni, jmethodID method);

/* The reference of the method of these names, which is in the plan, where there is no handle of
 * it. Its strings are taken if they are needed; jvm_method_fini as ever. */
method_ref methods_named(struct jvm_method *description, const struct planned *planned);

/* The id of a method whose frame was found on a stack, whether the plan knows it or not; its strings are
 * taken if they are needed. kind: METHOD_JAVA, or what else the frame is, which has no signature (NULL). file:
 * the source's name, copied; NULL: not known. 0 without memory. */
uint32_t methods_on_stack(
	struct jvm_method *description, enum method_kind kind, const char *file);

/* The same of a class (METHOD_CLASS), and of a method by its handle. */
uint32_t methods_of_class(jclass class);
uint32_t methods_of_class_of(JNIEnv *jni, jobject object);
uint32_t methods_of_handle(JNIEnv *jni, jmethodID method);

/* True if methods_named has given the method of these names an id. */
bool methods_known(const struct jvm_method *description);

/* Ids in use are METHOD_FIRST .. methods_end() - 1. */
uint32_t methods_end(void);

/* The record of an id in that range. Borrowed for good. */
const struct profile_method *methods_get(uint32_t id);

/* Which sessions want the method of that id, by the plan as it was when it was last asked about it. */
struct method_sessions methods_sessions(uint32_t id);

/* A session of that bit begins: none wants anything by it yet. */
void methods_forget_session(unsigned bit);

/* Changes when sessions want methods, or no more, that had an id before. */
uint32_t methods_sessions_edition(void);

/* Methods that could not be told apart because there was no memory. */
uint64_t methods_lost(void);

#endif
