/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * spin: waiting a few dozen cycles for another processor. ISB, which takes about as long as PAUSE elsewhere; YIELD is a no-op on most.
 */
#ifndef JPROF_SPIN_H
#define JPROF_SPIN_H

static inline void spin_pause(void)
{
	__asm__ volatile("isb" ::: "memory");
}

#endif
