/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* known_stacks: see known_stacks.h. */
#include "agent/io_calls/known_stacks.h"

#include <stdatomic.h>

enum { SLOTS = 1 << 15 };

/* Two threads may write one slot at once: the key is stored changed by the answer, so that halves of
 * different answers fit no key. */
static struct {
	_Atomic uint64_t changed_key, answer;
} slots[SLOTS];

uint64_t known_stack_key(uint64_t key, uint64_t more)
{
	if (key == 0)
		return 0;
	key = (key ^ more) * UINT64_C(0x9e3779b97f4a7c15);
	key ^= key >> 32;
	return key ? key : 1;
}

bool known_stack_find(uint64_t key, uint32_t *answer)
{
	uint64_t found = atomic_load_explicit(&slots[key % SLOTS].answer, memory_order_relaxed);

	if (key == 0 ||
		(atomic_load_explicit(&slots[key % SLOTS].changed_key, memory_order_relaxed) ^
			found) != key)
		return false;
	*answer = (uint32_t)found;
	return true;
}

void known_stack_put(uint64_t key, uint32_t answer)
{
	/* Small answers change all of the key. */
	uint64_t wide = answer | (uint64_t)~answer << 32;

	if (key == 0)
		return;
	atomic_store_explicit(&slots[key % SLOTS].answer, wide, memory_order_relaxed);
	atomic_store_explicit(
		&slots[key % SLOTS].changed_key, key ^ wide, memory_order_relaxed);
}
