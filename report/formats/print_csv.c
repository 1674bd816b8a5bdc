/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * print_csv: a line of headings, then a line a row, RFC 4180 with bare line feeds. Within
 * text there are none, nor other control characters: they are escaped as for a terminal.
 * A text that a spreadsheet would take for a formula has a ' in front.
 *
 * Groups are flattened: base.wall. Numbers are exact, times ns. What is null is empty;
 * what is an empty text is "". What stands beside the rows is left out.
 */
#include <stdio.h>
#include <string.h>

#include "report/formats/sheet.h"

/* True of what a spreadsheet may take for a formula: with a plain sign, or the fullwidth form of one (U+FF1D, U+FF0B,
 * U+FF0D, U+FF20). A tab or return in front of one is escaped, as all control characters are. */
static bool is_formula(const char *text, size_t length)
{
	static const char *const wide[] = {
		"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};

	if (length > 0 && memchr("=+-@", text[0], 4))
		return true;
	for (size_t i = 0; length >= 3 && i < sizeof(wide) / sizeof(*wide); i++)
		if (memcmp(text, wide[i], 3) == 0)
			return true;
	return false;
}

static void put_field(struct out *out, const char *text, size_t length)
{
	/* Names come from the program that was recorded. */
	const char *front = is_formula(text, length) ? "'" : "";

	if (length > 0 && !memchr(text, ',', length) && !memchr(text, '"', length)) {
		out_text(out, front);
		out_harmless(out, text, length);
		return;
	}
	out_char(out, '"');
	out_text(out, front);
	for (const char *end = text + length, *quote; text < end; text = quote) {
		quote = memchr(text + 1, '"', (size_t)(end - text) - 1);
		if (!quote)
			quote = end;
		if (*text == '"')
			out_char(out, '"');
		out_harmless(out, text, (size_t)(quote - text));
	}
	out_char(out, '"');
}

static void begin(struct sink *sink)
{
	for (unsigned i = 0; i < sink->shown; i++) {
		const struct column *column = &sink->sheet->column[sink->order[i]];
		char name[256];

		snprintf(name, sizeof(name), "%s%s%s", column->group ? column->group : "",
			column->group ? "." : "", column->key);
		if (i > 0)
			out_char(sink->out, ',');
		put_field(sink->out, name, strlen(name));
	}
	out_char(sink->out, '\n');
}

/* calls=counted cpu=sampled */
static void put_how(struct sink *sink, const struct cell *cell)
{
	const char *figure, *word, *before = "";
	unsigned at = 0;

	while ((figure = cell_how_next(sink->sheet, cell, &at, &word)) != NULL) {
		out_text(sink->out, before);
		out_text(sink->out, figure);
		out_char(sink->out, '=');
		out_text(sink->out, word);
		before = " ";
	}
}

/* a > b > c */
static void put_list(struct sink *sink, const struct cell *cell)
{
	struct out list;

	out_init(&list, -1);
	for (uint32_t i = 0; i < cell->length; i++) {
		if (i > 0)
			out_text(&list, " > ");
		out_bytes(&list, cell->texts[i].text, cell->texts[i].length);
	}
	if (list.failed != 0)
		sink->out->failed = list.failed;
	else if (cell->length > 0)
		put_field(sink->out, list.buffer, list.length);
	out_fini(&list);
}

static void row(struct sink *sink, const struct cell *cells, unsigned depth)
{
	for (unsigned i = 0; i < sink->shown; i++) {
		const struct cell *cell = &cells[sink->order[i]];

		if (i > 0)
			out_char(sink->out, ',');
		if (cell->kind == CELL_HOW)
			put_how(sink, cell);
		else if (cell->kind == CELL_TEXTS)
			put_list(sink, cell);
		else if (!out_cell(sink->out, cell) && cell->kind == CELL_TEXT)
			put_field(sink->out, cell->text, cell->length);
	}
	out_char(sink->out, '\n');
}

const struct format format_csv = {
	.name = "csv",
	.meaning = "a heading line and a line a row; groups flattened: base.wall",
	.use = IN_CSV,
	.begin = begin,
	.row = row,
};
