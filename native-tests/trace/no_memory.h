/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * no_memory: the n-th mapping fails, alone, or with all after it. For tests that are linked with
 * -Wl,--wrap=mmap -Wl,--wrap=mremap.
 */
#ifndef JPROF_NO_MEMORY_H
#define JPROF_NO_MEMORY_H

#include <stdbool.h>

extern long no_memory_at;    /* n; 0: never */
extern bool no_memory_on;    /* and all after it */
extern long no_memory_asked; /* so many times since this was set to 0 */

/* Memory is asked for once more. True: there is none. */
bool no_memory(void);

#endif
