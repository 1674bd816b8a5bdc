/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* counts: see counts.h. */
#include "agent/trace/counts.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/lock/lock.h"

enum { BLOCK_BYTES = COUNTED_METHODS * sizeof(uint64_t) };

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
static char *blocks;                      /* the reservation; NULL: not yet */
static uint16_t free_block[COUNT_BLOCKS]; /* a stack of those that were given back */
static unsigned freed, used; /* how many these are, and how many ever were in use */

/* Under the lock. NULL: there is none. */
static uint64_t *take_block(void)
{
	unsigned at;

	if (!blocks) {
		void *base =
			mmap(NULL, (size_t)COUNT_BLOCKS * BLOCK_BYTES, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (base == MAP_FAILED)
			return NULL;
		/* A large page would be most of a block. */
		madvise(base, (size_t)COUNT_BLOCKS * BLOCK_BYTES, MADV_NOHUGEPAGE);
		blocks = base;
	}
	if (freed == 0 && used == COUNT_BLOCKS)
		return NULL;
	at = freed > 0 ? free_block[--freed] : used++;
	return (uint64_t *)(void *)(blocks + (size_t)at * BLOCK_BYTES);
}

static size_t bytes_of(uint32_t methods)
{
	size_t page = arena_page(), most = BLOCK_BYTES;
	size_t bytes = (methods * sizeof(uint64_t) + page - 1) / page * page;

	return bytes < most ? bytes : most;
}

bool counts_open(struct counts *counts, struct memory_budget *budget)
{
	int saved_errno = errno;
	size_t bytes = bytes_of(counts_end());

	if (!memory_take(budget, bytes, MEMORY_ORDINARY))
		return false;
	lock_take(&blocks_lock);
	counts->block = take_block();
	lock_give(&blocks_lock);
	if (counts->block)
		counts->claimed = bytes;
	else
		memory_give(budget, bytes);
	errno = saved_errno;
	return counts->block != NULL;
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
	size_t at = (size_t)((char *)counts->block - blocks) / BLOCK_BYTES;

	madvise(counts->block, BLOCK_BYTES, MADV_DONTNEED);
	lock_take(&blocks_lock);
	free_block[freed++] = (uint16_t)at;
	lock_give(&blocks_lock);
	memory_give(budget, counts->claimed);
	counts->block = NULL;
	counts->claimed = 0;
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
