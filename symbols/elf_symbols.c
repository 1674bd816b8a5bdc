/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* elf_symbols: see elf_symbols.h. */
#include "symbols/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/debug_file.h"
#include "symbols/elf_file.h"

struct elf_symbols {
	struct symbol_table table;
};

/* Whether a symbol is (in) code, and how well it names it. arm64's marks of what is code and what
 * data ($x, $d: "ELF for the Arm 64-bit Architecture", mapping symbols) are no names. */
static bool rank_of(const Elf64_Sym *symbol, const Elf64_Shdr *section, const char *name,
	enum symbol_rank *rank)
{
	int type = ELF64_ST_TYPE(symbol->st_info), binding = ELF64_ST_BIND(symbol->st_info);

	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		*rank = SYMBOL_FUNCTION_LOCAL;
	else if (type == STT_NOTYPE && section->sh_flags & SHF_EXECINSTR && name[0] != '$')
		*rank = SYMBOL_LABEL_LOCAL;
	else
		return false;
	if (binding == STB_WEAK)
		*rank += SYMBOL_LABEL_WEAK - SYMBOL_LABEL_LOCAL;
	else if (binding != STB_LOCAL)
		*rank += SYMBOL_LABEL_GLOBAL - SYMBOL_LABEL_LOCAL;
	return true;
}

/* names: end with a NUL. */
static bool add(struct symbol_table *table, const struct elf_file *file,
	const Elf64_Sym *symbol, const char *names, size_t names_size)
{
	const Elf64_Shdr *section;
	enum symbol_rank rank;
	const char *name;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= file->count ||
		symbol->st_name >= names_size)
		return true;
	section = &file->sections[symbol->st_shndx];
	name = names + symbol->st_name;
	if (*name == '\0' || symbol->st_value < section->sh_addr ||
		symbol->st_value - section->sh_addr >= section->sh_size ||
		!rank_of(symbol, section, name, &rank))
		return true;
	return symbol_table_add(table, symbol->st_value, symbol->st_size,
		section->sh_size - (symbol->st_value - section->sh_addr), rank, name,
		strlen(name));
}

/* False: no memory. */
static bool add_section(
	struct symbol_table *table, const struct elf_file *file, const Elf64_Shdr *section)
{
	size_t symbols_size = 0, names_size = 0;
	bool all = true;
	char *symbols, *names;

	if (section->sh_link >= file->count || section->sh_entsize != sizeof(Elf64_Sym))
		return true;
	symbols = elf_file_read(file, section, &symbols_size);
	names = elf_file_read(file, &file->sections[section->sh_link], &names_size);
	if (symbols && names) {
		for (size_t at = 0; all && symbols_size - at >= sizeof(Elf64_Sym);
			at += sizeof(Elf64_Sym)) {
			Elf64_Sym symbol;

			memcpy(&symbol, symbols + at, sizeof(symbol));
			all = add(table, file, &symbol, names, names_size);
		}
	}
	free(symbols);
	free(names);
	return all;
}

/* A file has at most one section of a type ("Sections", System V ABI). */
static bool add_type(
	struct symbol_table *table, const struct elf_file *file, unsigned type, bool *found)
{
	*found = false;
	for (size_t i = 0; i < file->count; i++) {
		if (file->sections[i].sh_type == type) {
			*found = true;
			return add_section(table, file, &file->sections[i]);
		}
	}
	return true;
}

static bool add_all(struct symbol_table *table, const struct elf_file *file, const char *path)
{
	struct elf_file debug;
	bool found, all;

	if (!add_type(table, file, SHT_DYNSYM, &found) ||
		!add_type(table, file, SHT_SYMTAB, &found))
		return false;
	if (found || !debug_file_open(&debug, file, path))
		return true;
	all = add_type(table, &debug, SHT_SYMTAB, &found);
	elf_file_close(&debug);
	return all;
}

struct elf_symbols *elf_symbols_create(const char *path, struct error *error)
{
	struct elf_symbols *symbols;
	struct elf_file file;
	bool all = false;

	if (elf_file_open(&file, path, error) != 0)
		return NULL;
	symbols = calloc(1, sizeof(*symbols));
	if (symbols)
		all = add_all(&symbols->table, &file, path);
	elf_file_close(&file);
	if (!all) {
		error_set(error, ERROR_MEMORY, "no memory for the symbols of '%s'",
			error_subject(path).text);
		elf_symbols_destroy(symbols);
		return NULL;
	}
	symbol_table_sort(&symbols->table);
	return symbols;
}

bool elf_symbols_find(
	const struct elf_symbols *symbols, uint64_t address, struct symbol_found *found)
{
	return symbol_table_find(&symbols->table, address, found);
}

bool elf_symbols_address(const struct elf_symbols *symbols, const char *name, uint64_t *address)
{
	return symbol_table_address(&symbols->table, name, address);
}

size_t elf_symbols_count(const struct elf_symbols *symbols)
{
	return symbols->table.count;
}

size_t elf_symbols_bytes(const struct elf_symbols *symbols)
{
	return symbol_table_bytes(&symbols->table);
}

void elf_symbols_destroy(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	symbol_table_fini(&symbols->table);
	free(symbols);
}
