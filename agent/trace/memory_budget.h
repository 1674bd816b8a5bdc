/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * memory_budget: how many bytes the call trees and all that belongs to them may take.
 *
 * A part of the limit is a reserve that only small claims may use: the first pages of a
 * thread, the growth of a small tree. With n threads every tree may grow to about 1/(9n) of
 * the limit by the reserve alone: so a thread with little to tell does not starve because a
 * big tree took everything and sits in a long sleep.
 *
 * What counts could not be kept without is taken in any case: a thread's first pages, its frames, a
 * node for each method. It may go beyond the limit, and the peak tells.
 *
 * Runs: on any thread, without locks: the words are atomic, and order nothing else.
 */
#ifndef JPROF_MEMORY_BUDGET_H
#define JPROF_MEMORY_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum memory_claim {
	MEMORY_ORDINARY, /* leaves the reserve alone */
	MEMORY_SMALL,    /* may use it */
	MEMORY_FORCED    /* may exceed the limit */
};

struct memory_budget {
	uint64_t limit;   /* bytes; constant */
	uint64_t reserve; /* part of limit; constant */
	/* percent of a caller's use: call paths below go first, whatever it takes; 0: none; set at the beginning */
	uint32_t fold_below;
	_Atomic uint64_t used;
	_Atomic uint64_t peak;
	_Atomic uint32_t claimants; /* live threads */
	/* rises when memory was short: owners of big trees prune */
	_Atomic uint32_t shortage;
};

void memory_budget_init(struct memory_budget *budget, uint64_t limit);

/* True (of forced claims: always): the bytes are taken, and have to be given back. */
bool memory_take(struct memory_budget *budget, uint64_t bytes, enum memory_claim claim);
void memory_give(struct memory_budget *budget, uint64_t bytes);

/* True: an ordinary claim of some bytes would find them. */
bool memory_is_ample(struct memory_budget *budget);

/* True: nothing is left, or forced claims have gone beyond the limit. */
bool memory_is_exceeded(struct memory_budget *budget);

/* Owners of big trees prune when they come by. Returns the shortage as it is then. */
uint32_t memory_call_short(struct memory_budget *budget);

/* Of what all may use, one live thread's part. */
uint64_t memory_share(struct memory_budget *budget);

/* What a tree of that many bytes has to say when it grows. */
enum memory_claim memory_claim_of(struct memory_budget *budget, uint64_t bytes);

#endif
