/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * class_loading: whether the calling thread reads a file in order to load a class.
 *
 * The class path is read by Java code of the JDK, in the thread that needs a class: a class
 * loader's loadClass on the stack tells that from the application's own reading. To walk a
 * stack takes microseconds: only reading from files named like archives or classes is looked
 * at.
 */
#ifndef JPROF_CLASS_LOADING_H
#define JPROF_CLASS_LOADING_H

#include <jni.h>
#include <stdbool.h>

#include "agent/io/io_files.h"

/* On a Java thread, without pending exception. */
void class_loading_init(JNIEnv *jni);

/* false: from now on no difference is made. */
void class_loading_tell_apart(bool apart);

/* False: what is read from that file is not read to load classes. */
bool class_loading_may_read(struct io_ref file);

/* True if one of the thread's callers is a class loader that loads a class. stack: of the thread
 * (sampler_stack_key). */
bool class_loading_now(uint64_t stack);

#endif
