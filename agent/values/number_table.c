/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* number_table: see number_table.h. */
#include "agent/values/number_table.h"

enum { SLOTS_FIRST = 512 };

bool number_table_has_room(const struct number_table *table)
{
	return table && table->used <= table->mask / 2;
}

static void put(struct number_table *table, uint64_t slot)
{
	uint32_t at = (uint32_t)(slot >> 32);

	while (atomic_load_explicit(&table->slot[at & table->mask], memory_order_relaxed) != 0)
		at++;
	atomic_store_explicit(&table->slot[at & table->mask], slot, memory_order_release);
	table->used++;
}

struct number_table *number_table_grown(
	const struct number_table *before, struct pieces *pieces, size_t most)
{
	uint32_t slots = before ? 2 * (before->mask + 1) : SLOTS_FIRST;
	struct number_table *table =
		pieces_take(pieces, sizeof(*table) + slots * sizeof(table->slot[0]), most);

	if (!table)
		return NULL;
	table->mask = slots - 1;
	for (uint32_t i = 0; before && i <= before->mask; i++) {
		uint64_t slot = atomic_load_explicit(&before->slot[i], memory_order_relaxed);

		if (slot)
			put(table, slot);
	}
	return table;
}

void number_table_add(struct number_table *table, uint64_t hash, uint32_t number)
{
	put(table, (hash & ~(uint64_t)UINT32_MAX) | number);
}
