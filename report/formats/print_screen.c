/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * print_screen: a table that fits a terminal.
 *
 *   Self cpu        Total cpu       Calls  Name
 *   412 ms  31.2%   1.32 s  100%   1.24 M  org.h2.mvstore.MVMap.operate
 *
 * Every row is seen twice. The first time each column is looked at: is it zero, or the
 * same, in every row, and how wide is its widest figure. Then layout() decides which
 * columns there is room for. The name, always last, gets what is left of the line, and is
 * shortened to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/figure.h"
#include "report/formats/print_table.h"
#include "error/harmless.h"

#define GAP           2
#define INDENT        1
#define PERCENT_WIDTH 6  /* " 45.1%" */
#define ERROR_WIDTH   5  /* " ±0.5" */
#define TEXT_WIDTH    36 /* of texts that are not the name */
#define TEXT_LINES    8  /* of a text that is told whole */
#define NAME_SIZE     4096
#define NAME_LEAST    12 /* columns, in a terminal that is too narrow */

/* ---- what fits ---- */

/* The lower the weight, the sooner a column gets its room, and the further left it
 * stands. The first row that fits a column counts; a metric's columns are lighter than
 * those of the next. */
enum {
	WEIGHT_NARROW = 15, /* a text of it has a quarter of the line at most */
	WEIGHT_METRIC = 20,
	WEIGHT_OTHER = 200,
	WEIGHT_NEVER = 10000
};

