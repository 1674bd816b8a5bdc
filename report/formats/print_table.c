/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* print_table: see print_table.h. */
#include "report/formats/print_table.h"

#include <stdio.h>
#include <string.h>

#include "error/utf8.h"
#include "report/text/figure.h"

void table_heading(struct sink *sink)
{
	if (sink->headed || sink->measuring)
		return;
	sink->headed = true;
	sink->format->heading(sink);
}

/* As much of a word as fits into so many columns, at least a character. */
static size_t piece_of(const char *word, size_t length, size_t columns)
{
	size_t piece = 0, width = 0;

	while (piece < length) {
		size_t bytes = utf8_length(word + piece, length - piece);

		bytes = bytes > 0 ? bytes : 1;
		width += out_width(word + piece, bytes);
		if (piece > 0 && width > columns)
			break;
		piece += bytes;
	}
	return piece;
}

void table_words(struct sink *sink, const char *text, size_t from)
{
	size_t column = from, room = sink->terminal > from ? sink->terminal - from : 1;

	if (sink->terminal == 0)
		out_harmless(sink->out, text, strlen(text));
	while (sink->terminal > 0 && *text != '\0') {
		size_t length = strcspn(text, " "), width = out_width(text, length);

		if (column > from && column + 1 + width > sink->terminal) {
			out_char(sink->out, '\n');
			out_spaces(sink->out, from);
			column = from;
		} else if (column > from) {
			out_char(sink->out, ' ');
			column++;
		}
		/* A word that is wider than a line goes on in the next one. */
		while (width > room) {
			size_t piece = piece_of(text, length, room);

			if (piece == length)
				break;
			out_harmless(sink->out, text, piece);
			out_char(sink->out, '\n');
			out_spaces(sink->out, from);
			text += piece;
			length -= piece;
			width = out_width(text, length);
		}
		out_harmless(sink->out, text, length);
		column += width;
		text += length;
		text += strspn(text, " ");
	}
}

void table_stanza(struct sink *sink, bool open)
{
	table_heading(sink);
	if (open && !sink->first_stanza)
		out_char(sink->out, '\n');
	sink->first_stanza &= !open;
}

/* The one row of a stanza stands out among its lists. */
void table_part(struct sink *sink, const char *key, bool list, bool open)
{
	sink->strong = sink->colour && open && !list;
}

void table_extra(struct sink *sink, const char *key, const char *label, uint64_t rows,
	const struct cell *cells)
{
	struct cell named[COLUMN_MAX];
	char exact[NUMBER_WIDTH] = "", text[160];
	const char *count = number_grouped(exact + sizeof(exact) - 1, rows);

	if (rows == 0)
		snprintf(text, sizeof(text), "(%s)", label);
	else
		snprintf(text, sizeof(text), "(%s %s)",
			sink->format->shares ? figure_text(FIGURE_COUNT, rows).text : count,
			label);
	memcpy(named, cells, sink->sheet->column_count * sizeof(*cells));
	for (unsigned i = 0; i < sink->sheet->column_count; i++) {
		if (sink->sheet->column[i].flags & COLUMN_NAME)
			named[i] = cell_text(text);
	}
	sink->beside = sink->has_extra = true;
	sink->format->row(sink, named, 0);
	sink->beside = false;
}

void table_note(struct sink *sink, const char *key, const char *value, const char *more)
{
	struct out line;

	table_heading(sink);
	out_init(&line, -1);
	out_text(&line, key);
	out_text(&line, ": ");
	out_text(&line, value);
	out_text(&line, more);
	out_char(&line, '\0');
	out_char(sink->out, '\n');
	if (line.failed == 0)
		table_words(sink, line.buffer, 0);
	out_char(sink->out, '\n');
	out_fini(&line);
}

void table_title(struct sink *sink, const char *line)
{
	size_t indent = strspn(line, " ");

	if (sink->headed)
		out_char(sink->out, '\n');
	out_spaces(sink->out, indent);
	table_words(sink, line + indent, indent);
	out_char(sink->out, '\n');
	sink->headed = false;
}

/* The length of the first word of a command, as a shell takes it: '...' and $'...' are of one. */
static size_t shell_word(const char *text)
{
	bool quoted = false, escapes = true;
	size_t at = 0;

	for (; text[at] != '\0' && (quoted || text[at] != ' '); at++) {
		if (text[at] == '\\' && escapes && text[at + 1] != '\0')
			at++;
		else if (text[at] == '\'') {
			quoted = !quoted;
			/* A backslash means nothing within '...'. */
			escapes = !quoted || (at > 0 && text[at - 1] == '$');
		}
	}
	return at;
}

/* The same of an option with its value. */
static size_t shell_words(const char *text)
{
	size_t length = shell_word(text);

	if (strncmp(text, "--", 2) == 0 && text[length] == ' ' && text[length + 1] != '-')
		length += 1 + shell_word(text + length + 1);
	return length;
}

/* Where the line ends, the command goes on in the next one, as shells have it. */
void table_command(struct sink *sink, const char *line)
{
	enum { INDENT = 2, FURTHER = 6, CONTINUED = 2 };
	size_t column = INDENT;

	out_spaces(sink->out, INDENT);
	while (*line != '\0') {
		size_t length = shell_words(line), width = out_width(line, length);
		size_t behind = line[length] != '\0' ? CONTINUED : 0;

		if (column > INDENT && sink->terminal > 0 &&
			column + 1 + width + behind > sink->terminal) {
			out_text(sink->out, " \\\n");
			out_spaces(sink->out, FURTHER);
			column = FURTHER;
		} else if (column > INDENT) {
			out_char(sink->out, ' ');
			column++;
		}
		out_harmless(sink->out, line, length);
		column += width;
		line += length;
		line += *line == ' ';
	}
	out_char(sink->out, '\n');
	sink->headed = true;
}
