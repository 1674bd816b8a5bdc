/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * print_text: aligned columns for people.
 *
 * Every row is seen twice: the first time the widest number of each column is kept, the
 * second time it is printed. The last column has no width.
 */
#include <stdio.h>
#include <string.h>

#include "report/formats/print_table.h"

#define INDENT 2
/* Deeper rows are indented like this one: their level stands in its own column. */
#define INDENT_DEEPEST 64

#define REAL_WIDTH 32

static char *number_text(const struct column *column, char *end, uint64_t value)
{
	if (column->flags & COLUMN_TIME)
		return number_milliseconds(end, value);
	return number_grouped(end, value);
}

/* "-12.3"; the length. */
static size_t real_text(char *field, double value)
{
	int length = snprintf(field, REAL_WIDTH, "%.1f", value);

	return length < REAL_WIDTH ? (size_t)length : REAL_WIDTH - 1;
}

static bool is_last(const struct sink *sink, unsigned place)
{
	return place + 1 == sink->shown;
}

static void measure_error(
	struct sink *sink, unsigned place, const struct cell *cell, uint64_t error)
{
	if (error > sink->largest_error[place])
		sink->largest_error[place] = error;
	sink->has_errors |= error > 0;
	sink->has_uncertain |= is_uncertain(cell, error);
	sink->has_estimates |= is_by_samples(cell);
	sink->has_divided |= cell->kind == CELL_DIVIDED;
}

static void measure(struct sink *sink, const struct cell *cells)
{
	char field[REAL_WIDTH];

	for (unsigned i = 0; i < sink->shown; i++) {
		const struct cell *cell = &cells[sink->order[i]];

		if (is_number(cell)) {
			uint64_t error = error_of(column_at(sink, i), cells);

			if (cell->number > sink->largest[i])
				sink->largest[i] = cell->number;
			if (error > 0 || is_by_samples(cell))
				measure_error(sink, i, cell, error);
		} else if (cell->kind == CELL_TEXT && !is_last(sink, i))
			sink->width[i] =
				larger(sink->width[i], out_width(cell->text, cell->length));
		else if (cell->kind == CELL_SAMPLED)
			sink->width[i] = larger(sink->width[i], strlen(CELL_SAMPLED_TEXT));
		else if (cell->kind == CELL_REAL)
			sink->width[i] = larger(sink->width[i], real_text(field, cell->real));
	}
}

/* Text in its column, to the left or the right of it. */
static void put_aligned(struct sink *sink, unsigned place, const char *text, size_t length)
{
	const struct column *column = column_at(sink, place);
	size_t width = out_width(text, length);
	size_t blank = sink->width[place] > width ? sink->width[place] - width : 0;

	if (column->flags & COLUMN_LEFT) {
		out_harmless(sink->out, text, length);
		if (!is_last(sink, place))
			out_spaces(sink->out, blank);
	} else {
		out_spaces(sink->out, blank);
		out_harmless(sink->out, text, length);
	}
	if (!is_last(sink, place))
		out_spaces(sink->out, 2);
}

static void begin(struct sink *sink)
{
	sink->terminal = 0;
	for (unsigned i = 0; i < sink->shown; i++) {
		const struct column *column = column_at(sink, i);
		uint64_t error = sink->largest_error[i];
		char field[NUMBER_WIDTH], *end = field + sizeof(field);
		size_t digits = (size_t)(end - number_text(column, end, sink->largest[i]));

		if (column->flags & COLUMN_LEFT)
			digits = 0;
		/* Of " ±12.3", which is a byte more than it is wide; 0 where all numbers are exact. */
		if (error > 0)
			sink->error_width[i] =
				strlen(" +") + (size_t)(end - number_text(column, end, error));
		digits += sink->error_width[i];
		if (error > 0 || sink->has_estimates)
			digits += sink->has_uncertain;
		sink->width[i] = larger(sink->width[i], digits);
		sink->width[i] = larger(sink->width[i], strlen(column->heading));
		sink->width[i] = larger(sink->width[i], strlen(column->unit));
	}
}

/* Names, and below them units, if there are any. */
static void headings(struct sink *sink)
{
	bool has_units = false;

	for (unsigned i = 0; i < sink->shown; i++)
		has_units |= column_at(sink, i)->unit[0] != '\0';
	for (int line = 0; line <= has_units; line++) {
		if (sink->colour)
			out_text(sink->out, STRONG);
		for (unsigned i = 0; i < sink->shown; i++) {
			const struct column *column = column_at(sink, i);
			const char *text = line == 0 ? column->heading : column->unit;

			put_aligned(sink, i, text, strlen(text));
		}
		trim_spaces(sink->out);
		if (sink->colour)
			out_text(sink->out, PLAIN);
		out_char(sink->out, '\n');
	}
}