static const struct weight {
	const char *view, *group, *key; /* NULL: any */
	unsigned weight;
} weights[] = {
	{NULL, NULL, "name", 0},
	{NULL, NULL, "part", 1},
	/* The name's indent says it. */
	{"tree", NULL, "level", WEIGHT_NEVER},
	{"tree", NULL, "recursion", WEIGHT_NEVER},
	{"component-tree", NULL, "level", WEIGHT_NEVER},
	{"component-tree", NULL, "recursion", WEIGHT_NEVER},
	{"io-tree", NULL, "level", WEIGHT_NEVER},
	{"event-tree", NULL, "level", WEIGHT_NEVER},
	/* The row's name is when. */
	{"seconds", NULL, "at", WEIGHT_NEVER},
	{"seconds", "per_second", "calls", 2},
	{"seconds", "per_second", "ops", WEIGHT_OTHER},
	{"seconds", "per_second", "bytes", WEIGHT_OTHER},
	{"seconds", "per_second", "io_ns", WEIGHT_OTHER},
	{"seconds", "per_second", NULL, 10},
	/* What is slow, and how much of its parameter's that is. */
	{"values", "cum", NULL, 10},
	{"values", NULL, "share", 11},
	{"values", NULL, "calls", 12},
	{"values", NULL, "rows", WEIGHT_METRIC},
	{"values", NULL, "parameter", WEIGHT_METRIC + 1},
	{"values", "base", NULL, WEIGHT_METRIC + 2},
	{"tags", NULL, "key", 9},
	{"tags", NULL, "threads", 13},
	{"tags", NULL, "rows", WEIGHT_METRIC + 1},
	{"tags", "waits", "ns", WEIGHT_METRIC + 2},
	/* Time that passed in I/O, or waiting, tells of a layer that is slow without the processor. */
	{"components", "io.cum.all", "ns", WEIGHT_METRIC},
	{"components", "waits.cum", "ns", WEIGHT_METRIC + 1},
	{"components", NULL, "calls", WEIGHT_METRIC + 2},
	{"components", "io.cum.all", NULL, WEIGHT_OTHER},
	{"components", "allocated.cum", NULL, WEIGHT_OTHER},
	{"applications", "io.cum.all", "ns", WEIGHT_METRIC},
	{"applications", "waits.cum", "ns", WEIGHT_METRIC + 1},
	{"applications", NULL, "calls", WEIGHT_METRIC + 2},
	{"applications", "io.cum.all", NULL, WEIGHT_OTHER},
	{"applications", "allocated.cum", NULL, WEIGHT_OTHER},
	{NULL, "io", "ns", 6},
	{NULL, "io", NULL, 18},
	{NULL, "total", NULL, 10},
	{"io-methods", NULL, NULL, WEIGHT_OTHER},
	{"io-tree", NULL, NULL, WEIGHT_OTHER},
	{"distribution", "elapsed", NULL, 5},
	{"distribution", NULL, "calls", 2},
	{"distribution", NULL, "failed", 3},
	{"distribution", NULL, "sketch", 9},
	{"distribution", "base", "p90", 11},
	{"distribution", "base", "p99_9", 11},
	{"distribution", "base", NULL, 8},
	{"distribution", "process", "mean", 6},
	{"distribution", "process", "p99", 6},
	{"distribution", "process", "max", 6},
	{"distribution", "process", NULL, 12},
	{"slowest", NULL, "calls", 6},
	{"slowest", NULL, "elapsed", 2},
	{"slowest", NULL, "base", 3},
	{"slowest", NULL, "cpu", 4},
	{"slowest", "process", NULL, 4},
	{"slowest", NULL, "began", 5},
	{"slowest", NULL, "thread", 7},
	{"slowest", NULL, "failed", 8},
	/* What is alive, and how old. */
	{"alive", "alive", "bytes", 2},
	{"alive", "alive", "objects", 3},
	{"alive", "alive", "age", 4},
	{"object-paths", "alive", "bytes", 2},
	{"object-paths", "allocated", "bytes", 3},
	{"object-paths", "alive", "age", 4},
	/* The path needs the room. */
	{"object-paths", "alive", NULL, WEIGHT_NEVER},
	{"object-paths", "allocated", "samples", WEIGHT_NEVER},
	{"object-tree", "cum.allocated", "bytes", 2},
	{"object-tree", "base.allocated", "bytes", 3},
	{"object-tree", "cum.alive", "bytes", 4},
	{"object-tree", "base.alive", "bytes", WEIGHT_METRIC + 1},
	{"deoptimizations", NULL, "count", 2},
	{"deoptimizations", NULL, "kind", 3},
	{"deoptimizations", NULL, "reason", 4},
	{"deoptimizations", NULL, "level", WEIGHT_METRIC},
	{"exceptions", NULL, "count", 2},
	{NULL, "base", NULL, 10},
	{NULL, "cum", NULL, 12},
	{"diff", NULL, "before", 10},
	{"diff", NULL, "after", 11},
	{"diff", NULL, "change", 12},
	{"diff", NULL, "percent", 13},
	{"diff", NULL, "verdict", 14},
	{"diff", NULL, "error", WEIGHT_METRIC},
	{"diff", NULL, "calls", WEIGHT_METRIC + 1},
	{NULL, NULL, "calls", 14},
	{"states", "samples", NULL, WEIGHT_OTHER},
	{"lines", "samples", NULL, 10},
	/* Who waits for whom; the lock is the name, but of waits by path. */
	{NULL, "contended", "ns", 2},
	{NULL, "contended", "waits", 3},
	{NULL, NULL, "unfinished", 4},
	{"long-waits", NULL, "ns", 2},
	{"long-waits", NULL, "ended", 3},
	{"long-waits", NULL, "thread", WEIGHT_NARROW},
	{"long-waits", "holder", "thread", WEIGHT_NARROW},
	{"wait-pairs", "holder", "thread", WEIGHT_NARROW},
	{"long-waits", NULL, "begin", WEIGHT_METRIC},
	{"long-waits", "holder", "method", WEIGHT_METRIC + 1},
	{"waits", NULL, "lock", WEIGHT_METRIC},
	{NULL, "holder", "method", WEIGHT_NARROW},
	{NULL, "contended", NULL, WEIGHT_METRIC + 1},
	{NULL, "holder", "thread", WEIGHT_METRIC + 2},
	{NULL, "idle", NULL, WEIGHT_OTHER + 60},
	{"lines", NULL, "line", 12},
	{"lines", NULL, "of", 14},
	{NULL, "samples", NULL, WEIGHT_METRIC + 2},
	{NULL, "samples_cum", NULL, WEIGHT_METRIC + 4},
	/* The column `problems` says it. */
	{"threads", NULL, "repaired", WEIGHT_NEVER},
	{"threads", NULL, "unmatched", WEIGHT_NEVER},
	{"threads", NULL, "lost", WEIGHT_NEVER},
	{"threads", NULL, "pruned", WEIGHT_NEVER},
	{"threads", NULL, "unwound", WEIGHT_NEVER},
	{"threads", NULL, "problems", WEIGHT_METRIC},
	{NULL, "entered", NULL, WEIGHT_OTHER + 50},
};

/* The column is in that group, or in one in it. */
static bool is_in(const struct column *column, const char *group)
{
	size_t length = strlen(group);

	return column->group && strncmp(column->group, group, length) == 0 &&
	       (column->group[length] == '\0' || column->group[length] == '.');
}

