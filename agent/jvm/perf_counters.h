/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * perf_counters: HotSpot's own counters, those of `jcmd PerfCounter.print` (perfMemory.hpp), read in its memory.
 *
 * There are none with -XX:-UsePerfData, and 0 is what is read then.
 */
#ifndef JPROF_PERF_COUNTERS_H
#define JPROF_PERF_COUNTERS_H

#include <stdint.h>

/* Reads counters of these names, numbers; 0 where there is none. While the JVM runs. */
void perf_counters_read(const char *const *name, uint64_t *value, unsigned count);

#endif
