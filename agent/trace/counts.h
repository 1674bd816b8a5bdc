/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * counts: how often each method was entered, in a row of the trace, where that is counted and not timed.
 *
 *   the thread's bytecode --> block[method]    a word a method, written by the thread alone, without a lock
 *   natively, ended, folded --> kept[method]   the same shape, as long as the highest method needs
 *
 * A count is the sum of both. Blocks lie in one reservation of address space that is never given back, in the order of
 * threads' numbers: compiled code finds a thread's block by its number alone. Pages come as they are touched, and go when
 * the block is given back, behind its thread's last call.
 *
 * A block is claimed from the budget as long as the methods that have ids need, and claims more as there are more of
 * them. A thread that finds no memory has no block; its calls are counted natively, in a row that all such share.
 *
 * Runs: the block's owner writes it; counts_add in the owner, or under the tree's lock in a row that has none; all else
 *       under the tree's lock.
 */
#ifndef JPROF_COUNTS_H
#define JPROF_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/trace/arena.h"

enum {
	/* Ids from here on are not counted: a block is 2 MB of addresses. */
	COUNTED_METHODS = 1 << 18,
	COUNT_BLOCK_SHIFT = 21,
	COUNT_BLOCKS = 1 << 16 /* the reservation: 128 GB of addresses */
};

struct counts {
	uint64_t *block;    /* NULL: none */
	uint64_t claimed;   /* bytes of it, from the budget */
	struct arena kept;  /* words */
	struct arena shown; /* the visitor's: what it has shown of each */
};

/* The method may be counted from now on. False: its id is too high. On any thread. */
bool counts_expect(uint32_t method);

/* Methods from here on have not been counted. */
uint32_t counts_end(void);

/* Where the reservation begins; NULL: the system gives none. */
void *counts_blocks(void);

/* Gives a row the block of the thread of that number. Another thread's, whose number differs by a multiple of COUNT_BLOCKS,
 * may have it. False: so it is, or there is no memory; claim: MEMORY_FORCED where the thread counts there in any case. */
bool counts_open(struct counts *counts, struct memory_budget *budget, int64_t number,
	enum memory_claim claim);

/* Adds what is in the blocks that no row has, which are empty from then on. */
void counts_sweep(struct counts *counts, struct memory_budget *budget);

/* The budget knows how large the block may have become. */
void counts_claim(struct counts *counts, struct memory_budget *budget);

/* The block is no more: what it has is kept. Behind the owner's last call. */
void counts_close(struct counts *counts, struct memory_budget *budget);

/* `kept` has room for the method from now on. Under the tree's lock. False: no memory. */
bool counts_grow(struct counts *counts, struct memory_budget *budget, uint32_t method,
	enum memory_claim claim);

static inline bool counts_has_room(const struct counts *counts, uint32_t method)
{
	return (method + 1) * sizeof(uint64_t) <= counts->kept.bytes;
}

/* One call, natively, where there is room. */
static inline void counts_add(struct counts *counts, uint32_t method)
{
	uint64_t *count = &((uint64_t *)counts->kept.base)[method];

	__atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
}

/* What has been counted of the method. */
static inline uint64_t counts_of(const struct counts *counts, uint32_t method)
{
	uint64_t count = 0;

	if (counts->block && method < COUNTED_METHODS)
		count = __atomic_load_n(&counts->block[method], __ATOMIC_RELAXED);
	if (counts_has_room(counts, method))
		count += __atomic_load_n(
			&((uint64_t *)counts->kept.base)[method], __ATOMIC_RELAXED);
	return count;
}

/* Adds all of another's; nobody writes either. */
void counts_merge(
	struct counts *counts, struct memory_budget *budget, const struct counts *from);

/* The visitor's: true if it has not yet shown that the method's count is this one. From now on it has. */
bool counts_show(
	struct counts *counts, struct memory_budget *budget, uint32_t method, uint64_t count);

/* Everything is given back. */
void counts_fini(struct counts *counts, struct memory_budget *budget);

#endif
