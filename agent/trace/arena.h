/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * arena: one contiguous mapping that grows and shrinks, accounted in a memory budget.
 *
 * New bytes are zero. Growing may move it (mremap: page tables move, bytes do not), so what
 * points into it is an index. errno is left as found.
 */
#ifndef JPROF_ARENA_H
#define JPROF_ARENA_H

#include <stddef.h>

#include "agent/trace/memory_budget.h"

/* Embedded; zero-initialised means empty. */
struct arena {
	void *base; /* page aligned, NULL when empty */
	size_t bytes;
};

/* Makes it hold at least this many bytes, rounded up to whole pages; what is beyond the new
 * size is lost, 0 gives everything back. 0, or -1 when the budget or the system has no more:
 * the arena is then as it was. */
int arena_resize(struct arena *arena, struct memory_budget *budget, size_t bytes,
	enum memory_claim claim);

/* Gives everything back. */
void arena_fini(struct arena *arena, struct memory_budget *budget);

size_t arena_page(void);

#endif
