/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* pairs: open addressing, at most half full. */
#include "profile/pairs.h"

#include <stdlib.h>

enum { SLOTS_FIRST = 1024 };

void pairs_fini(struct pairs *pairs)
{
	free(pairs->key);
	free(pairs->slot);
	*pairs = (struct pairs){0};
}

static uint32_t *find(const struct pairs *pairs, uint64_t key)
{
	/* Fibonacci hashing: the high bits of a product with 2^64 / golden ratio. */
	size_t at = (size_t)((key * 0x9E3779B97F4A7C15u) >> 20) & (pairs->slots - 1);

	while (pairs->slot[at] != 0 && pairs->key[pairs->slot[at] - 1] != key)
		at = (at + 1) & (pairs->slots - 1);
	return &pairs->slot[at];
}

static int grow(struct pairs *pairs)
{
	size_t slots = pairs->slot ? 2 * pairs->slots : pairs->slots;
	uint32_t *slot;
	uint64_t *key;

	if (slots == 0)
		slots = SLOTS_FIRST;
	key = realloc(pairs->key, slots / 2 * sizeof(*key));
	if (key)
		pairs->key = key;
	slot = key ? calloc(slots, sizeof(*slot)) : NULL;
	if (!slot)
		return -1;
	free(pairs->slot);
	pairs->slot = slot;
	pairs->slots = slots;
	for (size_t i = 0; i < pairs->count; i++)
		*find(pairs, pairs->key[i]) = (uint32_t)i + 1;
	return 0;
}

uint32_t pairs_take(struct pairs *pairs, uint32_t a, uint32_t b)
{
	uint64_t key = (uint64_t)a << 32 | b;
	uint32_t *slot;

	if ((!pairs->slot || 2 * pairs->count >= pairs->slots) && grow(pairs) != 0)
		return 0;
	slot = find(pairs, key);
	if (*slot == 0) {
		pairs->key[pairs->count++] = key;
		*slot = (uint32_t)pairs->count;
	}
	return *slot;
}
