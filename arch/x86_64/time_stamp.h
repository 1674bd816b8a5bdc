/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * time_stamp: the processor's own clock, read from user space. x86-64: TSC.
 */
#ifndef JPROF_TIME_STAMP_H
#define JPROF_TIME_STAMP_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

/* What the kernel calls a clock source that is made of this time stamp. */
#define TIME_STAMP_CLOCKSOURCE "tsc"

/* Binary digits behind the point of a tick's nanoseconds, as clock.h keeps them: a tick is shorter
 * than one, and the upper half of a product needs no shift (SHRD, which is slow with AMD). */
#define TIME_STAMP_DIGITS 64

/* Ticks. Not ordered against the instructions around it; the compiler keeps it in its
 * place among volatile accesses. */
static inline uint64_t time_stamp_read(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* True if the processor promises one rate in all power states (Intel SDM volume 3, 18.17.1
 * "Invariant TSC": CPUID.80000007H:EDX[8]). */
static inline bool time_stamp_invariant(void)
{
	uint32_t a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8)) != 0;
}

#endif