static unsigned weight_of(const struct sheet *sheet, const struct column *column)
{
	unsigned first = column->place >= PLACE_SAMPLES ? PLACE_SAMPLES : PLACE_METRIC;
	bool metric = column->place >= PLACE_METRIC && column->place < PLACE_LAST;

	if (column->flags & COLUMN_ASIDE)
		return WEIGHT_NEVER;
	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		const struct weight *row = &weights[i];

		if ((row->view && strcmp(row->view, sheet->view) != 0) ||
			(row->key && strcmp(row->key, column->key) != 0) ||
			(row->group && !is_in(column, row->group)) ||
			(!row->group && row->key && column->group))
			continue;
		/* Those of metrics and conditions are in groups. */
		metric &= row->group != NULL;
		return row->weight + (metric ? (column->place - first) / 2 * WEIGHT_METRIC : 0);
	}
	return WEIGHT_OTHER + (metric ? column->place - first : 0);
}

/* Orders the columns by weight; the last one stays where it is. */
static void open_screen(struct sink *sink)
{
	for (unsigned i = 1; i + 1 < sink->shown; i++) {
		unsigned at = i, column = sink->order[i];
		unsigned weight = weight_of(sink->sheet, &sink->sheet->column[column]);

		for (; at > 0 && weight_of(sink->sheet, column_at(sink, at - 1)) > weight; at--)
			sink->order[at] = sink->order[at - 1];
		sink->order[at] = column;
	}
}

/* ---- the first time: what columns are like ---- */

static bool is_same(const struct cell *a, const struct cell *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == CELL_TEXT)
		return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
	return a->kind == CELL_NULL || a->number == b->number;
}

/* What stands in a cell but for the mark before and the percentage behind it. */
static struct figure cell_figure(const struct column *column, const struct cell *cell)
{
	/* Ids are names: their digits say nothing about how many. */
	bool is_identity = (column->flags & COLUMN_RISING) && !(column->flags & COLUMN_TIME);
	enum figure_kind kind =
		column->flags & COLUMN_TIME ? FIGURE_TIME
		: (column->flags & COLUMN_BYTES) || strcmp(column->unit, "bytes") == 0
			? FIGURE_BYTES
			: FIGURE_COUNT;
	struct figure figure = {"", ""};

	if (is_number(cell) && is_identity)
		snprintf(figure.digits, sizeof(figure.digits), "%llu",
			(unsigned long long)cell->number);
	else if (is_number(cell))
		figure = figure_make(kind, cell->number);
	else if (cell->kind == CELL_REAL)
		snprintf(figure.digits, sizeof(figure.digits), "%.1f", cell->real);
	else if (cell->kind == CELL_BOOL)
		snprintf(figure.digits, sizeof(figure.digits), "%s",
			cell->number ? "yes" : "no");
	return figure;
}

/* Its share has an error. */
static bool tells_error(const struct column *column)
{
	return column->taken > 0 || (column->flags & COLUMN_ERROR);
}

/* The share behind a figure, if there is one: " 45.1%", of samples " 45.1% ±0.5". */
static size_t share_width(const struct column *column)
{
	return column->whole == 0 ? 0 : PERCENT_WIDTH + (tells_error(column) ? ERROR_WIDTH : 0);
}

/* One that is no row, but stands beside them, is measured without its text, which is not
 * kept. */
static void measure(struct sink *sink, const struct cell *cells, unsigned depth)
{
	bool is_row = !sink->beside;

	for (unsigned i = 0; i < sink->shown; i++) {
		const struct column *column = column_at(sink, i);
		const struct cell *cell = &cells[sink->order[i]];
		struct screen_column *screen = &sink->screen[i];
		struct figure figure = cell_figure(column, cell);
		size_t indent = column->flags & COLUMN_NAME ? INDENT * (size_t)depth : 0;

		if (is_row && sink->rows == 0)
			screen->first = *cell;
		screen->varies |= is_row && !is_same(&screen->first, cell);
		screen->nonzero |= cell->kind == CELL_TEXT ? cell->length > 0
				   : is_number(cell)       ? cell->number > 0
							   : cell->kind != CELL_NULL;
		screen->uncertain |=
			is_number(cell) && is_uncertain(cell, error_of(column, cells));
		screen->estimated |= is_by_samples(cell);
		screen->divided |= cell->kind == CELL_DIVIDED;
		screen->digits = larger(screen->digits, strlen(figure.digits));
		screen->unit = larger(screen->unit, strlen(figure.unit));
		if (cell->kind == CELL_SAMPLED)
			screen->text = larger(screen->text, strlen(CELL_SAMPLED_TEXT));
		if (cell->kind == CELL_TEXT)
			screen->text = larger(
				screen->text, indent + out_width(cell->text, cell->length));
	}
	sink->rows += is_row;
}

