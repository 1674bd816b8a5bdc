/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * serialise: what comes before has been executed when what follows begins. ISB, which fetches what
 * follows anew; loads need not have their data by then (a DSB would wait for stores, too, which
 * takes long and is no part of what a program computes).
 */
#ifndef JPROF_SERIALISE_H
#define JPROF_SERIALISE_H

static inline void serialise(void)
{
	__asm__ volatile("isb" ::: "memory");
}

#endif
