/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jvm: the JVM, as the rest of the agent sees it.
 *
 * Every JVMTI function that jprof uses is called in jvm.c and nowhere else, with its errors
 * turned into a return value and its memory given back.
 * Runs: on attached threads, with no lock of jprof held.
 */
#ifndef JPROF_JVM_H
#define JPROF_JVM_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#include "error/error.h"

struct jvm {
	JavaVM *vm;
	jvmtiEnv *jvmti;
};

/* What can be asked for. Method events can be had in the on-load phase only. */
enum jvm_capability {
	JVM_METHOD_EVENTS = 1,   /* method entry and exit */
	JVM_VM_OBJECT_EVENTS = 2 /* objects that the JVM allocates by itself */
};

struct jvm_thread {
	int64_t java_id; /* Thread.threadId(), 0 if it cannot be read */
	char name[256];  /* UTF-8, cut at a character */
};

struct jvm_method {
	char *class_name; /* Java name; owned */
	char *name, *signature; /* owned */
	bool is_native, is_static;
	bool is_jdk; /* defined by the boot or the platform class loader, or by reflection */
};

/* Opens a JVMTI environment of jprof's own. */
int jvm_open(struct jvm *jvm, JavaVM *vm, struct error *error);

/* capabilities: enum jvm_capability, joined by |. */
int jvm_add_capabilities(struct jvm *jvm, unsigned capabilities, struct error *error);
int jvm_set_callbacks(
	struct jvm *jvm, const jvmtiEventCallbacks *callbacks, struct error *error);
int jvm_enable(struct jvm *jvm, jvmtiEvent event, bool on, struct error *error);

/* Enables an event that only some JVMs have; false: this one does not. Live phase. */
bool jvm_enable_extension(struct jvm *jvm, const char *id, jvmtiExtensionEvent callback);

/* What has to be looked up once the JVM can run Java code (the VMInit callback): the platform
 * class loader, the field that holds a thread's id. */
int jvm_learn(struct jvm *jvm, JNIEnv *jni, struct error *error);

/* The calling thread, a local reference, or NULL. */
jthread jvm_current_thread(struct jvm *jvm);

/* thread NULL: the calling one. False if it is no longer there. */
bool jvm_describe_thread(
	struct jvm *jvm, JNIEnv *jni, jthread thread, struct jvm_thread *out);

/* The calling thread's frames, innermost first. Returns how many were stored in *frames, an
 * owned array (free), or -1 when there is no memory. */
int jvm_stack(struct jvm *jvm, jvmtiFrameInfo **frames);

/* All that is known of a method; jvm_method_fini gives it back. False without memory, or
 * when the method is gone. */
bool jvm_describe_method(
	struct jvm *jvm, JNIEnv *jni, jmethodID method, struct jvm_method *out);
void jvm_method_fini(struct jvm_method *method);

/* A system property's value, owned (free), or NULL. */
char *jvm_property(struct jvm *jvm, const char *name);

#endif
