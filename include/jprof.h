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

#ifdef __cplusplus
}
#endif

#endif
