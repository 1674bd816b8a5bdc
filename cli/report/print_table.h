/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* print_table: what the two printers of tables for people (text, screen) have in common. */
#ifndef JPROF_REPORT_PRINT_TABLE_H
#define JPROF_REPORT_PRINT_TABLE_H

#include "cli/report/sheet.h"

/* Styles of a terminal. */
#define STRONG "\033[1m"
#define GREY   "\033[90m"
#define PLAIN  "\033[0m"

static inline size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Half the width of the interval of a number in that column; 0: it is exact. */
static inline uint64_t error_of(const struct column *column, const struct cell *cells)
{
	const struct cell *error = column->error > 0 ? &cells[column->error - 1] : NULL;

	return error != NULL && error->kind == CELL_NUMBER ? error->number : 0;
}

/* By more than a quarter of its value. */
static inline bool is_uncertain(uint64_t value, uint64_t error)
{
	return error > value / 4;
}

/* The last cell or heading of a line may be empty. */
static inline void trim_spaces(struct out *out)
{
	while (out->length > 0 && out->buffer[out->length - 1] == ' ')
		out->length--;
}

/* The one row of a stanza stands out among its lists. */
static inline void strengthen(struct sink *sink, bool list, bool open)
{
	sink->strong = sink->colour && open && !list;
}

#endif
