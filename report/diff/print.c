/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* print: text and CSV, and the table of formats. */
#include "report/diff/print.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error/columns.h"
#include "report/diff/words.h"
#include "report/formats/sheet.h"

/* ---- text ---- */

enum { INDENT = 2 };

/* A line, harmless, in as many as the terminal needs: broken between words, the rest indented. */
static void put_line(const struct diff_request *request, struct out *out, const char *line)
{
	struct out text;
	const char *rest, *end;
	size_t indent = 0;

	out_init(&text, -1);
	out_harmless(&text, line, strlen(line));
	out_char(&text, '\0');
	if (text.failed)
		out->failed = text.failed;
	rest = text.failed ? "" : text.buffer;
	while (request->width > 0 &&
		columns_count(rest, strlen(rest)) > request->width - indent) {
		end = rest + columns_at_most(rest, request->width - indent);
		for (const char *c = end; c > rest; c--)
			if (*c == ' ') {
				end = c;
				break;
			}
		out_bytes(out, rest, (size_t)(end - rest));
		out_char(out, '\n');
		rest = end + strspn(end, " ");
		indent = INDENT;
		out_spaces(out, indent);
	}
	out_text(out, rest);
	out_char(out, '\n');
	out_fini(&text);
}

/* Texts of a row, and the sheet's cells of them. */
struct text_row {
	struct diff_words before, after, change, percent, error;
};

static void text_columns(struct sheet *sheet, bool has_calls, const char *name)
{
	*sheet = (struct sheet){.view = "diff"};
	sheet_add(sheet, NULL, "before", "Before", IN_ALL);
	sheet_add(sheet, NULL, "after", "After", IN_ALL);
	sheet_add(sheet, NULL, "change", "Change", IN_ALL);
	sheet_add(sheet, NULL, "percent", "", IN_ALL);
	sheet_add(sheet, NULL, "error", "\xc2\xb1", IN_ALL);
	sheet_add(sheet, NULL, "verdict", "Verdict", IN_ALL | COLUMN_LEFT);
	if (has_calls)
		sheet_add(sheet, NULL, "calls", "Calls", IN_ALL);
	sheet_add_name(sheet, name);
}

static void put_row(struct sink *sink, const struct diff_figure *figure,
	const struct diff_change *change, const struct diff_words *calls, struct label name)
{
	struct text_row row = {diff_words(figure->kind, change->before),
		diff_words(figure->kind, change->after),
		diff_signed(figure->kind, change->change), diff_percent(change),
		diff_error(figure->kind, change)};
	struct cell cells[COLUMN_MAX], *cell = cells;

	*cell++ = cell_text(row.before.text);
	*cell++ = cell_text(row.after.text);
	*cell++ = cell_text(row.change.text);
	*cell++ = cell_text(row.percent.text);
	*cell++ = cell_text(row.error.text + (row.error.text[0] != '\0' ? 2 : 0));
	*cell++ = cell_text(diff_verdict_names[change->verdict]);
	if (calls)
		*cell++ = cell_text(calls->text);
	*cell = cell_label(name);
	sink_row(sink, cells, 0);
}

/* A table is seen twice where its columns are measured. */
static void print_table(const struct diff_request *request, const struct sheet *sheet,
	struct out *out, void (*rows)(void *data, struct sink *sink), void *data)
{
	struct sink sink;

	sink_init(&sink, request->width > 0 ? &format_screen : &format_text, sheet, out,
		request->colour);
	sink.terminal = request->width;
	if (sink.format->measures) {
		sink.measuring = true;
		rows(data, &sink);
		sink.measuring = false;
	}
	sink.format->begin(&sink);
	rows(data, &sink);
	if (sink.format->end)
		sink.format->end(&sink);
	if (sink.text.failed != 0)
		out->failed = sink.text.failed;
	sink_fini(&sink);
}

static void total_rows(void *data, struct sink *sink)
{
	const struct diff *diff = data;
	const struct diff_table *table = &diff->table[DIFF_TOTAL];
	int first = diff_first_total(diff);

	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < table->figure_count; i++) {
			struct diff_change change = diff_change(diff, DIFF_TOTAL, 0, i);

			/* The one that tells most stands first. */
			if (((int)i == first) != (pass == 0) ||
				change.verdict == DIFF_UNKNOWN ||
				(change.before == 0 && change.after == 0))
				continue;
			put_row(sink, &table->figure[i], &change, NULL,
				label_of(table->figure[i].name));
		}
	}
}

/* A table of items. */
struct item_rows {
	const struct diff *diff;
	const struct diff_request *request;
	const struct diff_ranking *ranking;
	unsigned figure;
	int calls; /* a column for the change of calls, or -1 */
	size_t shown;
};

