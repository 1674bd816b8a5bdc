/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* columns: a growing buffer each. */
#include "report/page/columns.h"

#include <stdio.h>
#include <stdlib.h>

void columns_fini(struct columns *columns)
{
	for (unsigned i = 0; i < columns->count; i++)
		out_fini(&columns->column[i].bytes);
	free(columns->column);
	*columns = (struct columns){0};
}

unsigned columns_add(struct columns *columns, const char *table, enum column_type type,
	const char *name, int index)
{
	struct page_column *column;

	if (columns->count == columns->capacity) {
		unsigned capacity = columns->capacity * 2 + 64;

		column = realloc(columns->column, capacity * sizeof(*column));
		if (!column) {
			columns->failed = true;
			return 0;
		}
		columns->column = column;
		columns->capacity = capacity;
	}
	column = &columns->column[columns->count];
	*column = (struct page_column){.table = table, .type = type};
	if (index < 0)
		snprintf(column->name, sizeof(column->name), "%s", name);
	else
		snprintf(column->name, sizeof(column->name), "%s%d", name, index);
	out_init(&column->bytes, -1);
	return columns->count++;
}

unsigned columns_add_rows(struct columns *columns, const char *table,
	const struct column_row *row, unsigned count)
{
	unsigned first = columns->count;

	for (unsigned i = 0; i < count; i++)
		columns_add(columns, table, row[i].type, row[i].name, -1);
	return first;
}

static struct page_column *next(struct columns *columns, unsigned at)
{
	if (columns->failed)
		return NULL;
	columns->column[at].count++;
	return &columns->column[at];
}

void columns_number(struct columns *columns, unsigned at, uint64_t value)
{
	struct page_column *column = next(columns, at);
	char bytes[10];
	size_t length = 0;

	if (!column)
		return;
	for (; value >= 0x80; value >>= 7)
		bytes[length++] = (char)(value | 0x80);
	bytes[length++] = (char)value;
	out_bytes(&column->bytes, bytes, length);
}

void columns_signed(struct columns *columns, unsigned at, int64_t value)
{
	columns_number(columns, at, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

void columns_byte(struct columns *columns, unsigned at, unsigned value)
{
	struct page_column *column = next(columns, at);

	if (column)
		out_char(&column->bytes, (char)value);
}

void columns_float(struct columns *columns, unsigned at, double value)
{
	struct page_column *column = next(columns, at);
	float single = (float)value;

	if (column)
		out_bytes(&column->bytes, (const char *)&single, sizeof(single));
}

void columns_list(struct columns *columns, struct out *out)
{
	char line[160];

	out_char(out, '[');
	for (unsigned i = 0; i < columns->count; i++) {
		const struct page_column *column = &columns->column[i];

		columns->failed |= column->bytes.failed != 0;
		snprintf(line, sizeof(line),
			"%s{\"table\":\"%s\",\"name\":\"%s\",\"type\":\"%c\",\"count\":%zu,"
			"\"bytes\":%zu}",
			i > 0 ? "," : "", column->table, column->name, column->type,
			column->count, column->bytes.length);
		out_text(out, line);
	}
	out_char(out, ']');
}

/* The lowest bytes of all, then the next ones: those at the top are mostly the same. */
static void put_planes(const struct page_column *column, struct out *out)
{
	const char *bytes = column->bytes.buffer;

	for (size_t plane = 0; plane < sizeof(float); plane++)
		for (size_t i = 0; i < column->count; i++)
			out_char(out, bytes[i * sizeof(float) + plane]);
}

void columns_put(struct columns *columns, struct out *out)
{
	for (unsigned i = 0; i < columns->count; i++) {
		struct page_column *column = &columns->column[i];

		if (column->bytes.failed != 0)
			columns->failed = true;
		else if (column->type == COLUMN_FLOAT)
			put_planes(column, out);
		else
			out_bytes(out, column->bytes.buffer, column->bytes.length);
		out_fini(&column->bytes);
	}
}