/* ---- layout: which columns are shown ---- */

/* Columns that are left out, for one reason. */
struct absent {
	const char *reason;
	const char *group; /* of the last one that was named, or NULL */
	struct out text;
};

/* Another column in text is called so, too. */
static bool is_common(const struct sink *sink, const struct column *column)
{
	bool any = false;

	for (unsigned i = 0; i < sink->shown && !any; i++)
		any = column_at(sink, i) != column &&
		      strcmp(column_at(sink, i)->heading, column->heading) == 0;
	return any;
}

/* Adds "Lost, Pruned" behind the reason. "Bytes", which many groups have, is named by the group's first alone. */
static void add_absent(
	const struct sink *sink, struct absent *absent, const struct column *column)
{
	bool is_named =
		column->group && absent->group && strcmp(column->group, absent->group) == 0;

	if (sink->sheet->brief || (is_named && is_common(sink, column)))
		return;
	out_text(&absent->text, absent->text.length == 0 ? absent->reason : ", ");
	out_text(&absent->text, column->heading);
	absent->group = column->group;
}

/* And what that column says. */
static void add_value(const struct sink *sink, struct out *absent, const struct column *column,
	const struct cell *cell)
{
	struct figure figure = cell_figure(column, cell);
	char name[NAME_SIZE];

	if (sink->sheet->brief || (cell->kind != CELL_TEXT && figure.digits[0] == '\0'))
		return;
	out_char(absent, ' ');
	if (cell->kind == CELL_TEXT) {
		figure_name(name, sizeof(name), cell->text, cell->length, TEXT_WIDTH);
		out_text(absent, cell->length > 0 ? name : "-");
		return;
	}
	out_text(absent, figure.digits);
	out_text(absent, figure.unit[0] != '\0' ? " " : "");
	out_text(absent, figure.unit);
}

/* True if it says the same in every row, and what stands beside them has nothing else to say. */
static bool says_one_thing(const struct sink *sink, const struct screen_column *screen)
{
	bool is_zero = is_number(&screen->first) && screen->first.number == 0;

	return sink->rows > 1 && !screen->varies && !(is_zero && screen->nonzero);
}

/* The columns that say something and fit; what is left out is noted in sink->text. */
static void layout(struct sink *sink)
{
	/* Where nothing else stands beside the last column a text has half of the line. */
	size_t last = sink->shown - 1, used = 0, name = sink->terminal * 2 / 5,
	       text = last == 1 ? sink->terminal * 11 / 20 : TEXT_WIDTH;
	struct absent zero = {.reason = "nothing in: "},
		      same = {.reason = "the same in every row: "},
		      narrow = {.reason = "no room for: "};
	bool full = false;

	out_init(&zero.text, -1);
	out_init(&same.text, -1);
	out_init(&narrow.text, -1);
	if (sink->screen[last].text < name)
		name = larger(sink->screen[last].text, strlen(column_at(sink, last)->heading));
	for (unsigned i = 0; i < last; i++) {
		const struct column *column = column_at(sink, i);
		struct screen_column *screen = &sink->screen[i];
		unsigned weight = weight_of(sink->sheet, column);

		screen->width = screen->uncertain + screen->digits + (screen->unit > 0) +
				screen->unit + share_width(column);
		if (weight == WEIGHT_NARROW && screen->text > sink->terminal / 4)
			screen->text = sink->terminal / 4;
		screen->width =
			larger(screen->width, screen->text < text ? screen->text : text);
		screen->width = larger(
			screen->width, out_width(column->heading, strlen(column->heading)));
		if (weight >= WEIGHT_NEVER)
			continue;
		if (weight >= WEIGHT_METRIC && sink->rows > 0 && !screen->nonzero) {
			add_absent(sink, &zero, column);
		} else if (weight >= WEIGHT_OTHER && says_one_thing(sink, screen)) {
			add_absent(sink, &same, column);
			add_value(sink, &same.text, column, &screen->first);
		} else if ((weight >= WEIGHT_METRIC &&
				   (full || used + screen->width + GAP + name >
						    sink->terminal)) ||
			   used + screen->width + GAP + NAME_LEAST > sink->terminal) {
			full = true;
			add_absent(sink, &narrow, column);
		} else {
			screen->shown = true;
			used += screen->width + GAP;
		}
	}
	sink->screen[last].shown = true;
	sink->screen[last].width =
		sink->terminal > used + NAME_LEAST ? sink->terminal - used : NAME_LEAST;
	for (unsigned i = 0; i < 3; i++) {
		struct out *part = (struct out *[]){&zero.text, &same.text, &narrow.text}[i];

		if (part->length > 0 && sink->text.length > 0)
			out_text(&sink->text, "; ");
		out_bytes(&sink->text, part->buffer, part->length);
		out_fini(part);
	}
}

