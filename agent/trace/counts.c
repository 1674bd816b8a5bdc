/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* counts: see counts.h. */
#include "agent/trace/counts.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/lock/lock.h"

_Static_assert(COUNTED_METHODS * sizeof(uint64_t) == 1 << COUNT_BLOCK_SHIFT, "a block is full");

/* ---- methods ---- */

static _Atomic uint32_t methods_end;

bool counts_expect(uint32_t method)
{
	uint32_t end = atomic_load(&methods_end);

	if (method >= COUNTED_METHODS)
		return false;
	while (end <= method && !atomic_compare_exchange_weak(&methods_end, &end, method + 1))
		;
	return true;
}

uint32_t counts_end(void)
{
	return atomic_load(&methods_end);
}

/* ---- blocks ---- */

static struct lock blocks_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_COUNTS};
static char *_Atomic blocks;             /* NULL: not yet */
static _Atomic bool taken[COUNT_BLOCKS]; /* by a row */

void *counts_blocks(void)
{
	size_t bytes = (size_t)COUNT_BLOCKS << COUNT_BLOCK_SHIFT;
	static _Atomic bool asked; /* written under the lock: the system is asked once */
	int saved_errno = errno;
	char *base = atomic_load(&blocks);

	if (base || atomic_load(&asked))
		return base;
	lock_take(&blocks_lock);
	base = atomic_load(&blocks);
	if (!base && !atomic_load(&asked)) {
		base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (base == MAP_FAILED)
			base = NULL;
		else /* A large page would be all of a block. */
			madvise(base, bytes, MADV_NOHUGEPAGE);
		atomic_store(&blocks, base);
		atomic_store(&asked, true);
	}
	lock_give(&blocks_lock);
	errno = saved_errno;
	return base;
}

static size_t bytes_of(uint32_t methods)
{
	size_t page = arena_page();

	return (methods * sizeof(uint64_t) + page - 1) / page * page;
}

bool counts_open(struct counts *counts, struct memory_budget *budget, int64_t number,
	enum memory_claim claim)
{
	size_t bytes = bytes_of(counts_end()), at = (uint64_t)number % COUNT_BLOCKS;
	char *base = counts_blocks();

	if (!base || atomic_exchange(&taken[at], true))
		return false;
	if (!memory_take(budget, bytes, claim)) {
		atomic_store(&taken[at], false);
		return false;
	}
	counts->block = (uint64_t *)(void *)(base + (at << COUNT_BLOCK_SHIFT));
	counts->claimed = bytes;
	/* A thread that no row had may have counted there, for an earlier session. */
	madvise(counts->block, (size_t)1 << COUNT_BLOCK_SHIFT, MADV_DONTNEED);
	return true;
}

void counts_claim(struct counts *counts, struct memory_budget *budget)
{
	size_t bytes = counts->block ? bytes_of(counts_end()) : 0;

	if (bytes <= counts->claimed)
		return;
	memory_take(budget, bytes - counts->claimed, MEMORY_FORCED);
	counts->claimed = bytes;
}

/* Its pages go back to the system. Zeros again, should it be used. */
static void give_block(struct counts *counts, struct memory_budget *budget)
{
	int saved_errno = errno;
	size_t at = (size_t)((char *)counts->block - atomic_load(&blocks)) >> COUNT_BLOCK_SHIFT;

	madvise(counts->block, (size_t)1 << COUNT_BLOCK_SHIFT, MADV_DONTNEED);
	memory_give(budget, counts->claimed);
	counts->block = NULL;
	counts->claimed = 0;
	atomic_store(&taken[at], false);
	errno = saved_errno;
}

/* ---- kept ---- */

static uint64_t *kept_of(const struct counts *counts)
{
	return counts->kept.base;
}

bool counts_grow(struct counts *counts, struct memory_budget *budget, uint32_t method,
	enum memory_claim claim)
{
	return counts_has_room(counts, method) ||
	       arena_resize(&counts->kept, budget, (method + 1) * sizeof(uint64_t), claim) == 0;
}

/* Where its counts end. */
static uint32_t own_end(const struct counts *counts)
{
	uint32_t end = counts_end();

	while (end > 0 && counts_of(counts, end - 1) == 0)
		end--;
	return end;
}

void counts_close(struct counts *counts, struct memory_budget *budget)
{
	uint32_t end = counts->block ? own_end(counts) : 0;

	/* Without memory, even beyond the budget, the block stays what it is. */
	if (!counts->block || (end > 0 && !counts_grow(counts, budget, end - 1, MEMORY_FORCED)))
		return;
	for (uint32_t i = 0; i < end; i++)
		kept_of(counts)[i] += counts->block[i];
	give_block(counts, budget);
}

void counts_merge(
	struct counts *counts, struct memory_budget *budget, const struct counts *from)
{
	uint32_t end = own_end(from);

	if (end > 0 && !counts_grow(counts, budget, end - 1, MEMORY_FORCED))
		return;
	for (uint32_t i = 0; i < end; i++)
		kept_of(counts)[i] += counts_of(from, i);
}

/* Some page of the block, of those that the methods need, has been written. */
static bool is_touched(char *block, size_t bytes)
{
	unsigned char present[(1 << COUNT_BLOCK_SHIFT) / 4096];

	if (mincore(block, bytes, present) != 0)
		return false;
	for (size_t i = 0; i * arena_page() < bytes; i++)
		if (present[i] & 1)
			return true;
	return false;
}

void counts_sweep(struct counts *counts, struct memory_budget *budget)
{
	size_t bytes = bytes_of(counts_end());
	int saved_errno = errno;

	for (size_t at = 0; bytes > 0 && at < COUNT_BLOCKS && atomic_load(&blocks); at++) {
		char *block = atomic_load(&blocks) + (at << COUNT_BLOCK_SHIFT);
		struct counts from = {.block = (uint64_t *)(void *)block};

		if (atomic_load(&taken[at]) || !is_touched(block, bytes))
			continue;
		counts_merge(counts, budget, &from);
		madvise(block, bytes, MADV_DONTNEED);
	}
	errno = saved_errno;
}

bool counts_show(
	struct counts *counts, struct memory_budget *budget, uint32_t method, uint64_t count)
{
	uint64_t *shown;

	if ((method + 1) * sizeof(uint64_t) > counts->shown.bytes &&
		arena_resize(&counts->shown, budget, (method + 1) * sizeof(uint64_t),
			MEMORY_SMALL) != 0)
		return true;
	shown = &((uint64_t *)counts->shown.base)[method];
	if (*shown == count)
		return false;
	*shown = count;
	return true;
}

void counts_fini(struct counts *counts, struct memory_budget *budget)
{
	if (counts->block)
		give_block(counts, budget);
	arena_fini(&counts->kept, budget);
	arena_fini(&counts->shown, budget);
}
