/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * columns: the tables of a block, a column at a time (docs/page-data.md).
 *
 * In:   numbers, in the order of rows. Each column of a table gets as many.
 * Out:  the list of columns as JSON, and their bytes.
 * Without memory what comes is dropped; failed says so.
 */
#ifndef JPROF_PAGE_COLUMNS_H
#define JPROF_PAGE_COLUMNS_H

#include "report/text/out.h"

enum column_type {
	COLUMN_VARINT = 'v',
	COLUMN_ZIGZAG = 'z', /* the same, of signed numbers */
	COLUMN_BYTE = 'b',
	COLUMN_FLOAT = 'f'
};

struct page_column {
	const char *table; /* borrowed */
	char name[24];
	enum column_type type;
	size_t count;
	struct out bytes;
};

/* Embedded; all zero at first. */
struct columns {
	struct page_column *column;
	unsigned count, capacity;
	bool failed;
};

void columns_fini(struct columns *columns);

/* Appends a column, and returns its index. index: of a metric or condition, behind the name; below 0: none. */
unsigned columns_add(struct columns *columns, const char *table, enum column_type type,
	const char *name, int index);

/* A column of a table whose columns are always the same. */
struct column_row {
	enum column_type type;
	const char *name;
};

/* Appends these, and returns the index of the first. */
unsigned columns_add_rows(struct columns *columns, const char *table,
	const struct column_row *row, unsigned count);
#define COLUMNS_ADD(columns, table, rows)                                                      \
	columns_add_rows(columns, table, rows, sizeof(rows) / sizeof(*(rows)))

/* Appends a value to a column of that type. */
void columns_number(struct columns *columns, unsigned at, uint64_t value); /* VARINT */
void columns_signed(struct columns *columns, unsigned at, int64_t value);
void columns_byte(struct columns *columns, unsigned at, unsigned value);
void columns_float(struct columns *columns, unsigned at, double value);

/* The list, as a JSON array; and all bytes, which are given back. */
void columns_list(struct columns *columns, struct out *out);
void columns_put(struct columns *columns, struct out *out);

#endif
