/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * deadlocks: threads that wait for each other in a circle.
 *
 * Of threads of the system the JVM tells at that moment what each one waits for, and who holds it: monitors, and locks of
 * java.util.concurrent by the blocker of a parked thread; no trace need be on. Of virtual threads the trace `locks` has whom
 * each one waited for as its wait began.
 *
 * Runs: on a Java thread, without locks. Each thread that waits costs a stop of all threads, some 0.1 ms.
 */
#ifndef JPROF_DEADLOCKS_H
#define JPROF_DEADLOCKS_H

#include <jansson.h>
#include <jni.h>

#include "error/error.h"

enum { DEADLOCK_LINE = 200 };

/* An array, a circle each: an array of objects {"thread", "id", "virtual", "class", "number", "holder"}, each of which waits
 * for the next one. say: called with each circle in one line, "thread-a -> thread-b -> thread-a"; may be NULL. 0, or a
 * negative code. */
int deadlocks_find(JNIEnv *jni, json_t **circles, void (*say)(void *user, const char *line),
	void *user, struct error *error);

#endif
