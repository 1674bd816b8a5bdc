/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * clock: nanoseconds on CLOCK_MONOTONIC's scale, for the price of a time-stamp read.
 *
 * The time stamp is used where it is sound: the kernel itself keeps time by it, or the
 * processor says that its rate never changes and the kernel has not turned away from it.
 * Rate: what the kernel publishes on a perf page, else measured against CLOCK_MONOTONIC.
 * Elsewhere clock_gettime is used, and clock_how says so.
 *
 *   ns = offset + stamp * mult / 2^TIME_STAMP_DIGITS      (the rate is right to 1e-9)
 */
#ifndef JPROF_CLOCK_H
#define JPROF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "time_stamp.h"

__extension__ typedef unsigned __int128 clock_wide;

/* Written once by clock_init, constant afterwards. */
struct clock_scale {
	/* ns per tick * 2^TIME_STAMP_DIGITS; 0 where the time stamp is not sound */
	uint64_t mult;
	uint64_t offset; /* ns, modulo 2^64 */
	uint64_t ms;     /* ticks per millisecond; 0 where the time stamp is not sound */
};

extern struct clock_scale clock_scale __attribute__((visibility("hidden")));

/* Finds out how to tell the time; may take 5 ms. May be called again, from any thread, and
 * does nothing then. */
void clock_init(void);

/* "time stamp" or "clock_gettime". Borrowed, static. */
const char *clock_how(void);

/* CLOCK_MONOTONIC from the system. */
uint64_t clock_system(void);

/* The same, as it was some milliseconds ago at most; cheaper than clock_now. */
uint64_t clock_coarse(void);

/* Processor time of the whole process so far, ns. */
uint64_t clock_process(void);

static inline uint64_t clock_ticks_to_ns(uint64_t ticks)
{
	return (uint64_t)((clock_wide)ticks * clock_scale.mult >> TIME_STAMP_DIGITS);
}

/* The time at a stamp that was just read. */
static inline uint64_t clock_at(uint64_t stamp)
{
	if (__builtin_expect(clock_scale.mult == 0, 0))
		return clock_system();
	return clock_scale.offset + clock_ticks_to_ns(stamp);
}

/* Now. Never backwards in one thread: a sound time stamp is the same on all processors, and
 * two reads of it are further apart than the few cycles by which they can change places. */
static inline uint64_t clock_now(void)
{
	return clock_at(time_stamp_read());
}

#endif
