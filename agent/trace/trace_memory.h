/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trace_memory: what a thread short of memory asks of the trace. For this room only. */
#ifndef JPROF_TRACE_MEMORY_H
#define JPROF_TRACE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct trace;

/* Frees memory that ended threads hold: prunes the largest of their trees, if it has more
 * than so many bytes, else folds some. True: something was freed. Takes LOCK_THREADS. */
bool trace_relieve(struct trace *trace, size_t bytes);

#endif