/* In a column of numbers that have errors "~1,234.5 ±12.3", and spaces for what others have more. */
static void put_number(
	struct sink *sink, unsigned place, const struct cell *cells, uint64_t value)
{
	const struct column *column = column_at(sink, place);
	uint64_t error = error_of(column, cells);
	bool uncertain = is_uncertain(&cells[sink->order[place]], error);
	char field[NUMBER_WIDTH + 1], *end = field + sizeof(field);
	char *start = number_text(column, end, value);
	size_t behind = sink->error_width[place], length;

	if (uncertain)
		*--start = '~';
	length = (size_t)(end - start);
	if (behind == 0) {
		put_aligned(sink, place, start, length);
		return;
	}
	out_spaces(sink->out, sink->width[place] > length + behind
				      ? sink->width[place] - length - behind
				      : 0);
	if (uncertain && sink->colour)
		out_text(sink->out, GREY);
	out_bytes(sink->out, start, length);
	if (error > 0) {
		start = number_text(column, end, error);
		out_text(sink->out, " ±");
		out_bytes(sink->out, start, (size_t)(end - start));
		behind -= strlen(" +") + (size_t)(end - start);
	}
	out_spaces(sink->out, behind);
	if (uncertain && sink->colour)
		out_text(sink->out, sink->strong ? PLAIN STRONG : PLAIN);
	out_spaces(sink->out, 2);
}

static void put_cell(
	struct sink *sink, unsigned place, const struct cell *cells, unsigned depth)
{
	const struct column *column = column_at(sink, place);
	const struct cell *cell = &cells[sink->order[place]];
	char field[REAL_WIDTH];

	switch (cell->kind) {
	case CELL_NUMBER:
	case CELL_ESTIMATE:
	case CELL_DIVIDED:
		put_number(sink, place, cells, cell->number);
		break;
	case CELL_REAL:
		put_aligned(sink, place, field, real_text(field, cell->real));
		break;
	case CELL_TEXT:
		if (!is_last(sink, place)) {
			put_aligned(sink, place, cell->text, cell->length);
			break;
		}
		if (column->flags & COLUMN_NAME)
			out_spaces(sink->out,
				INDENT * (depth < INDENT_DEEPEST ? depth : INDENT_DEEPEST));
		out_harmless(sink->out, cell->text, cell->length);
		break;
	case CELL_SAMPLED:
		put_aligned(sink, place, CELL_SAMPLED_TEXT, strlen(CELL_SAMPLED_TEXT));
		break;
	case CELL_BOOL:
		put_aligned(sink, place, cell->number ? "yes" : "no", cell->number ? 3 : 2);
		break;
	case CELL_SIGNED:
	case CELL_EXACT:
	case CELL_NULL:
	case CELL_HOW:
	case CELL_JSON:
	case CELL_TEXTS:
		put_aligned(sink, place, "", 0);
		break;
	}
}

static void row(struct sink *sink, const struct cell *cells, unsigned depth)
{
	if (sink->measuring) {
		measure(sink, cells);
		return;
	}
	table_heading(sink);
	if (sink->strong)
		out_text(sink->out, STRONG);
	for (unsigned i = 0; i < sink->shown; i++)
		put_cell(sink, i, cells, depth);
	if (sink->strong)
		out_text(sink->out, PLAIN);
	out_char(sink->out, '\n');
}

static void end(struct sink *sink)
{
	table_heading(sink);
	if (sink->has_errors || sink->has_estimates)
		out_char(sink->out, '\n');
	if (sink->has_errors)
		out_text(sink->out,
			"±: half the width of the interval that holds the true figure");
	if (sink->has_errors && sink->has_uncertain)
		out_text(sink->out, "; ");
	if (sink->has_estimates)
		out_text(sink->out, mark_meaning(sink->has_divided));
	else if (sink->has_uncertain)
		out_text(sink->out, "~: uncertain by more than a quarter of its value");
	if (sink->has_errors || sink->has_estimates)
		out_char(sink->out, '\n');
}

const struct format format_text = {
	.name = "text",
	.meaning = "aligned columns; times in milliseconds",
	.use = IN_TEXT,
	.has_head = true,
	.measures = true,
	.colours = true,
	.begin = begin,
	.heading = headings,
	.row = row,
	.stanza = table_stanza,
	.part = table_part,
	.extra = table_extra,
	.note = table_note,
	.title = table_title,
	.command = table_command,
	.end = end,
};
