/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof: what native code inside a profiled JVM may ask of the profiler. C and C++.
 *
 * The functions are exported by the agent library, libjprof.so, which a JVM loads without
 * global visibility. There are two ways to use this header:
 *
 *   #define JPROF_OPTIONAL            The program runs with and without the agent, and links to
 *   #include "jprof.h"                nothing (before glibc 2.34 to libdl). The functions are
 *                                     inline ones that look for the agent's; where no agent is
 *                                     loaded they return JPROF_ABSENT, jprof_version NULL, and
 *                                     jprof_is_recording 0. An agent that is loaded later is found
 *                                     within a second. Cost of a call without it: some ns; once a
 *                                     second, for each function and source file, a look for it
 *                                     (some 10 us).
 *
 *   #include "jprof.h"                Plain declarations, for who links to libjprof.so, or takes
 *                                     the functions by dlsym.
 *
 * Threads: every function may be called on any thread, attached to the JVM or not, at any time,
 * but not between GetPrimitiveArrayCritical and its release. What a call costs is charged to
 * no thread, but for those of start and stop. In a process that has no agent, or none any more
 * (`jprof detach`), all of them return -1, or 0 as jprof_is_recording does.
 * Failures: of start, stop, snapshot and reset a line on standard error tells the reason.
 * Texts: UTF-8, borrowed for the call.
 */
#ifndef JPROF_H
#define JPROF_H

#include <stdint.h>

#ifdef JPROF_OPTIONAL
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef JPROF_OPTIONAL
#define JPROF_API static inline
#else
#define JPROF_API
#endif

/* No agent is loaded: see above. */
#define JPROF_ABSENT (-2)

/* ---- the agent ---- */

/* The version of the agent that is loaded, as "MAJOR.MINOR.PATCH". Borrowed; stays valid as
 * long as the library is loaded. */
JPROF_API const char *jprof_version(void);

/* ---- recordings ---- */

/* Begins to record, with the options the agent was loaded with, as the session `program`; others
 * may record beside it (docs/sessions.md). When it returns, every loaded class that was chosen has
 * its probes. A recording after the first writes a profile of its own: the name gets a number
 * ("app.jprof", "app-2.jprof"). 0; or -1: that session records already, another command is under
 * way, or it cannot. Once the JVM runs Java code; not with a Java exception pending. */
JPROF_API int jprof_start(void);

/* The same with options over those: "key=value,key=value,...", or a JSON object (docs/options.md).
 * NULL or "": none. */
JPROF_API int jprof_start_with(const char *options);

/* Ends that session, or, where there is none, the only one that records: the profile is complete
 * when it returns, and, if nobody else records, the probes are out of the classes. 0; or -1: there
 * is no such session, or another command is under way. As jprof_start. */
JPROF_API int jprof_stop(void);

/* 1: something is being recorded, by whomever it was begun; it may end at any time. 0: nothing is. */
JPROF_API int jprof_is_recording(void);

/* ---- moments ---- */

/* Keeps a copy of all counts in the profile of that session, or, where there is none, of all that
 * record, under that label (at most 100 bytes, no control characters, no ".."; NULL: a number), for
 * reports of the time between two of them. Returns when it is in the file, which takes some
 * milliseconds or, with very large call trees, seconds. 0; or -1: there is that label already, it is
 * none, nothing is being recorded, or another start, stop, snapshot or reset is under way. */
JPROF_API int jprof_snapshot(const char *label);

/* Like a snapshot without a label, and reports begin here unless they are asked otherwise: those of
 * the session that jprof_stop would end. */
JPROF_API int jprof_reset(void);

/* The profile gets a mark: the name (200 bytes of it), the time, the calling thread. It is
 * written with the next flush; a call takes about a microsecond. 0; or -1: nothing is being
 * recorded, or name is NULL. */
JPROF_API int jprof_mark(const char *name);

/* ---- values ---- */

/* What the calling thread has used of a metric of the recording ("wall", "cpu", "alloc",
 * "instructions": as in the option `metrics`) since it began, or since the thread did: *value,
 * in the metric's unit (ns, bytes, a count). Only what reports show: not the time outside the
 * recording's scope, nor what jprof itself used in the thread. Less than a microsecond where the
 * metric is read without a system call.
 * 0; or -1, and *value is what it was: nothing is being recorded, the metric is not, or the
 * thread is not (the option `threads`, one that was not inside the scope yet, one that the JVM
 * does not know). In a virtual thread it is its own, on whichever carriers it ran. */
JPROF_API int jprof_thread_value(const char *metric, uint64_t *value);

/* The same of another thread, by its Thread.getId(), on any thread; of one that ended, too. Of a running thread it has what
 * can be seen from outside, as below. -1 also where the thread shares a row with others: virtual threads, unless the
 * recording has virtual=separate, and ended ones that were folded. */
