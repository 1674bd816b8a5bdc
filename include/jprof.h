/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof: what native code inside a profiled JVM may ask of the profiler.
 *
 * The functions are exported by the agent library, libjprof.so, which a JVM loads without
 * global visibility. A program that must also run without it finds them so:
 *
 *	void *agent = dlopen("libjprof.so", RTLD_NOLOAD | RTLD_LAZY);
 *	const char *(*version)(void) = agent ? dlsym(agent, "jprof_version") : NULL;
 */
#ifndef JPROF_H
#define JPROF_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the agent that is loaded, as "MAJOR.MINOR.PATCH". Borrowed; stays valid as
 * long as the library is loaded. May be called on any thread, at any time. */
const char *jprof_version(void);

/* Begins to record, with the options the agent was loaded with, where it was loaded with
 * start=no. When it returns, every loaded class that was chosen has its probes. 0; or -1: it
 * records already, has recorded before, or cannot (a line on standard error says why). On any
 * thread, once the JVM runs Java code. */
int jprof_start(void);

/* Ends the recording: the profile is complete when it returns, and the probes are out of the
 * classes. 0, or -1: nothing was being recorded. On any thread. */
int jprof_stop(void);

#ifdef __cplusplus
}
#endif

#endif
