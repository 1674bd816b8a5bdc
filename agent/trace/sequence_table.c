/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sequence_table: blocks, and how tables become one. */
#include "agent/trace/sequence_table.h"

#include <stddef.h>

bool sequence_table_grow(struct sequence_table *table, struct memory_budget *budget,
	unsigned metrics, uint32_t code)
{
	size_t words = (size_t)SEQUENCE_BLOCK * sequence_words_of(metrics);
	const uint64_t *before = table->arena.base;
	uint64_t *block;

	if ((table->blocks + 1) * words * 8 > table->arena.bytes) {
		if (arena_resize(&table->arena, budget, (table->blocks + 1) * words * 8,
			    MEMORY_SMALL) != 0)
			return false;
		for (unsigned i = 0; i < SEQUENCE_BLOCKS; i++)
			if (table->block[i])
				table->block[i] = (uint64_t *)table->arena.base +
						  (table->block[i] - before);
	}
	block = (uint64_t *)table->arena.base + table->blocks++ * words;
	for (size_t i = 0; i < words; i += sequence_words_of(metrics))
		for (unsigned m = 0; m < metrics; m++)
			block[i + 2 + 2 * m] = UINT64_MAX;
	table->block[code / SEQUENCE_BLOCK] = block;
	return true;
}

/* Adds a cell whose count is not 0. An owner counts first: a sum or a minimum may be those of
 * one delta before. */
static void add_cell(unsigned metrics, uint64_t *to, const uint64_t *from, uint64_t count)
{
	for (unsigned m = 0; m < metrics; m++) {
		uint64_t min = __atomic_load_n(&from[2 + 2 * m], __ATOMIC_RELAXED);

		if (to[0] == 0 || min < to[2 + 2 * m])
			to[2 + 2 * m] = min;
		to[1 + 2 * m] += __atomic_load_n(&from[1 + 2 * m], __ATOMIC_RELAXED);
	}
	to[0] += count;
}

void sequence_table_sum(const struct sequence_table *table, unsigned metrics, uint64_t *cell)
{
	unsigned words = sequence_words_of(metrics);

	for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
		const uint64_t *block = table->block[code / SEQUENCE_BLOCK];
		const uint64_t *from = block ? &block[code % SEQUENCE_BLOCK * words] : NULL;
		uint64_t count = from ? __atomic_load_n(from, __ATOMIC_ACQUIRE) : 0;

		if (count > 0)
			add_cell(metrics, &cell[code * words], from, count);
	}
}

void sequence_table_merge(struct sequence_table *table, struct memory_budget *budget,
	unsigned metrics, const struct sequence_table *from)
{
	unsigned words = sequence_words_of(metrics);

	table->uncounted += from->uncounted;
	for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
		const uint64_t *block = from->block[code / SEQUENCE_BLOCK];
		const uint64_t *cell = block ? &block[code % SEQUENCE_BLOCK * words] : NULL;

		if (!cell || cell[0] == 0)
			continue;
		if (!table->block[code / SEQUENCE_BLOCK] &&
			!sequence_table_grow(table, budget, metrics, code))
			table->uncounted += cell[0];
		else
			add_cell(metrics,
				&table->block[code / SEQUENCE_BLOCK]
					     [code % SEQUENCE_BLOCK * words],
				cell, cell[0]);
	}
}

void sequence_table_fini(struct sequence_table *table, struct memory_budget *budget)
{
	arena_fini(&table->arena, budget);
	*table = (struct sequence_table){.uncounted = 0};
}
