/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* format: the table of printers, and the calls a view makes to whichever is at work. */
#include <stdarg.h>
#include <stdio.h>

#include "report/formats/sheet.h"

extern const struct format format_csv;

const struct format *const formats[] = {
	&format_text,
	&format_json,
	&format_csv,
};

const size_t format_count = sizeof(formats) / sizeof(formats[0]);

/* The columns a format shows; in text by their place, else as the sheet has them. */
static void order_columns(struct sink *sink)
{
	const struct sheet *sheet = sink->sheet;

	for (unsigned i = 0; i < sheet->column_count; i++) {
		unsigned at = sink->shown;

		if ((sheet->column[i].flags & sink->format->use) == 0)
			continue;
		if (sink->format->use & IN_TEXT) {
			while (at > 0 && sheet->column[sink->order[at - 1]].place >
						 sheet->column[i].place) {
				sink->order[at] = sink->order[at - 1];
				at--;
			}
		}
		sink->order[at] = i;
		sink->shown++;
	}
}

void sink_init(struct sink *sink, const struct format *format, const struct sheet *sheet,
	struct out *out, bool colour)
{
	*sink = (struct sink){.format = format,
		.sheet = sheet,
		.out = out,
		.colour = colour && format->colours,
		.first_row = true,
		.first_stanza = true};
	out_init(&sink->text, -1);
	out_init(&sink->tail, -1);
	order_columns(sink);
	if (format->open)
		format->open(sink);
}

void sink_fini(struct sink *sink)
{
	out_fini(&sink->text);
	out_fini(&sink->tail);
}

void sink_row(struct sink *sink, const struct cell *cells, unsigned depth)
{
	sink->format->row(sink, cells, depth);
}

void sink_stanza(struct sink *sink, bool open)
{
	if (!sink->measuring && sink->format->stanza)
		sink->format->stanza(sink, open);
}

void sink_part(struct sink *sink, const char *key, bool list, bool open)
{
	if (!sink->measuring && sink->format->part)
		sink->format->part(sink, key, list, open);
}

void sink_extra(struct sink *sink, const char *key, const char *label, uint64_t rows,
	const struct cell *cells)
{
	if (sink->format->extra)
		sink->format->extra(sink, key, label, rows, cells);
}

void sink_title(struct sink *sink, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	if (sink->measuring || !sink->format->title)
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	sink->format->title(sink, line);
}

void sink_command(struct sink *sink, const char *line)
{
	if (!sink->measuring && sink->format->command)
		sink->format->command(sink, line);
}

void sink_note(struct sink *sink, const char *key, const char *value, const char *more)
{
	if (!sink->measuring && sink->format->note)
		sink->format->note(sink, key, value, more);
}
