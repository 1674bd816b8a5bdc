/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * symbol_table: names by address, in little memory: 24 bytes a symbol, and its name once.
 *
 * In: symbols in any order. Then it is sorted, once, and answers.
 * Runs: cold, on one thread at a time; what is sorted may be asked by many.
 */
#ifndef JPROF_SYMBOL_TABLE_H
#define JPROF_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of several at one address the one of the highest rank is found. */
enum symbol_rank {
	SYMBOL_LABEL_LOCAL, /* of no type: what assembly code has */
	SYMBOL_LABEL_WEAK,
	SYMBOL_LABEL_GLOBAL,
	SYMBOL_FUNCTION_LOCAL,
	SYMBOL_FUNCTION_WEAK,
	SYMBOL_FUNCTION_GLOBAL
};

/* Embedded; zero-initialised means empty. */
struct symbol_table {
	struct symbol *symbols; /* by address */
	char *names;
	size_t count, room, names_length, names_room;
};

struct symbol_found {
	const char *name; /* borrowed from the table */
	uint64_t start;
};

/* Puts one in. size 0: not known; it then ends where the next one begins, or after `limit` bytes.
 * name: `length` bytes, kept with a NUL behind them. False: no memory, or 4 GB of names. */
bool symbol_table_add(struct symbol_table *table, uint64_t start, uint64_t size, uint64_t limit,
	enum symbol_rank rank, const char *name, size_t length);

/* To be called once, when all are in. What stands in it twice stays once, labels within functions
 * do not stay. */
void symbol_table_sort(struct symbol_table *table);

/* The symbol that an address is in; false: none is. */
bool symbol_table_find(
	const struct symbol_table *table, uint64_t address, struct symbol_found *found);

/* Where the symbol of that name begins: of several, the one of the lowest address. Looks at all of them. */
bool symbol_table_address(
	const struct symbol_table *table, const char *name, uint64_t *address);

/* What it takes in memory. */
size_t symbol_table_bytes(const struct symbol_table *table);

void symbol_table_fini(struct symbol_table *table);

#endif