/* ---- the second time ---- */

static void put_style(struct sink *sink, const char *style)
{
	if (sink->colour)
		out_text(sink->out, style);
}

/* Text to the left or right of its width; nothing behind the last column. */
static void put_text(struct sink *sink, unsigned place, const char *text)
{
	size_t width = out_width(text, strlen(text)), all = sink->screen[place].width;
	size_t blank = all > width ? all - width : 0;
	bool left = column_at(sink, place)->flags & COLUMN_LEFT;

	out_spaces(sink->out, left ? 0 : blank);
	out_harmless(sink->out, text, strlen(text));
	if (place + 1 < sink->shown)
		out_spaces(sink->out, (left ? blank : 0) + GAP);
}

static void heading(struct sink *sink)
{
	put_style(sink, STRONG);
	for (unsigned i = 0; i < sink->shown; i++) {
		if (sink->screen[i].shown)
			put_text(sink, i, column_at(sink, i)->heading);
	}
	put_style(sink, PLAIN);
	out_char(sink->out, '\n');
}

/* " ±0.5" behind a share, or as many spaces. */
static void put_error(char *line, size_t size, const struct column *column,
	const struct cell *cells, uint64_t figure)
{
	struct figure_text error =
		column->taken > 0
			? figure_share_error(figure, column->whole, column->taken)
			: figure_error(figure > 0 ? error_of(column, cells) : 0, column->whole);
	size_t length = strlen(line), width = out_width(error.text, strlen(error.text));

	snprintf(line + length, size - length, " %s%*s", error.text,
		(int)(ERROR_WIDTH - 1 - width), "");
}

/* "~45.1 ms  12.3%", each part in its place. */
static void put_figure(struct sink *sink, unsigned place, const struct cell *cells)
{
	const struct column *column = column_at(sink, place);
	const struct screen_column *screen = &sink->screen[place];
	const struct cell *cell = &cells[sink->order[place]];
	struct figure figure = cell_figure(column, cell);
	bool uncertain = is_number(cell) && is_uncertain(cell, error_of(column, cells));
	size_t width = screen->digits + (screen->unit > 0) + screen->unit + share_width(column);
	size_t used = strlen(figure.digits) + uncertain;
	char line[160];

	snprintf(line, sizeof(line), "%s%s%s%-*s", uncertain ? "~" : "", figure.digits,
		screen->unit > 0 ? " " : "", (int)screen->unit, figure.unit);
	if (column->whole > 0) {
		size_t length = strlen(line);

		snprintf(line + length, sizeof(line) - length, "%*s", PERCENT_WIDTH,
			is_number(cell) ? figure_percent(cell->number, column->whole).text
					: "");
	}
	if (column->whole > 0 && tells_error(column))
		put_error(
			line, sizeof(line), column, cells, is_number(cell) ? cell->number : 0);
	if (column->flags & COLUMN_LEFT) {
		out_text(sink->out, line);
		used = strlen(line);
		out_spaces(sink->out, screen->width > used ? screen->width - used : 0);
	} else {
		used = width - screen->digits + used;
		out_spaces(sink->out, screen->width > used ? screen->width - used : 0);
		if (uncertain)
			put_style(sink, GREY);
		out_text(sink->out, line);
		if (uncertain)
			put_style(sink, sink->strong ? PLAIN STRONG : PLAIN);
	}
	out_spaces(sink->out, GAP);
}

