/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * writer: the agent's own thread, which keeps the profile file up to date.
 *
 * In:   the trace (trace_visit), names of methods and facts (struct writer_source).
 * Out:  profile/profile_write. Only what changed since the last flush is written.
 * Owns: its thread, a plain one: all signals blocked, unknown to the JVM.
 * Runs: a flush on its own thread; the last one on the thread that calls writer_finish.
 */
#ifndef JPROF_WRITER_H
#define JPROF_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/trace/trace.h"
#include "error/error.h"
#include "profile/profile_write.h"

struct writer; /* created by writer_start, destroyed by writer_finish */

/* Where names and facts come from; copied by writer_start. */
struct writer_source {
	/* Ids in use are PROFILE_METHOD_FIRST .. methods_end() - 1, with a record each. */
	uint32_t (*methods_end)(void);
	const struct profile_method *(*method)(uint32_t id);
	/* Calls put(put_argument, key, value) for every fact of the meta table; final: the last
	 * flush. Called in every flush, in the thread that flushes. */
	void (*facts)(void *argument, bool final,
		void (*put)(void *put_argument, const char *key, const char *value),
		void *put_argument);
	/* Calls put for files and connections, those that are new or changed since the last
	 * call, or all, with times from began (ns of CLOCK_MONOTONIC) on. 0, or put's negative
	 * code. NULL: there are none. */
	int (*files)(uint64_t began, bool all,
		int (*put)(void *put_argument, const struct profile_file *file),
		void *put_argument);
	void *argument;
};

/* Creates the profile and starts the thread. 0, or a negative code with error filled
 * (-ERROR_BUSY: a live process writes that file). */
int writer_start(struct writer **writer, struct trace *trace,
	const struct writer_source *source, const struct metric_set *metrics, const char *path,
	uint64_t flush_seconds, struct error *error);

/* Stops the thread, flushes for the last time, closes the file. 0, or a negative code: the
 * file then holds what was flushed before; that is said on standard error, unless a failed
 * flush was said before. NULL is allowed. In a forked child (another pid)
 * nothing is touched. */
int writer_finish(struct writer *writer, struct error *error);

#endif
