/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* source_lines: see source_lines.h. */
#include "agent/stack/source_lines.h"

#include <stdlib.h>
#include <string.h>

#include "agent/stack/safe_read.h"

enum {
	HAS_LINES = 1, /* ConstMethod::_has_linenumber_table */
	LOW = 192,     /* bytes of a number below it are its last */
	/* A row a bytecode, of at most 11 bytes: what is longer, by memory that became another's, is none. */
	TABLE_BYTES_MAX = 11 * 65535 + 1
};

/* The bytes that are read. */
struct stream {
	const uint8_t *at, *end;
	uint8_t base;
};

static uint32_t take_byte(struct stream *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* With its sign in the lowest bit; a negative one is a large one here. */
static uint32_t take_number(struct stream *in)
{
	uint32_t number = 0;

	for (int shift = 0; shift <= 24; shift += 6) {
		uint32_t byte = take_byte(in);

		number += (byte - in->base) << shift;
		if (byte < LOW)
			break;
	}
	return number >> 1 ^ -(number & 1);
}

/* Rows of the table, into row unless that is NULL. */
static uint32_t decode(struct stream in, struct source_line *row)
{
	uint32_t bci = 0, line = 0, count = 0, next;

	while ((next = take_byte(&in)) != 0) {
		if (next == 0xff) {
			bci += take_number(&in);
			line += take_number(&in);
		} else {
			bci += next >> 3;
			line += next & 7;
		}
		if (row)
			row[count] = (struct source_line){(uint16_t)bci, (uint16_t)line};
		count++;
	}
	return count;
}

/* What lies behind the bytecodes, owned; *bytes of it. NULL: nothing. */
static uint8_t *read_behind(const struct vm_layout *vm, const struct seen_methods *seen,
	uint32_t method, size_t *bytes)
{
	uintptr_t code = seen_method_code(seen, method), begin = code - vm->const_bytes;
	uint32_t flags, words, size = seen_method_code_size(seen, method);
	uint8_t *copy;

	if (!safe_u32(begin + (vm->const_flags & ~3u), &flags) ||
		!safe_u32(begin + vm->const_size, &words))
		return NULL;
	if (vm->const_flags & 2)
		flags >>= 16;
	if (!(flags & HAS_LINES) || words * sizeof(uintptr_t) <= (size_t)vm->const_bytes + size)
		return NULL;
	*bytes = words * sizeof(uintptr_t) - vm->const_bytes - size;
	if (*bytes > TABLE_BYTES_MAX)
		*bytes = TABLE_BYTES_MAX;
	copy = malloc(*bytes);
	/* The class may have gone before its bytes were read. */
	if (copy && (!safe_copy(copy, code + size, *bytes) ||
			    !seen_method_is_there(seen, method))) {
		free(copy);
		copy = NULL;
	}
	return copy;
}

struct source_lines *source_lines_read(
	const struct vm_layout *vm, const struct seen_methods *seen, uint32_t method)
{
	size_t bytes;
	uint8_t *copy = read_behind(vm, seen, method, &bytes);
	struct source_lines *lines = NULL;
	struct stream in;

	if (!copy)
		return NULL;
	in = (struct stream){copy, copy + bytes, vm->number_base};
	lines = calloc(1, sizeof(*lines) + decode(in, NULL) * sizeof(*lines->row));
	if (lines)
		lines->count = decode(in, lines->row);
	free(copy);
	return lines;
}

uint32_t source_lines_at(const struct source_lines *lines, int32_t bci)
{
	uint32_t line = 0;
	int32_t best = -1;

	/* Rows may be in any order (JVMS 4.7.12). */
	for (uint32_t i = 0; lines && bci >= 0 && i < lines->count; i++)
		if (lines->row[i].bci <= bci && lines->row[i].bci >= best) {
			best = lines->row[i].bci;
			line = lines->row[i].line;
		}
	return line;
}

char *source_file_read(
	const struct vm_layout *vm, const struct seen_methods *seen, uint32_t method)
{
	uintptr_t begin = seen_method_code(seen, method) - vm->const_bytes, pool, symbol;
	uint16_t index, length;
	char *name;

	if (vm->pool_source_file == VM_NONE || !safe_word(begin + vm->const_constants, &pool) ||
		!safe_u16(pool + vm->pool_source_file, &index) || index == 0 ||
		!safe_word(pool + vm->pool_bytes + index * sizeof(uintptr_t), &symbol) ||
		!safe_u16(symbol + vm->symbol_length, &length))
		return NULL;
	name = calloc(1, (size_t)length + 1);
	if (name && (!safe_copy(name, symbol + vm->symbol_body, length) ||
			    !seen_method_is_there(seen, method))) {
		free(name);
		name = NULL;
	}
	return name;
}
