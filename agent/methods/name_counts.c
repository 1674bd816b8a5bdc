/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* name_counts: see name_counts.h. */
#include "agent/methods/name_counts.h"

#include <stdbool.h>
#include <stdlib.h>

/* hash 0: an empty slot. */
struct name_count {
	uint64_t hash;
	uint64_t count;
};

enum { FIRST_SLOTS = 1024 };

/* FNV-1a. */
static uint64_t hash_of(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
	return hash ? hash : 1;
}

/* The slot of the hash, or the empty one where it belongs. */
static struct name_count *slot_of(const struct name_counts *counts, uint64_t hash)
{
	size_t i = (hash ^ hash >> 32) & (counts->slots - 1);

	while (counts->slot[i].hash != 0 && counts->slot[i].hash != hash)
		i = (i + 1) & (counts->slots - 1);
	return &counts->slot[i];
}

uint64_t name_counts_of(const struct name_counts *counts, const char *name)
{
	return counts->slots ? slot_of(counts, hash_of(name))->count : 0;
}

/* False: no memory. */
static bool make_room(struct name_counts *counts)
{
	struct name_counts fresh = {
		.slots = counts->slots ? 2 * counts->slots : FIRST_SLOTS, .used = counts->used};

	if (2 * counts->used < counts->slots)
		return true;
	fresh.slot = calloc(fresh.slots, sizeof(*fresh.slot));
	if (!fresh.slot)
		return false;
	for (size_t i = 0; i < counts->slots; i++)
		if (counts->slot[i].hash != 0)
			*slot_of(&fresh, counts->slot[i].hash) = counts->slot[i];
	free(counts->slot);
	*counts = fresh;
	return true;
}

void name_counts_add(struct name_counts *counts, const char *name)
{
	uint64_t hash = hash_of(name);
	struct name_count *slot;

	if (!make_room(counts))
		return;
	slot = slot_of(counts, hash);
	counts->used += slot->hash == 0;
	slot->hash = hash;
	slot->count++;
}

void name_counts_fini(struct name_counts *counts)
{
	free(counts->slot);
	*counts = (struct name_counts){0};
}
