/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * wall_clock: ticks at equal distances, at which a thread of its own looks at all threads that are sampled.
 *
 * Looking at ten thousand threads takes longer than a tick: then each tick looks at some of them, in turn, and
 * each is told how many ticks have passed since it was looked at.
 *
 * Owns: its thread, a plain one: signals blocked but for faults, unknown to the JVM.
 */
#ifndef JPROF_WALL_CLOCK_H
#define JPROF_WALL_CLOCK_H

#include <stdint.h>

#include "agent/sample/sampled_threads.h"

/* Calls look for threads of Java, under LOCK_SAMPLES; period: ns. 0, or an errno. */
int wall_clock_begin(
	uint64_t period, void (*look)(struct sampled_thread *thread, uint32_t ticks));
void wall_clock_stop(void);

#endif
