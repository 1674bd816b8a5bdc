/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * elf_symbols: the functions of a program or library, by address.
 *
 * In: the file: .symtab and .dynsym, or, where it was stripped, .dynsym and .symtab of its debug file
 * (debug_file.h). Addresses are those of the file: what memory has less the load bias.
 * Out: names, mangled as they are (demangle.h).
 * Owns: a copy of the names; the file is closed again. Of JDK 25's libjvm.so 58,000 symbols, 4 MB,
 * which takes 20 ms.
 * Runs: cold; what was read may be asked by several threads.
 */
#ifndef JPROF_ELF_SYMBOLS_H
#define JPROF_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "error/error.h"
#include "symbols/symbol_table.h"

struct elf_symbols;

/* Owned. NULL: the file cannot be read, is none of this machine's kind, or no memory. One
 * without symbols is no error: nothing is found in it. error may be NULL. */
struct elf_symbols *elf_symbols_create(const char *path, struct error *error);

/* Which function the address is in, as long as it goes. False: none. */
bool elf_symbols_find(
	const struct elf_symbols *symbols, uint64_t address, struct symbol_found *found);

/* Where the function of that (mangled) name begins. Looks at all names. */
bool elf_symbols_address(
	const struct elf_symbols *symbols, const char *name, uint64_t *address);

/* How many there are, and what they take in memory. */
size_t elf_symbols_count(const struct elf_symbols *symbols);
size_t elf_symbols_bytes(const struct elf_symbols *symbols);

/* NULL is allowed. */
void elf_symbols_destroy(struct elf_symbols *symbols);

#endif
