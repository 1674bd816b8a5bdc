/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * print_json: one object, {"view", "metrics", "rows", ...}, RFC 8259.
 *
 * What stands between two values of a row is the same in every row, so it is put together
 * once: prefix[i] stands before the value of the i-th column, prefix[shown] behind the last.
 */
#include <string.h>

#include "report/formats/sheet.h"

static void put_key(struct out *out, const char *key)
{
	out_json(out, key, strlen(key));
	out_char(out, ':');
}

/* How many bytes of both groups are the same objects, with the dot behind them; b's end counts
 * as one. */
static size_t shared_groups(const char *a, const char *b)
{
	size_t shared = 0;

	for (size_t i = 0;; i++) {
		bool a_ends = a[i] == '.' || a[i] == '\0', b_ends = b[i] == '.' || b[i] == '\0';

		if (a_ends && b_ends && i > shared)
			shared = i + (a[i] == '.' && b[i] == '.');
		if (a[i] != b[i] || a[i] == '\0')
			return shared;
	}
}

/* Ends the groups of the column before, starts those of this one, names the value. */
static void put_prefix(
	struct out *out, const struct column *before, const struct column *column, bool first)
{
	const char *left = before == NULL || !before->group ? "" : before->group;
	const char *entered = column == NULL || !column->group ? "" : column->group;
	size_t shared = shared_groups(left, entered), length;

	left += shared;
	entered += shared;
	left += *left == '.';
	entered += *entered == '.';
	/* The objects that the rest of a group's name has opened. */
	for (const char *end = left; *end != '\0'; end++)
		if (end == left || (*end == '.' && end[1] != '\0'))
			out_char(out, '}');
	if (!column)
		return;
	if (!first)
		out_char(out, ',');
	for (; *entered != '\0'; entered += length + (entered[length] == '.')) {
		length = strcspn(entered, ".");
		out_json(out, entered, length);
		out_text(out, ":{");
	}
	put_key(out, column->key);
}

static void make_prefixes(struct sink *sink)
{
	size_t start[COLUMN_MAX + 2];
	const struct column *before = NULL;

	for (unsigned i = 0; i <= sink->shown; i++) {
		const struct column *column =
			i < sink->shown ? &sink->sheet->column[sink->order[i]] : NULL;

		start[i] = sink->text.length;
		if (i == 0)
			out_char(&sink->text, '{');
		put_prefix(&sink->text, before, column, i == 0);
		if (!column)
			out_char(&sink->text, '}');
		before = column;
	}
	start[sink->shown + 1] = sink->text.length;
	for (unsigned i = 0; i <= sink->shown; i++)
		sink->prefix[i] =
			(struct label){sink->text.buffer + start[i], start[i + 1] - start[i]};
	if (sink->text.failed != 0)
		sink->out->failed = sink->text.failed;
}

static void begin(struct sink *sink)
{
	struct out *out = sink->out;

	make_prefixes(sink);
	out_text(out, "{\"view\":");
	out_json(out, sink->sheet->view, strlen(sink->sheet->view));
	out_text(out, ",\"metrics\":[");
	for (unsigned i = 0; i < sink->sheet->metric_count; i++) {
		const struct profile_metric *metric = sink->sheet->metric[i];

		out_text(out, i == 0 ? "{\"name\":" : ",{\"name\":");
		out_json(out, metric->name, strlen(metric->name));
		out_text(out, ",\"unit\":");
		out_json(out, metric->unit, strlen(metric->unit));
		out_char(out, '}');
	}
	out_text(out, "],\"rows\":[");
}

/* {"calls":"counted","cpu":"sampled"} */
static void put_how(struct out *out, const struct sheet *sheet, const struct cell *cell)
{
	const char *figure, *word, *before = "{";
	unsigned at = 0;

	while ((figure = cell_how_next(sheet, cell, &at, &word)) != NULL) {
		out_text(out, before);
		put_key(out, figure);
		out_json(out, word, strlen(word));
		before = ",";
	}
	out_char(out, '}');
}

