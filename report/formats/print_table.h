/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* print_table: what the two printers of tables for people (text, screen) have in common. */
#ifndef JPROF_REPORT_PRINT_TABLE_H
#define JPROF_REPORT_PRINT_TABLE_H

#include "report/formats/sheet.h"

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

static inline bool is_number(const struct cell *cell)
{
	return cell_is_sum(cell) || cell->kind == CELL_ESTIMATE;
}

static inline bool is_by_samples(const struct cell *cell)
{
	return cell->kind == CELL_ESTIMATE || cell->kind == CELL_DIVIDED;
}

/* It is known by samples, or its error is more than a quarter of its value: "~" stands before it. */
static inline bool is_uncertain(const struct cell *cell, uint64_t error)
{
	return is_by_samples(cell) ? cell->number > 0 : error > cell->number / 4;
}

/* What "~" means where there are numbers by samples. */
static inline const char *mark_meaning(bool divided)
{
	return divided ? "~: divided by samples, or uncertain by a quarter or more"
		       : "~: estimated by samples, a part of the measured figure above it";
}

/* The last cell or heading of a line may be empty. */
static inline void trim_spaces(struct out *out)
{
	while (out->length > 0 && out->buffer[out->length - 1] == ' ')
		out->length--;
}

static inline const struct column *column_at(const struct sink *sink, unsigned place)
{
	return &sink->sheet->column[sink->order[place]];
}

/* The format's line of headings, where rows begin that have none. */
void table_heading(struct sink *sink);

/* Words of a text in lines as wide as the terminal (0: in one line, as it is), the first from a column
 * on, which the others begin at. */
void table_words(struct sink *sink, const char *text, size_t from);

/* What both formats do where rows are grouped, and beside rows. */
void table_stanza(struct sink *sink, bool open);
void table_part(struct sink *sink, const char *key, bool list, bool open);
void table_extra(struct sink *sink, const char *key, const char *label, uint64_t rows,
	const struct cell *cells);
void table_note(struct sink *sink, const char *key, const char *value, const char *more);
void table_title(struct sink *sink, const char *line);
void table_command(struct sink *sink, const char *line);

#endif