JPROF_API int jprof_thread_value_of(
	int64_t java_thread_id, const char *metric, uint64_t *value);

/* The same of all threads of the recording, those that ended included: the sum of the totals that
 * a report would show now. It may be asked for on threads that are not recorded, too. Of other
 * running threads it has what can be seen from outside: their allocation is counted when they take
 * a new buffer (TLAB) from the heap, or at their next event. A microsecond or two for each live
 * thread. 0, or -1 as above. */
JPROF_API int jprof_total_value(const char *metric, uint64_t *value);

/* ---- whose work it is ---- */

/* What the calling thread does from now on has that tag: a key (1 to 64 bytes, no control characters, no '='; at most 64
 * different ones) and its value, of which the first 200 bytes count (the option parameter_length). NULL: it has no tag of that
 * key any more. Of a virtual thread it is its own. A thread that begins has none.
 * 0; or -1: nothing is being recorded, the thread is not, or it is no key. What was set before a recording began is not known in
 * it. */
JPROF_API int jprof_tag_set(const char *key, const char *value);

/* All tags that the thread has now, as a number to be handed to where its work goes on; -1 as above. */
JPROF_API int64_t jprof_tags(void);

/* The calling thread has those tags from now on, and no others; what it had before is what jprof_tags returned just before. 0; or -1,
 * and nothing has changed: as above, or the number is of another recording. */
JPROF_API int jprof_tags_use(int64_t tags);

/* ---- JPROF_OPTIONAL: finding them ---- */

#ifdef JPROF_OPTIONAL

struct jprof_found {
	void *function; /* NULL: not found yet */
	time_t missed;  /* when it was last looked for */
};

static inline void *jprof_find(struct jprof_found *found, const char *name)
{
	void *function = __atomic_load_n(&found->function, __ATOMIC_ACQUIRE), *agent;
	time_t now;
	int saved_errno;

	if (function)
		return function;
	now = time(NULL);
	if (__atomic_load_n(&found->missed, __ATOMIC_RELAXED) == now)
		return NULL;
	saved_errno = errno;
	agent = dlopen("libjprof.so", RTLD_NOLOAD | RTLD_LAZY);
	function = agent ? dlsym(agent, name) : NULL;
	if (function)
		__atomic_store_n(&found->function, function, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&found->missed, now, __ATOMIC_RELAXED);
	if (agent && !function)
		dlclose(agent); /* an older one */
	errno = saved_errno;
	return function;
}

/* The library stays loaded once a function was found in it. */
#define JPROF_FUNCTION(type, name, parameters, arguments, absent)                              \
	static inline type name parameters                                                     \
	{                                                                                      \
		static struct jprof_found found;                                               \
		void *symbol = jprof_find(&found, #name);                                      \
		type(*function) parameters;                                                    \
                                                                                               \
		if (!symbol)                                                                   \
			return absent;                                                         \
		memcpy(&function, &symbol, sizeof(function));                                  \
		return function arguments;                                                     \
	}

JPROF_FUNCTION(const char *, jprof_version, (void), (), NULL)
JPROF_FUNCTION(int, jprof_start, (void), (), JPROF_ABSENT)
JPROF_FUNCTION(int, jprof_start_with, (const char *options), (options), JPROF_ABSENT)
JPROF_FUNCTION(int, jprof_stop, (void), (), JPROF_ABSENT)
JPROF_FUNCTION(int, jprof_is_recording, (void), (), 0)
JPROF_FUNCTION(int, jprof_snapshot, (const char *label), (label), JPROF_ABSENT)
JPROF_FUNCTION(int, jprof_reset, (void), (), JPROF_ABSENT)
JPROF_FUNCTION(int, jprof_mark, (const char *name), (name), JPROF_ABSENT)
JPROF_FUNCTION(int, jprof_thread_value, (const char *metric, uint64_t *value), (metric, value),
	JPROF_ABSENT)
JPROF_FUNCTION(int, jprof_thread_value_of,
	(int64_t java_thread_id, const char *metric, uint64_t *value),
	(java_thread_id, metric, value), JPROF_ABSENT)
JPROF_FUNCTION(int, jprof_total_value, (const char *metric, uint64_t *value), (metric, value),
	JPROF_ABSENT)
JPROF_FUNCTION(
	int, jprof_tag_set, (const char *key, const char *value), (key, value), JPROF_ABSENT)
JPROF_FUNCTION(int64_t, jprof_tags, (void), (), JPROF_ABSENT)
JPROF_FUNCTION(int, jprof_tags_use, (int64_t tags), (tags), JPROF_ABSENT)

#undef JPROF_FUNCTION
#endif

#undef JPROF_API

#ifdef __cplusplus
}
#endif

#endif
