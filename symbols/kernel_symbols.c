/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* kernel_symbols: see kernel_symbols.h. A name in the table is "name module", so that each has one text. */
#include "symbols/kernel_symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel_symbols {
	struct symbol_table table;
};

static const char kernel[] = "[kernel]";

/* nm(1): t, w: code; capitals: global. */
static bool rank_of(char type, enum symbol_rank *rank)
{
	switch (type) {
	case 'T':
		*rank = SYMBOL_FUNCTION_GLOBAL;
		return true;
	case 't':
		*rank = SYMBOL_FUNCTION_LOCAL;
		return true;
	case 'W':
	case 'w':
		*rank = SYMBOL_FUNCTION_WEAK;
		return true;
	default:
		return false;
	}
}

/* The name ends the line, or a tab and the module follow. Puts "name NUL module" into the table. */
static bool add(struct symbol_table *table, uint64_t address, enum symbol_rank rank, char *name)
{
	size_t length = strcspn(name, " \t\n");
	char *module = name + length + strspn(name + length, " \t");
	size_t module_length = strcspn(module, " \t\n");
	char both[1024];

	if (length == 0)
		return true;
	if (module_length == 0) {
		module = (char *)kernel;
		module_length = strlen(kernel);
	}
	if (length + 1 + module_length > sizeof(both))
		return true;
	memcpy(both, name, length);
	both[length] = '\0';
	memcpy(both + length + 1, module, module_length);
	return symbol_table_add(
		table, address, 0, UINT64_MAX, rank, both, length + 1 + module_length);
}

/* 0 or a code; *seen: there was an address that is not zero. */
static enum error_code read_lines(struct symbol_table *table, FILE *file, bool *seen)
{
	enum error_code code = ERROR_NONE;
	enum symbol_rank rank;
	char *line = NULL;
	size_t room = 0;

	while (code == ERROR_NONE && getline(&line, &room, file) > 0) {
		char *end;
		uint64_t address = strtoull(line, &end, 16);

		*seen |= address != 0;
		if (address == 0 || end[0] != ' ' || !rank_of(end[1], &rank) || end[2] != ' ')
			continue;
		if (!add(table, address, rank, end + 3))
			code = ERROR_MEMORY;
	}
	if (ferror(file))
		code = ERROR_IO;
	free(line);
	return code;
}

int kernel_symbols_create(
	struct kernel_symbols **symbols, const char *path, struct error *error)
{
	enum error_code code = ERROR_MEMORY;
	bool seen = false;
	FILE *file;

	*symbols = NULL;
	if (!path)
		path = "/proc/kallsyms";
	file = fopen(path, "re");
	if (!file)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot open '%s'", error_subject(path).text);
	*symbols = calloc(1, sizeof(**symbols));
	if (*symbols)
		code = read_lines(&(*symbols)->table, file, &seen);
	fclose(file);
	if (code == ERROR_NONE && !seen)
		code = ERROR_DENIED;
	if (code == ERROR_NONE) {
		symbol_table_sort(&(*symbols)->table);
		return 0;
	}
	kernel_symbols_destroy(*symbols);
	*symbols = NULL;
	return error_set(error, code,
		code == ERROR_DENIED   ? "the kernel shows no addresses in '%s': see "
					 "/proc/sys/kernel/kptr_restrict"
		: code == ERROR_MEMORY ? "no memory for the symbols in '%s'"
				       : "cannot read '%s'",
		error_subject(path).text);
}

bool kernel_symbols_find(
	const struct kernel_symbols *symbols, uint64_t address, struct kernel_found *found)
{
	struct symbol_found symbol;

	if (!symbol_table_find(&symbols->table, address, &symbol))
		return false;
	found->name = symbol.name;
	found->module = symbol.name + strlen(symbol.name) + 1;
	found->start = symbol.start;
	return true;
}

size_t kernel_symbols_count(const struct kernel_symbols *symbols)
{
	return symbols->table.count;
}

size_t kernel_symbols_bytes(const struct kernel_symbols *symbols)
{
	return symbol_table_bytes(&symbols->table);
}

void kernel_symbols_destroy(struct kernel_symbols *symbols)
{
	if (!symbols)
		return;
	symbol_table_fini(&symbols->table);
	free(symbols);
}