static void put_list(struct out *out, const struct cell *cell)
{
	out_char(out, '[');
	for (uint32_t i = 0; i < cell->length; i++) {
		if (i > 0)
			out_char(out, ',');
		out_json(out, cell->texts[i].text, cell->texts[i].length);
	}
	out_char(out, ']');
}

static void put_value(struct out *out, const struct sheet *sheet, const struct cell *cell)
{
	if (out_cell(out, cell))
		return;
	if (cell->kind == CELL_HOW)
		put_how(out, sheet, cell);
	else if (cell->kind == CELL_TEXTS)
		put_list(out, cell);
	else if (cell->kind == CELL_JSON)
		out_bytes(out, cell->text, cell->length);
	else if (cell->kind == CELL_TEXT)
		out_json(out, cell->text, cell->length);
	else
		out_text(out, "null");
}

static void row(struct sink *sink, const struct cell *cells, unsigned depth)
{
	if (sink->out->failed != 0)
		return;
	/* The rows of a list, one to a line. */
	out_text(sink->out, sink->first_row ? "\n" : ",\n");
	sink->first_row = false;
	for (unsigned i = 0; i < sink->shown; i++) {
		out_bytes(sink->out, sink->prefix[i].text, sink->prefix[i].length);
		put_value(sink->out, sink->sheet, &cells[sink->order[i]]);
	}
	out_bytes(sink->out, sink->prefix[sink->shown].text, sink->prefix[sink->shown].length);
}

static void stanza(struct sink *sink, bool open)
{
	if (open) {
		out_text(sink->out, sink->first_stanza ? "\n{" : ",\n{");
		sink->part = NULL;
	} else {
		out_char(sink->out, '}');
	}
	sink->first_stanza = false;
}

static void part(struct sink *sink, const char *key, bool list, bool open)
{
	if (open) {
		if (sink->part)
			out_char(sink->out, ',');
		put_key(sink->out, key);
		if (list)
			out_char(sink->out, '[');
		sink->part = key;
		sink->first_row = true;
	} else if (list) {
		out_char(sink->out, ']');
	}
}

/* What stands beside rows is put behind them: a view may have more of them. */
static void extra(struct sink *sink, const char *key, const char *label, uint64_t rows,
	const struct cell *cells)
{
	const struct column *before = NULL;
	struct out *out = &sink->tail;

	out_char(out, ',');
	put_key(out, key);
	out_char(out, '{');
	if (rows > 0) {
		put_key(out, "rows");
		out_number(out, rows);
	}
	for (unsigned i = 0; i < sink->shown; i++) {
		const struct column *column = &sink->sheet->column[sink->order[i]];

		if (cells[sink->order[i]].kind == CELL_NULL)
			continue;
		put_prefix(out, before, column, before == NULL && rows == 0);
		put_value(out, sink->sheet, &cells[sink->order[i]]);
		before = column;
	}
	put_prefix(out, before, NULL, false);
	out_char(out, '}');
}

static void note(struct sink *sink, const char *key, const char *value, const char *more)
{
	out_char(&sink->tail, ',');
	put_key(&sink->tail, key);
	out_json(&sink->tail, value, strlen(value));
}

static void end(struct sink *sink)
{
	out_text(sink->out, "\n]");
	out_bytes(sink->out, sink->tail.buffer, sink->tail.length);
	out_text(sink->out, "}\n");
	if (sink->tail.failed != 0)
		sink->out->failed = sink->tail.failed;
}

const struct format format_json = {
	.name = "json",
	.meaning = "one object; times in ns, sizes in bytes, exact",
	.use = IN_JSON,
	.begin = begin,
	.row = row,
	.stanza = stanza,
	.part = part,
	.extra = extra,
	.note = note,
	.end = end,
};
