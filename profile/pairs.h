/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* pairs: numbers pairs of two numbers of 32 bits: 1, 2, ... in the order in which they are first seen. */
#ifndef JPROF_PROFILE_PAIRS_H
#define JPROF_PROFILE_PAIRS_H

#include <stddef.h>
#include <stdint.h>

/* Embedded; all zero at first, or with slots set to a power of two that is enough for most. */
struct pairs {
	uint64_t *key;  /* by number - 1 */
	uint32_t *slot; /* a hash table of numbers; 0: free */
	size_t slots, count;
};

void pairs_fini(struct pairs *pairs);

/* The pair's number: count, if it is new. 0 without memory; those that were taken before keep their numbers. */
uint32_t pairs_take(struct pairs *pairs, uint32_t a, uint32_t b);

#endif
