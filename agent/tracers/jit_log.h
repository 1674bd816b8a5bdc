/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jit_log: what the JVM's log says of its compilers, line by line.
 *
 * In:  lines with the tags of jit_log_selections, of one JVM, in the order in which they were written.
 * Out: a row for each compilation when it has ended, for code that is used no more, and (JDK 25) for each trap: a thread
 *      that left compiled code, as what this was compiled for did not hold.
 *
 *   jit,compilation    65       3       java.lang.String::checkIndex (10 bytes)
 *                      id  flags level  method               its bytecode
 *   nmethod,install    Installing method (3) java.lang.String.checkIndex(II)V
 *   jit,compilation    25       3       java.lang.String::length (11 bytes)   made not entrant: not used
 *   deoptimization     cid=  48     level=4 java.lang.Foo.bar(I)S trap_bci=4 unstable_if reinterpret pc=...
 *
 * A compilation lasts from its first line to the one that says that its code is installed, on the same thread.
 * Runs: on one thread, no locks. Lines that are of none of these forms are passed over.
 */
#ifndef JPROF_JIT_LOG_H
#define JPROF_JIT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/jvm/log_lines.h"
#include "profile/kinds.h"

enum { JIT_THREADS_MAX = 64 /* that compile at once */ };

#define JIT_NOT_KNOWN INT64_MIN

/* A method as the log names it: texts are borrowed. */
struct jit_method {
	const char *class_name, *name;
	const char *signature; /* NULL: the log does not say */
};

/* Times are CLOCK_MONOTONIC, ns. */
struct jit_compilation {
	uint32_t id;
	struct jit_method method;
	uint32_t
		level; /* 1 to 3 the first compiler, 4 the second; 0: a wrapper of a native method */
	uint64_t bytecodes; /* bytes; 0 of a native one */
	int64_t osr; /* the bytecode at whose loop it is entered; JIT_NOT_KNOWN: it begins at the method's begin */
	uint64_t began;
	int64_t ns;         /* JIT_NOT_KNOWN */
	const char *failed; /* why there is no code; borrowed; NULL: there is */
};

struct jit_deoptimization {
	enum deoptimization_kind kind;
	uint32_t id; /* of the compilation */
	struct jit_method method;
	uint32_t level;
	int64_t bytecode; /* where; JIT_NOT_KNOWN */
	uint64_t at;
	const char *reason, *action; /* borrowed; NULL: the log does not say */
};

struct jit_log_taker {
	void (*compilation)(void *argument, const struct jit_compilation *compilation);
	void (*deoptimization)(void *argument, const struct jit_deoptimization *deoptimization);
	void *argument;
};

/* For the command VM.log: the first that the JVM knows; up to NULL. */
extern const char *const jit_log_selections[];

struct jit_log; /* created, destroyed */

/* NULL without memory. The taker is copied. */
struct jit_log *jit_log_create(const struct jit_log_taker *taker);
void jit_log_destroy(struct jit_log *log);

void jit_log_line(struct jit_log *log, const struct log_line *line);

/* Compilations that began and whose end was not seen, as there were too many threads, or no memory. */
uint64_t jit_log_forgotten(const struct jit_log *log);

#endif