static void put_items(void *data, struct sink *sink)
{
	const struct item_rows *rows = data;
	enum diff_by by = rows->request->by;

	for (size_t i = 0; i < rows->shown; i++) {
		uint32_t item = rows->ranking->item[i];
		struct diff_change change = diff_change(rows->diff, by, item, rows->figure);
		struct diff_words calls = {""};
		struct out name;

		if (rows->calls >= 0) {
			struct diff_change of =
				diff_change(rows->diff, by, item, (unsigned)rows->calls);

			if (diff_is_change(of.verdict))
				calls = diff_percent(&of);
		}
		out_init(&name, -1);
		diff_put_name(&name, rows->diff, by, item, true);
		if (name.failed)
			sink->out->failed = ENOMEM;
		else
			put_row(sink, &rows->diff->table[by].figure[rows->figure], &change,
				rows->calls >= 0 ? &calls : NULL,
				(struct label){name.buffer, name.length});
		out_fini(&name);
	}
}

static const char *const titles[DIFF_TABLES] = {
	"The whole program", "Methods", "Call paths", "Files"};
static const char *const headings[DIFF_TABLES] = {"Figure", "Method", "Path", "File"};

enum { TOP_USUAL = 10 };

static int print_items(const struct diff *diff, const struct diff_request *request,
	unsigned figure, struct out *out)
{
	const struct diff_figure *about = &diff->table[request->by].figure[figure];
	struct diff_ranking ranking;
	struct sheet sheet;
	struct item_rows rows = {diff, request, &ranking, figure, -1, 0};
	size_t wanted = request->top ? (size_t)request->top : TOP_USUAL;
	char line[256];
	int used;

	if (diff_rank(&ranking, diff, request->by, figure) != 0)
		return -1;
	/* It is not known of any item: such a table tells nothing. */
	if (!request->figure && ranking.count + ranking.same == 0) {
		diff_ranking_fini(&ranking);
		return 0;
	}
	rows.shown = request->all ? ranking.count : ranking.changed;
	if (rows.shown > wanted)
		rows.shown = wanted;
	used = snprintf(line, sizeof(line), "%s by %s: %zu changed, %zu noise, %zu same",
		titles[request->by], about->name, ranking.changed, ranking.noise, ranking.same);
	if (ranking.unknown > 0 && used > 0 && (size_t)used < sizeof(line))
		snprintf(line + used, sizeof(line) - (size_t)used, ", %zu not known",
			ranking.unknown);
	out_char(out, '\n');
	put_line(request, out, line);
	if (request->by != DIFF_FILE && strcmp(about->name, "calls") != 0)
		rows.calls = diff_figure_find(diff, request->by, "calls");
	if (rows.calls >= 0 && diff->table[request->by].figure[rows.calls].left_out)
		rows.calls = -1;
	text_columns(&sheet, rows.calls >= 0, headings[request->by]);
	if (rows.shown > 0)
		print_table(request, &sheet, out, put_items, &rows);
	if (rows.shown < (request->all ? ranking.count : ranking.changed)) {
		snprintf(line, sizeof(line), "(%zu more: --top)\n",
			(request->all ? ranking.count : ranking.changed) - rows.shown);
		out_text(out, line);
	}
	diff_ranking_fini(&ranking);
	return 0;
}

static void print_side(const struct diff *diff, enum diff_side side,
	const struct diff_request *request, struct out *out)
{
	bool first = true;
	struct out line;

	out_init(&line, -1);
	out_text(&line, side == DIFF_BEFORE ? "before: " : "after:  ");
	for (unsigned i = 0; i < diff->run_count; i++) {
		if (diff->run[i]->side != side)
			continue;
		out_text(&line, first ? "" : ", ");
		out_text(&line, diff->run[i]->file.text);
		first = false;
	}
	out_char(&line, '\0');
	put_line(request, out, line.failed ? "" : line.buffer);
	out_fini(&line);
}

static void print_notes(
	const struct diff *diff, const struct diff_request *request, struct out *out)
{
	char line[1100];

	if (diff->choice.normalize) {
		snprintf(line, sizeof(line), "divided by: %s", diff->choice.normalize);
		put_line(request, out, line);
	}
	for (size_t i = 0; i < diff->note_count; i++) {
		snprintf(line, sizeof(line), "note: %s", diff->note[i].text);
		put_line(request, out, line);
	}
}

static void print_rules(const struct diff_request *request, struct out *out)
{
	const struct rules *rules = request->rules;

	for (size_t i = 0; rules && i < rules->count; i++) {
		const struct rule_test *test = &rules->test[i];
		struct out line;

		out_text(out, i == 0 ? "\nRules\n" : "");
		out_init(&line, -1);
		out_text(&line, test->broken_count > 0 ? "broken   "
				: test->skipped.text   ? "skipped  "
						       : "kept     ");
		out_text(&line, test->name.text);
		out_char(&line, '\0');
		put_line(request, out, line.failed ? "" : line.buffer);
		out_fini(&line);
	}
}

