/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * serialise: what comes before has been executed when what follows begins. LFENCE (Intel SDM
 * volume 2; AMD64 manual volume 3: where it is dispatch serialising, as Linux sets it up).
 */
#ifndef JPROF_SERIALISE_H
#define JPROF_SERIALISE_H

static inline void serialise(void)
{
	__asm__ volatile("lfence" ::: "memory");
}

#endif
