/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * user_counter: a hardware counter, read from user space. x86-64: RDPMC.
 */
#ifndef JPROF_USER_COUNTER_H
#define JPROF_USER_COUNTER_H

#include <stdint.h>

/* How people call such a read. */
#define USER_COUNTER_HOW "rdpmc"

/* The attr.config1 to ask for, best first: here user reads need no asking. */
#define USER_COUNTER_CONFIG1                                                                   \
	{                                                                                      \
		0                                                                              \
	}

/* The raw counter of a page's `index` (1, 2, ...; linux/perf_event.h, "index - 1"). Faults
 * unless the kernel allows it: only while the page's index is not 0. */
static inline uint64_t user_counter_read(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
	return (uint64_t)high << 32 | low;
}

#endif
