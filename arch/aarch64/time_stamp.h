/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * time_stamp: the processor's own clock, read from user space. aarch64: CNTVCT_EL0.
 */
#ifndef JPROF_TIME_STAMP_H
#define JPROF_TIME_STAMP_H

#include <stdbool.h>
#include <stdint.h>

/* What the kernel calls a clock source that is made of this time stamp. */
#define TIME_STAMP_CLOCKSOURCE "arch_sys_counter"

/* Binary digits behind the point of a tick's nanoseconds, as clock.h keeps them: a tick takes some
 * dozen of them with most processors here. */
#define TIME_STAMP_DIGITS 32

/* Ticks. Not ordered against the instructions around it (that would take an isb); the
 * compiler keeps it in its place among volatile accesses. */
static inline uint64_t time_stamp_read(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

/* True if the processor promises one rate in all power states: the architecture does (Arm
 * ARM, D11.1 "the system counter ... fixed frequency"). */
static inline bool time_stamp_invariant(void)
{
	return true;
}

#endif
