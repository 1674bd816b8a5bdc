/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * turn: commands that begin, use or end a recording, one at a time.
 *
 * A command waits for its turn half a second at most: while classes are retransformed Java code of
 * the application may run, and wait for the thread that wants the turn. The end of the process waits
 * longer: when it returns the process is gone.
 */
#ifndef JPROF_TURN_H
#define JPROF_TURN_H

#include <jni.h>
#include <stdbool.h>

#include "error/error.h"

/* How long it is waited for, in ms. */
enum turn_patience { TURN_SOON = 500, TURN_LAST = 30000 };

/* False: another command is under way, and did not end. True: turn_give must follow. */
bool turn_take(enum turn_patience ms);
void turn_give(void);

/* In a turn: the JVM ends, no command may come any more. */
void turn_close(void);
bool turn_is_closed(void);

/* Calls action in its turn, on the calling thread, which becomes one of the JVM's for that time and has
 * its events turned away. 0, action's negative code, or one of its own: -ERROR_BUSY, -ERROR_JVM. */
int turn_do(int (*action)(JNIEnv *jni, void *argument, struct error *error), void *argument,
	struct error *error);

#endif
