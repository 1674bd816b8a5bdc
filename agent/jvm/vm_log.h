/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * vm_log: lines of the JVM's own log, of chosen tags, while the application runs.
 *
 * The JVM writes what -Xlog would write into a file of this process's memory (memfd_create(2)), which it is told of by its
 * diagnostic command VM.log; so its user's own -Xlog stays as it is, and no line is ever waited for. A thread of jprof's reads
 * the lines as they come and gives what was read back to the system.
 *
 * In:   HotSpot's management interface (JVM_GetManagement, jmm.h), which runs diagnostic commands.
 * Out:  lines, on the thread `jprof log`, in the order in which the JVM wrote them.
 * Owns: an output of the JVM's log, a descriptor, a thread; all are gone once it is closed.
 * Bounds: what waits to be read has VM_LOG_WAITING bytes at most; more is left out, and counted.
 */
#ifndef JPROF_VM_LOG_H
#define JPROF_VM_LOG_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/jvm/log_lines.h"
#include "error/error.h"

enum { VM_LOG_WAITING = 64 * 1024 * 1024 };

struct vm_log; /* created by vm_log_open, destroyed by vm_log_close */

/* Calls take(argument, line) from now on, on a thread of its own. what: as VM.log has it, "gc=info,safepoint=info"; up to NULL:
 * the first that this JVM knows the tags of. Runs on a Java thread, no exception pending, in the live phase. 0, or a negative code
 * with error filled. */
int vm_log_open(struct vm_log **log, JNIEnv *jni, const char *const *what, log_line_taker take,
	void *argument, struct error *error);

/* The place in what of vm_log_open that the JVM took. */
unsigned vm_log_chosen(const struct vm_log *log);

/* What was not told: bytes that nobody had time to read, lines of another form. */
struct vm_log_losses {
	uint64_t bytes, strange;
};

/* The JVM stops writing; what it wrote before is taken, then take is called no more. jni NULL: the JVM ends, and runs no commands;
 * its output stays. False: somebody else had switched the output off before, jcmd VM.log disable perhaps, so that lines may be
 * missing. *losses: of all the time. */
bool vm_log_close(struct vm_log *log, JNIEnv *jni, struct vm_log_losses *losses);

/* What the JVM's diagnostic command answers, owned (free); NULL: it cannot be run, and error is filled. As vm_log_open. */
char *vm_command(JNIEnv *jni, const char *command, struct error *error);

#endif
