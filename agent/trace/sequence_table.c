/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sequence_table: blocks, and how tables become one. */
#include "agent/trace/sequence_table.h"

#include <stddef.h>
#include <string.h>

/* The words of a block. */
static size_t block_words(unsigned metrics)
{
	return (size_t)SEQUENCE_BLOCK * sequence_words_of(metrics);
}

/* The arena holds so many bytes, and blocks, of so many words as before, may have moved. */
static bool resize(struct sequence_table *table, struct memory_budget *budget, size_t bytes,
	enum memory_claim claim)
{
	const uint64_t *before = table->arena.base;

	if (bytes <= table->arena.bytes)
		return true;
	if (arena_resize(&table->arena, budget, bytes, claim) != 0)
		return false;
	for (unsigned i = 0; i < SEQUENCE_BLOCKS; i++)
		if (table->block[i])
			table->block[i] =
				(uint64_t *)table->arena.base + (table->block[i] - before);
	return true;
}

bool sequence_table_grow(struct sequence_table *table, struct memory_budget *budget,
	unsigned metrics, uint32_t code)
{
	size_t words = block_words(metrics);
	uint64_t *block;

	if (!resize(table, budget, (table->blocks + 1) * words * 8, MEMORY_SMALL))
		return false;
	block = (uint64_t *)table->arena.base + table->blocks++ * words;
	for (size_t i = 0; i < words; i += sequence_words_of(metrics))
		for (unsigned m = 0; m < metrics; m++)
			block[i + 2 + 2 * m] = UINT64_MAX;
	table->block[code / SEQUENCE_BLOCK] = block;
	return true;
}

/* Adds a cell whose count is not 0. An owner counts first: a sum or a minimum may be those of
 * one delta before. */
static void add_cell(unsigned metrics, uint64_t *to, unsigned from_metrics,
	const uint64_t *from, uint64_t count)
{
	for (unsigned m = from_metrics; m < metrics && to[0] == 0; m++)
		to[2 + 2 * m] = UINT64_MAX;
	for (unsigned m = 0; m < from_metrics; m++) {
		uint64_t min = __atomic_load_n(&from[2 + 2 * m], __ATOMIC_RELAXED);

		if (to[0] == 0 || min < to[2 + 2 * m])
			to[2 + 2 * m] = min;
		to[1 + 2 * m] += __atomic_load_n(&from[1 + 2 * m], __ATOMIC_RELAXED);
	}
	to[0] += count;
}

void sequence_table_sum(const struct sequence_table *table, unsigned table_metrics,
	unsigned metrics, uint64_t *cell)
{
	unsigned words = sequence_words_of(table_metrics);

	for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
		const uint64_t *block = table->block[code / SEQUENCE_BLOCK];
		const uint64_t *from = block ? &block[code % SEQUENCE_BLOCK * words] : NULL;
		uint64_t count = from ? __atomic_load_n(from, __ATOMIC_ACQUIRE) : 0;

		if (count > 0)
			add_cell(metrics, &cell[code * sequence_words_of(metrics)],
				table_metrics, from, count);
	}
}

void sequence_table_merge(struct sequence_table *table, struct memory_budget *budget,
	unsigned metrics, const struct sequence_table *from, unsigned from_metrics)
{
	unsigned words = sequence_words_of(metrics), own = sequence_words_of(from_metrics);

	table->uncounted += from->uncounted;
	for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
		const uint64_t *block = from->block[code / SEQUENCE_BLOCK];
		const uint64_t *cell = block ? &block[code % SEQUENCE_BLOCK * own] : NULL;

		if (!cell || cell[0] == 0)
			continue;
		if (!table->block[code / SEQUENCE_BLOCK] &&
			!sequence_table_grow(table, budget, metrics, code))
			table->uncounted += cell[0];
		else
			add_cell(metrics,
				&table->block[code / SEQUENCE_BLOCK]
					     [code % SEQUENCE_BLOCK * words],
				from_metrics, cell, cell[0]);
	}
}

bool sequence_table_room(
	struct sequence_table *table, struct memory_budget *budget, unsigned from, unsigned to)
{
	return to <= from ||
	       resize(table, budget, table->blocks * block_words(to) * 8, MEMORY_FORCED);
}

/* From the last cell to the first, so that none is moved onto one that is still to be moved. */
void sequence_table_widen(struct sequence_table *table, unsigned from, unsigned to)
{
	unsigned words = sequence_words_of(from), wide = sequence_words_of(to);
	uint64_t *first = table->arena.base;

	if (to <= from)
		return;
	for (size_t i = (size_t)table->blocks * SEQUENCE_BLOCK; i-- > 0;) {
		memmove(first + i * wide, first + i * words, words * sizeof(*first));
		for (unsigned m = from; m < to; m++) {
			first[i * wide + 1 + 2 * m] = 0;
			first[i * wide + 2 + 2 * m] = UINT64_MAX;
		}
	}
	for (unsigned i = 0; i < SEQUENCE_BLOCKS; i++)
		if (table->block[i])
			table->block[i] =
				first + (size_t)(table->block[i] - first) / words * wide;
}

void sequence_table_fini(struct sequence_table *table, struct memory_budget *budget)
{
	arena_fini(&table->arena, budget);
	*table = (struct sequence_table){.uncounted = 0};
}