static int print_text(
	const struct diff *diff, const struct diff_request *request, struct out *out)
{
	struct sheet sheet;
	unsigned figure[DIFF_TELLING], count = diff_telling(diff, request, figure);

	print_side(diff, DIFF_BEFORE, request, out);
	print_side(diff, DIFF_AFTER, request, out);
	print_notes(diff, request, out);
	out_char(out, '\n');
	text_columns(&sheet, false, headings[DIFF_TOTAL]);
	print_table(request, &sheet, out, total_rows, (void *)diff);
	for (unsigned i = 0; i < count; i++)
		if (print_items(diff, request, figure[i], out) != 0)
			return -1;
	print_rules(request, out);
	return 0;
}

const struct diff_format diff_format_text = {
	.name = "text",
	.meaning = "tables, as wide as the terminal; the largest changes first",
	.print = print_text,
};

/* ---- CSV ---- */

static struct cell number_cell(double value)
{
	return isfinite(value) ? cell_exact(value) : cell_null();
}

static void csv_columns(struct sheet *sheet)
{
	static const char *const keys[] = {"item", "id", "parent", "level", "class", "name",
		"signature", "figure", "before", "after", "change", "percent", "error", "share",
		"verdict"};

	*sheet = (struct sheet){.view = "diff"};
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		sheet_add(sheet, NULL, keys[i], "", IN_DATA);
}

static void csv_rows(const struct diff *diff, enum diff_by by, struct sink *sink)
{
	const struct diff_table *table = &diff->table[by];

	for (uint32_t i = 0; i < table->item_count; i++) {
		const struct diff_item *item = &table->item[i];
		const struct diff_name *name = diff_name(diff, by, i);

		for (unsigned f = 0; f < table->figure_count; f++) {
			struct diff_change change = diff_change(diff, by, i, f);
			struct cell cells[COLUMN_MAX], *cell = cells;
			bool is_path = by == DIFF_PATH;

			if (table->figure[f].left_out ||
				(change.before == 0 && change.after == 0))
				continue;
			*cell++ = cell_text(diff_by_names[by]);
			*cell++ = cell_number(i + 1);
			*cell++ = is_path && item->parent ? cell_number(item->parent)
							  : cell_null();
			*cell++ = is_path ? cell_number(item->level) : cell_null();
			*cell++ = cell_label(name->class_name);
			*cell++ = cell_label(name->name);
			*cell++ = cell_label(name->signature);
			*cell++ = cell_text(table->figure[f].name);
			*cell++ = number_cell(change.before);
			*cell++ = number_cell(change.after);
			*cell++ = number_cell(change.change);
			*cell++ = number_cell(100 * diff_growth(&change));
			*cell++ = number_cell(change.error);
			*cell++ = number_cell(change.share);
			*cell = cell_text(diff_verdict_names[change.verdict]);
			sink_row(sink, cells, 0);
		}
	}
}

static int print_csv(
	const struct diff *diff, const struct diff_request *request, struct out *out)
{
	extern const struct format format_csv;
	struct sheet sheet;
	struct sink sink;

	csv_columns(&sheet);
	sink_init(&sink, &format_csv, &sheet, out, false);
	sink.format->begin(&sink);
	csv_rows(diff, DIFF_TOTAL, &sink);
	csv_rows(diff, request->by, &sink);
	if (sink.format->end)
		sink.format->end(&sink);
	if (sink.text.failed != 0)
		out->failed = sink.text.failed;
	sink_fini(&sink);
	return 0;
}

static const struct diff_format diff_format_csv = {
	.name = "csv",
	.meaning = "a row a figure of an item; times in ns, sizes in bytes, exact",
	.print = print_csv,
};

/* ---- formats ---- */

extern const struct diff_format diff_format_json, diff_format_markdown, diff_format_junit;

const struct diff_format *const diff_formats[] = {
	&diff_format_text,
	&diff_format_json,
	&diff_format_csv,
	&diff_format_markdown,
	&diff_format_junit,
};

const size_t diff_format_count = sizeof(diff_formats) / sizeof(*diff_formats);

int diff_print(const struct diff *diff, const struct diff_request *request, int fd,
	struct error *error)
{
	struct out out;
	int failed;

	out_init(&out, fd);
	out.before_write = request->before_write;
	if (request->format->print(diff, request, &out) != 0)
		failed = error_set(error, ERROR_MEMORY, "no memory for the report");
	else
		failed = out_finish(&out, "report", error);
	out_fini(&out);
	return failed;
}
