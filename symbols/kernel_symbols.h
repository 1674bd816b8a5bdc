/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * kernel_symbols: the functions of the kernel and its modules, by address.
 *
 * In: /proc/kallsyms, a line a symbol: "ffffffff81000000 T _stext	[module]" (proc(5)). Users
 * that may not know addresses (kernel.kptr_restrict) are given zeroes.
 * Owns: a copy of the names of code, some 8 MB. Runs: cold.
 */
#ifndef JPROF_KERNEL_SYMBOLS_H
#define JPROF_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "error/error.h"
#include "symbols/symbol_table.h"

struct kernel_symbols;

struct kernel_found {
	const char *name;   /* both borrowed */
	const char *module; /* "[ext4]"; of the kernel itself "[kernel]" */
	uint64_t start;
};

/* path: NULL: /proc/kallsyms. *symbols is owned, or NULL where it fails: -ERROR_DENIED: all addresses
 * are zero; -ERROR_IO: it cannot be read; -ERROR_MEMORY. */
int kernel_symbols_create(
	struct kernel_symbols **symbols, const char *path, struct error *error);

/* False: the address is in front of all. */
bool kernel_symbols_find(
	const struct kernel_symbols *symbols, uint64_t address, struct kernel_found *found);

size_t kernel_symbols_count(const struct kernel_symbols *symbols);
size_t kernel_symbols_bytes(const struct kernel_symbols *symbols);

/* NULL is allowed. */
void kernel_symbols_destroy(struct kernel_symbols *symbols);

#endif
