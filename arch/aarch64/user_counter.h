/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * user_counter: a hardware counter, read from user space. aarch64: PMEVCNTR<n>_EL0 and
 * PMCCNTR_EL0.
 */
#ifndef JPROF_USER_COUNTER_H
#define JPROF_USER_COUNTER_H

#include <stdint.h>

/* How people call such a read. */
#define USER_COUNTER_HOW "pmevcntr"

/* clang-format off */
/* The attr.config1 to ask for, best first: user reads (bit 1) of a 64-bit counter (bit 0),
 * of one as wide as it is, none (Linux, Documentation/arch/arm64/perf.rst). */
#define USER_COUNTER_CONFIG1 {3, 2, 0}

/* The number of a counter is part of the instruction. */
#define USER_COUNTER_TABLE(X)                                                            \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
	X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29)  \
	X(30)
/* clang-format on */

/* The raw counter of a page's `index` (1, 2, ...; 32 is the cycle counter: Linux,
 * armv8pmu_user_event_idx). Faults unless the kernel allows it: only while the page's
 * index is not 0. */
static inline uint64_t user_counter_read(uint32_t index)
{
	uint64_t count = 0;

	switch (index - 1) {
#define X(n)                                                                                   \
	case n:                                                                                \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(count));                  \
		break;
		USER_COUNTER_TABLE(X)
#undef X
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(count));
		break;
	}
	return count;
}

#endif
