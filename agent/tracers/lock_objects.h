/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * lock_objects: what threads wait for, by numbers.
 *
 *   object --> its identity hash code --> rows that have it --> the one whose weak reference is the object
 *
 * An object has a row of its own as soon as it is worth one; before that, and where there is no room, its waits are its
 * class's, which has a row, too. Threads that wait for nothing that has a name share row 1.
 *
 * Owns: weak global references, from open to close. A row stays when its object has gone.
 * Runs: lock_object in any Java thread, without locks but for a new row; put on the writer's thread.
 */
#ifndef JPROF_LOCK_OBJECTS_H
#define JPROF_LOCK_OBJECTS_H

#include <jni.h>
#include <stdbool.h>

#include "profile/profile_write.h"

/* bytes: for all rows. 0, or -1 without memory. */
int lock_objects_open(uint64_t bytes);
void lock_objects_close(JNIEnv *jni);

/* The object's row; apart: it is worth one, else it gets one if it was seen lately. NULL: the row of what has no name. 0: there
 * is no memory. */
uint32_t lock_object(JNIEnv *jni, jobject object, bool apart);

/* Puts new rows. */
int lock_objects_put(struct profile_writer *profile, struct error *error);
void lock_objects_put_done(bool kept);

/* The class and number of a row. False: there is none such. */
bool lock_objects_name(uint32_t id, const char **class_name, int64_t *number);

/* How many waits of objects went to their class for want of room. */
uint64_t lock_objects_unnamed(void);

#endif
