/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* arena: mmap, mremap and munmap behind a budget. */
#include "agent/trace/arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

size_t arena_page(void)
{
	static _Atomic size_t page;
	size_t size = atomic_load_explicit(&page, memory_order_relaxed);

	if (size == 0) {
		size = (size_t)sysconf(_SC_PAGESIZE);
		atomic_store_explicit(&page, size, memory_order_relaxed);
	}
	return size;
}

#if defined(__SANITIZE_THREAD__)
#define ARENA_COPIES 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ARENA_COPIES 1
#endif
#endif
#ifndef ARENA_COPIES
#define ARENA_COPIES 0
#endif

static void *map(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The system's part: from, to: bytes, multiples of pages, not equal. */
static int remap(struct arena *arena, size_t to)
{
	int saved_errno = errno;
	void *base = NULL;

	if (to == 0) {
		munmap(arena->base, arena->bytes);
	} else if (arena->bytes == 0) {
		base = map(to);
	} else if (!ARENA_COPIES) {
		base = mremap(arena->base, arena->bytes, to, MREMAP_MAYMOVE);
	} else if ((base = map(to)) != MAP_FAILED) {
		/* The thread sanitizer does not know mremap, and would take the next user of the
		 * old addresses for a racing one. */
		memcpy(base, arena->base, to < arena->bytes ? to : arena->bytes);
		munmap(arena->base, arena->bytes);
	}
	errno = saved_errno;
	if (base == MAP_FAILED)
		return -1;
	arena->base = base;
	arena->bytes = to;
	return 0;
}

int arena_resize(struct arena *arena, struct memory_budget *budget, size_t bytes,
	enum memory_claim claim)
{
	size_t page = arena_page();
	size_t from = arena->bytes;
	size_t to;

	if (bytes > SIZE_MAX - page)
		return -1;
	to = (bytes + page - 1) / page * page;
	if (to > from && !memory_take(budget, to - from, claim))
		return -1;
	if (to != from && remap(arena, to) != 0) {
		if (to > from)
			memory_give(budget, to - from);
		return -1;
	}
	if (to < from)
		memory_give(budget, from - to);
	return 0;
}

void arena_fini(struct arena *arena, struct memory_budget *budget)
{
	arena_resize(arena, budget, 0, MEMORY_SMALL);
}
