/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * class_loaders: class loaders that were seen, each a small number, with what is counted of their classes.
 *
 * Owns: a weak reference to each that lives. Beyond CLASS_LOADERS_MAX new ones share LOADER_OTHERS.
 * Runs: on any Java thread without pending exception; put on the writer's.
 */
#ifndef JPROF_CLASS_LOADERS_H
#define JPROF_CLASS_LOADERS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

#include "profile/profile_write.h"

enum { LOADER_BOOT = 1, LOADER_OTHERS = 2, CLASS_LOADERS_MAX = 16384 };

enum loader_count { LOADER_BEFORE, LOADER_LOADED, LOADER_UNLOADED, LOADER_COUNTS };

/* The number of a loader; NULL: the boot loader. */
uint32_t class_loader_number(JNIEnv *jni, jobject loader);

/* One class more. */
void class_loader_count(uint32_t loader, enum loader_count what);

/* Looks which of them are gone. */
void class_loaders_look(JNIEnv *jni);

/* True if it is, by the last look. */
bool class_loader_is_gone(uint32_t loader);

/* Puts those that have changed. 0, or a negative code. With kept false all are put the next time. */
int class_loaders_put(struct profile_writer *profile, struct error *error);
void class_loaders_done(bool kept);

/* jni NULL: references are left. */
void class_loaders_forget(JNIEnv *jni);

#endif