/* Deeper names than a third of the line stand no further right, but say how deep they are. */
static void put_name(struct sink *sink, unsigned place, const struct cell *cell, unsigned depth)
{
	size_t room = sink->screen[place].width, indent = INDENT * (size_t)depth;
	char name[NAME_SIZE], level[16] = "";

	if (indent > room / 3) {
		snprintf(level, sizeof(level), "%u> ", depth);
		indent = room / 3;
	}
	out_spaces(sink->out, indent);
	out_text(sink->out, level);
	indent += strlen(level);
	figure_name(name, sizeof(name), cell->text, cell->length,
		room > indent ? room - indent : 0);
	out_text(sink->out, name);
}

static void put_cell(
	struct sink *sink, unsigned place, const struct cell *cells, unsigned depth)
{
	const struct cell *cell = &cells[sink->order[place]];
	char text[NAME_SIZE];

	if (cell->kind == CELL_SAMPLED) {
		put_text(sink, place, CELL_SAMPLED_TEXT);
	} else if (cell->kind != CELL_TEXT) {
		put_figure(sink, place, cells);
	} else if (place + 1 == sink->shown && !(column_at(sink, place)->flags & COLUMN_NAME)) {
		/* A text that is no name is shown whole, unless it is endless. */
		size_t from = 0;

		for (unsigned i = 0; i < place; i++)
			from += sink->screen[i].shown ? sink->screen[i].width + GAP : 0;
		figure_name(text, sizeof(text), cell->text, cell->length,
			TEXT_LINES * sink->screen[place].width);
		table_words(sink, text, from);
	} else if (place + 1 == sink->shown) {
		put_name(sink, place, cell, depth);
	} else {
		figure_name(text, sizeof(text), cell->text, cell->length,
			sink->screen[place].width);
		put_text(sink, place, text);
	}
}

static void row(struct sink *sink, const struct cell *cells, unsigned depth)
{
	if (sink->measuring) {
		measure(sink, cells, depth);
		return;
	}
	table_heading(sink);
	if (sink->strong)
		out_text(sink->out, STRONG);
	for (unsigned i = 0; i < sink->shown; i++) {
		if (sink->screen[i].shown)
			put_cell(sink, i, cells, depth);
	}
	trim_spaces(sink->out);
	if (sink->strong)
		out_text(sink->out, PLAIN);
	out_char(sink->out, '\n');
}

static void end(struct sink *sink)
{
	bool uncertain = false, estimated = false, divided = false, errors = false;

	table_heading(sink);
	/* A line of headings alone would look as if something were missing. */
	if (sink->rows == 0 && !sink->has_extra) {
		out_text(sink->out, "(none)\n");
		return;
	}
	for (unsigned i = 0; i < sink->shown; i++) {
		uncertain |= sink->screen[i].shown && sink->screen[i].uncertain;
		estimated |= sink->screen[i].shown && sink->screen[i].estimated;
		divided |= sink->screen[i].shown && sink->screen[i].divided;
		errors |= sink->screen[i].shown && sink->screen[i].nonzero &&
			  column_at(sink, i)->whole > 0 && tells_error(column_at(sink, i));
	}
	if (uncertain && sink->text.length > 0)
		out_text(&sink->text, "; ");
	if (uncertain)
		out_text(&sink->text, estimated ? mark_meaning(divided)
						: "~: uncertain by a quarter or more");
	if (errors && sink->text.length > 0)
		out_text(&sink->text, "; ");
	if (errors)
		out_text(&sink->text, "±: error, in percent of the whole");
	if (sink->text.length == 0 && !sink->sheet->brief)
		return;
	out_text(&sink->text, sink->sheet->brief ? sink->sheet->brief : " (--wide shows all)");
	out_char(&sink->text, '\0');
	if (sink->text.failed != 0)
		return;
	out_char(sink->out, '\n');
	put_style(sink, GREY);
	table_words(sink, sink->text.buffer, 0);
	out_char(sink->out, '\n');
	put_style(sink, PLAIN);
}

const struct format format_screen = {
	.name = "text",
	.meaning = "a table that fits the terminal",
	.use = IN_TEXT | IN_SCREEN,
	.has_head = true,
	.measures = true,
	.colours = true,
	.shares = true,
	.open = open_screen,
	.begin = layout,
	.heading = heading,
	.row = row,
	.stanza = table_stanza,
	.part = table_part,
	.extra = table_extra,
	.note = table_note,
	.title = table_title,
	.command = table_command,
	.end = end,
};
