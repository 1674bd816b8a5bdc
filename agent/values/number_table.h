/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * number_table: from the hash of a thing to its number: open addressing, at most half full, only added to. It grows by
 * another table, twice as large, in its place; the old one stays where it is, so that who is in it goes on.
 *
 *   slot:  upper half of the hash (32 bits) | number (32 bits); 0: empty
 *
 * Runs: looked up on any thread, without a lock: a slot is stored with release once what the number says can be read, and
 *       loaded with acquire. Added to and grown under the owner's lock, who publishes a new table with release. Who
 *       looks into an old table may miss what is new, and looks again under the lock.
 */
#ifndef JPROF_VALUES_NUMBER_TABLE_H
#define JPROF_VALUES_NUMBER_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/values/pieces.h"

struct number_table {
	uint32_t mask; /* slots - 1; constant */
	uint32_t used; /* under the lock */
	_Atomic uint64_t slot[];
};

/* The number of the thing of that hash with which `same` is true, or 0. table: NULL is empty. Inline, so that `same` is. */
static inline uint32_t number_table_find(const struct number_table *table, uint64_t hash,
	bool (*same)(uint32_t number, const void *key), const void *key)
{
	uint32_t upper = (uint32_t)(hash >> 32);

	if (!table)
		return 0;
	for (uint32_t at = upper;; at++) {
		uint64_t slot = atomic_load_explicit(
			&table->slot[at & table->mask], memory_order_acquire);

		if (slot == 0)
			return 0;
		if ((uint32_t)(slot >> 32) == upper && same((uint32_t)slot, key))
			return (uint32_t)slot;
	}
}

/* True: one more may be added. */
bool number_table_has_room(const struct number_table *table);

/* A table twice as large with all that is in `before`, which may be NULL; of the pieces. NULL: no memory. */
struct number_table *number_table_grown(
	const struct number_table *before, struct pieces *pieces, size_t most);

/* Adds what is not in it yet; there is room. */
void number_table_add(struct number_table *table, uint64_t hash, uint32_t number);

#endif
