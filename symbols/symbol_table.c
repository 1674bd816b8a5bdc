/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* symbol_table: an array that is sorted, and a text of all names. */
#include "symbols/symbol_table.h"

#include <stdlib.h>
#include <string.h>

struct symbol {
	uint64_t start;
	uint64_t
		size : 61; /* until it is sorted, of one without size: how far it goes at most */
	uint64_t rank : 3;
	uint32_t name; /* place in the names */
	uint32_t sized;
};

enum {
	/* A function of some size may have others within it: so many symbols in front of the
	 * last one are looked at. */
	ENCLOSING_MAX = 8
};

static const uint64_t size_max = (UINT64_C(1) << 61) - 1;

/* An array with room for `more` elements behind those it has, or NULL: it stays as it was. */
static void *grow(void *array, size_t element, size_t count, size_t *room, size_t more)
{
	size_t wanted = *room > 0 ? *room : 1024;
	void *grown;

	if (*room - count >= more)
		return array;
	while (wanted - count < more)
		wanted *= 2;
	grown = realloc(array, wanted * element);
	if (grown)
		*room = wanted;
	return grown;
}

bool symbol_table_add(struct symbol_table *table, uint64_t start, uint64_t size, uint64_t limit,
	enum symbol_rank rank, const char *name, size_t length)
{
	struct symbol *symbols;
	char *names;

	if (length >= UINT32_MAX - table->names_length)
		return false;
	symbols = grow(table->symbols, sizeof(*symbols), table->count, &table->room, 1);
	if (!symbols)
		return false;
	table->symbols = symbols;
	names = grow(table->names, 1, table->names_length, &table->names_room, length + 1);
	if (!names)
		return false;
	table->names = names;
	if (size == 0)
		limit = limit < size_max ? limit : size_max;
	else
		limit = size < size_max ? size : size_max;
	symbols[table->count++] = (struct symbol){.start = start,
		.size = limit,
		.rank = rank,
		.name = (uint32_t)table->names_length,
		.sized = size > 0};
	memcpy(names + table->names_length, name, length);
	names[table->names_length + length] = '\0';
	table->names_length += length + 1;
	return true;
}

/* By address, the best one first, those of one name beside each other. */
static int compare(const void *a, const void *b, void *names)
{
	const struct symbol *one = a, *other = b;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	if (one->rank != other->rank)
		return one->rank > other->rank ? -1 : 1;
	if (one->sized != other->sized)
		return one->sized > other->sized ? -1 : 1;
	return strcmp((char *)names + one->name, (char *)names + other->name);
}

static bool is_inside(const struct symbol *symbol, uint64_t address)
{
	return address - symbol->start < symbol->size;
}

/* Gives back what is not used. */
static void shrink(struct symbol_table *table)
{
	struct symbol *symbols = realloc(table->symbols, table->count * sizeof(*symbols));
	char *names = realloc(table->names, table->names_length);

	if (symbols) {
		table->symbols = symbols;
		table->room = table->count;
	}
	if (names) {
		table->names = names;
		table->names_room = table->names_length;
	}
}

void symbol_table_sort(struct symbol_table *table)
{
	struct symbol *symbols = table->symbols, *kept;
	const struct symbol *function = NULL; /* the last one that has a size */
	size_t count = 0;

	if (table->count == 0)
		return;
	qsort_r(symbols, table->count, sizeof(*symbols), compare, table->names);
	for (size_t i = 0; i < table->count; i++) {
		if (count > 0 && symbols[i].start == symbols[count - 1].start &&
			strcmp(table->names + symbols[i].name,
				table->names + symbols[count - 1].name) == 0)
			continue;
		if (!symbols[i].sized && symbols[i].rank <= SYMBOL_LABEL_GLOBAL && function &&
			symbols[i].start > function->start &&
			is_inside(function, symbols[i].start))
			continue;
		kept = &symbols[count++];
		*kept = symbols[i];
		if (kept->sized && kept->rank >= SYMBOL_FUNCTION_LOCAL &&
			(!function || !is_inside(function, kept->start)))
			function = kept;
	}
	table->count = count;
	for (size_t i = count - 1, next = count; i < count; i--) {
		if (i + 1 < count && symbols[i + 1].start != symbols[i].start)
			next = i + 1;
		if (!symbols[i].sized && next < count &&
			symbols[next].start - symbols[i].start < symbols[i].size)
			symbols[i].size = symbols[next].start - symbols[i].start;
	}
	shrink(table);
}

/* How many begin in front of an address. */
static size_t begun(const struct symbol_table *table, uint64_t address)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbols[middle].start < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool symbol_table_find(
	const struct symbol_table *table, uint64_t address, struct symbol_found *found)
{
	size_t next = address == UINT64_MAX ? table->count : begun(table, address + 1);

	for (int i = 0; i < ENCLOSING_MAX && next > 0; i++) {
		size_t first = begun(table, table->symbols[next - 1].start);
		const struct symbol *symbol = &table->symbols[first];

		if (is_inside(symbol, address)) {
			found->name = table->names + symbol->name;
			found->start = symbol->start;
			return true;
		}
		next = first;
	}
	return false;
}

bool symbol_table_address(const struct symbol_table *table, const char *name, uint64_t *address)
{
	for (size_t i = 0; i < table->count; i++) {
		if (strcmp(table->names + table->symbols[i].name, name) == 0) {
			*address = table->symbols[i].start;
			return true;
		}
	}
	return false;
}

size_t symbol_table_bytes(const struct symbol_table *table)
{
	return table->room * sizeof(*table->symbols) + table->names_room;
}

void symbol_table_fini(struct symbol_table *table)
{
	free(table->symbols);
	free(table->names);
	*table = (struct symbol_table){0};
}
