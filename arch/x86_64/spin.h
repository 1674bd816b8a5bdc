/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * spin: waiting a few dozen cycles for another processor. PAUSE.
 */
#ifndef JPROF_SPIN_H
#define JPROF_SPIN_H

static inline void spin_pause(void)
{
	__asm__ volatile("pause" ::: "memory");
}

#endif
