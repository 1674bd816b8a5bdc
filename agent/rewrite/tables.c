/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * tables: rows keep their number and size, so that they are copied and then changed.
 */
#include "agent/rewrite/tables.h"

enum { LINE_SIZE = 4, LOCAL_SIZE = 10 };

/* Copies the table; its first row, NULL if there is none or *reason is not REWRITE_OK. */
static uint8_t *table_copy(struct reader in, size_t row_size, uint32_t *rows,
	struct writer *out, enum rewrite_reason *reason)
{
	uint8_t *to;

	*rows = read_u2(&in);
	*reason = REWRITE_MALFORMED;
	if (in.failed || reader_left(&in) != *rows * row_size)
		return NULL;
	to = write_room(out, 2 + *rows * row_size);
	*reason = to ? REWRITE_OK : REWRITE_MEMORY;
	if (!to)
		return NULL;
	memcpy(to, in.at - 2, 2 + *rows * row_size);
	return to + 2;
}

enum rewrite_reason tables_write_lines(
	struct reader in, const struct code *code, struct writer *out)
{
	enum rewrite_reason reason;
	uint32_t rows;
	uint8_t *row = table_copy(in, LINE_SIZE, &rows, out, &reason);

	for (uint32_t i = 0; row && i < rows; i++, row += LINE_SIZE) {
		uint32_t start = get_u2(row);

		if (start >= code->length)
			return REWRITE_MALFORMED;
		if (start != 0)
			put_u2(row, code_place(code, start));
	}
	return reason;
}

enum rewrite_reason tables_write_locals(
	struct reader in, const struct code *code, struct writer *out)
{
	enum rewrite_reason reason;
	uint32_t rows;
	uint8_t *row = table_copy(in, LOCAL_SIZE, &rows, out, &reason);

	for (uint32_t i = 0; row && i < rows; i++, row += LOCAL_SIZE) {
		uint32_t start = get_u2(row), end = start + get_u2(row + 2);
		uint32_t from = start && start <= code->length ? code_place(code, start) : 0;

		if (end > code->length)
			return REWRITE_MALFORMED;
		put_u2(row, from);
		put_u2(row + 2, end ? code_place(code, end) - from : 0);
	}
	return reason;
}
