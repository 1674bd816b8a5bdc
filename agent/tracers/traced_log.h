/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * traced_log: the JVM's log (agent/jvm/vm_log.h) as a trace reads it, each time that it is on: what was lost is summed up,
 * and told.
 *
 * Runs: on and off as tracers.h says; facts on the writer's thread.
 */
#ifndef JPROF_TRACED_LOG_H
#define JPROF_TRACED_LOG_H

#include <stdatomic.h>

#include "agent/jvm/vm_log.h"
#include "profile/fact.h"

/* Static, the first member given. */
struct traced_log {
	const char *trace;  /* its name */
	struct vm_log *log; /* NULL: it is off */
	/* Of the session so far. */
	_Atomic uint64_t unread_bytes, strange_lines;
	_Atomic bool silenced; /* somebody else has switched the JVM's output off */
};

/* As vm_log_open. */
int traced_log_on(struct traced_log *log, JNIEnv *jni, const char *const *what,
	log_line_taker take, void *argument, struct error *error);

/* Behind it no line is told any more. jni as of vm_log_close. False: it was not on. */
bool traced_log_off(struct traced_log *log, JNIEnv *jni);

/* TRACE.unread_bytes, TRACE.strange_lines, TRACE.silenced, where there is something to tell. */
void traced_log_facts(const struct traced_log *log, fact_put put, void *argument);

/* A recording has ended, and it is off. */
void traced_log_forget(struct traced_log *log);

#endif
