/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_objects: objects that were allocated, and of those what is alive: by class; by class and call path.
 *
 * What is alive is what no collection has found dead yet. Of an interval it is how much more is alive at its end than at its begin.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profile/pairs.h"
#include "report/model/object_use.h"
#include "report/model/trace_times.h"
#include "report/text/figure.h"
#include "report/views/trace_head.h"
#include "report/views/view.h"

/* A class, or a class that was allocated by a path. */
struct object_row {
	struct object_use use;
	uint32_t class;
	uint32_t node;      /* the first of that path */
	struct label *path; /* methods, innermost first */
	uint32_t depth;     /* how many */
	struct label text;  /* of both, for people */
};

struct objects_view {
	struct object_facts facts;
	struct object_row *row;
	struct object_use all;
	bool by_path, by_alive; /* items are classes at a path; what is alive is shown first */
	double seconds;         /* that the trace was on */
};

/* ---- columns ---- */

/* In the view `alive` text has what is alive, in `objects` what was allocated, with paths both. */
static unsigned text_of(bool wanted)
{
	return wanted ? IN_ALL : IN_DATA;
}

static void figure_columns(struct report *report, bool allocated, bool alive)
{
	struct sheet *sheet = &report->sheet;
	bool is_growth = report->model->profile->interval.from != NULL;
	unsigned sums = COLUMN_SUM | COLUMN_SHARE;

	sheet_add(sheet, "allocated", "bytes", "Allocated",
		text_of(allocated) | sums | COLUMN_BYTES);
	sheet_add(sheet, "allocated", "objects", allocated ? "Objects" : "Allocated objects",
		text_of(true) | sums);
	sheet_add(sheet, "allocated", "bytes_per_second", "Bytes/s",
		text_of(allocated && !alive) | COLUMN_SUM | COLUMN_BYTES);
	sheet_add(sheet, "allocated", "samples", "Samples",
		text_of(allocated && object_facts(report->model).period > 0) | sums);
	sheet_add(sheet, "freed", "bytes", "Freed", IN_DATA | sums | COLUMN_BYTES);
	sheet_add(sheet, "freed", "objects", "Freed", text_of(!allocated) | sums);
	sheet_add(sheet, "freed", "samples", "Freed", IN_DATA | sums);
	sheet_add(sheet, "alive", "bytes", "Alive",
		is_growth ? IN_DATA : text_of(alive) | sums | COLUMN_BYTES);
	sheet_add(sheet, "alive", "objects", "Alive objects",
		is_growth ? IN_DATA : text_of(alive) | sums);
	sheet_add(sheet, "alive", "samples", "Alive samples",
		is_growth ? IN_DATA
			  : text_of(alive && object_facts(report->model).period > 0) | sums);
	sheet_add(sheet, "alive", "age", "Age", is_growth ? IN_DATA : text_of(alive));
	if (is_growth && alive) {
		sheet_add(sheet, NULL, "growth", "Growth", IN_TEXT);
		sheet_add(sheet, NULL, "more_objects", "More objects", IN_TEXT);
	}
}

static void class_columns(struct report *report, bool allocated, bool alive)
{
	sheet_add(&report->sheet, NULL, "class", "Class", IN_DATA);
	figure_columns(report, allocated, alive);
	sheet_add_name(&report->sheet, "Class");
}

static void objects_columns(struct report *report)
{
	class_columns(report, true, false);
}

static void alive_columns(struct report *report)
{
	class_columns(report, false, true);
}

static void path_columns(struct report *report)
{
	sheet_add(&report->sheet, NULL, "class", "Class", IN_DATA);
	sheet_add(&report->sheet, NULL, "path", "Path", IN_DATA);
	figure_columns(report, true, true);
	sheet_add_name(&report->sheet, "Class, allocated in");
}

/* ---- cells ---- */

/* "-1.5 MB" */
static struct cell signed_text(struct report *report, enum figure_kind kind, int64_t value)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;

	return cell_label(store_format(report->model->store, "%s%s",
		value < 0   ? "-"
		: value > 0 ? "+"
			    : "",
		figure_text(kind, size).text));
}

static struct cell alive_cell(const struct objects_view *view, int64_t value)
{
	return view->facts.is_growth ? cell_signed(value) : cell_number((uint64_t)value);
}

static struct cell *figure_cells(struct report *report, const struct objects_view *view,
	const struct object_use *use, struct cell *cells)
{
	int64_t alive = object_alive(use), bytes = object_alive_bytes(use);

	*cells++ = cell_number(use->allocated.bytes);
	*cells++ = cell_number(use->allocated.objects);
	*cells++ =
		view->seconds > 0
			? cell_number((uint64_t)((double)use->allocated.bytes / view->seconds))
			: cell_null();
	*cells++ = cell_number(use->allocated.told);
	*cells++ = cell_number(use->freed.bytes);
	*cells++ = cell_number(use->freed.objects);
	*cells++ = cell_number(use->freed.told);
	*cells++ = alive_cell(view, bytes);
	*cells++ = alive_cell(view, alive);
	*cells++ = alive_cell(view, (int64_t)(use->allocated.told - use->freed.told));
	*cells++ = view->facts.has_ages && alive > 0 ? cell_real(object_age(&view->facts, use))
						     : cell_null();
	if (sheet_find(&report->sheet, "growth") >= 0) {
		*cells++ = signed_text(report, FIGURE_BYTES, bytes);
		*cells++ = signed_text(report, FIGURE_COUNT, alive);
	}
	return cells;
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct objects_view *view = report->data;
	const struct object_row *row = &view->row[item];
	struct label class = report->model->method[row->class].class_name;

	*cells++ = cell_label(class);
	if (view->by_path)
		*cells++ = cell_texts(row->path, row->depth);
	cells = figure_cells(report, view, &row->use, cells);
	*cells = cell_label(view->by_path ? row->text : class);
}

/* ---- rows ---- */

/* By node: a number for its path, the same in all threads. NULL without memory. */
static uint32_t *number_paths(const struct model *model)
{
	const struct profile *profile = model->profile;
	uint32_t *path = store_room(model->store, profile->node_count + 1, sizeof(*path));
	struct pairs pairs = {0};

	for (size_t i = 0; path && i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		if (node->parent != i)
			path[i] = pairs_take(&pairs, path[node->parent], node->method);
		if (node->parent != i && path[i] == 0)
			path = NULL;
	}
	pairs_fini(&pairs);
	return path;
}

enum { TEXT_METHODS = 12 /* of a path, in text */ };

/* One that the program does not call by itself: of the JDK, and called by such a method, too. */
static bool is_within_jdk(
	const struct model *model, const uint32_t *method, uint32_t at, uint32_t depth)
{
	static const char *const begins[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
	unsigned found = 0;

	for (uint32_t i = at; i < at + 2 && i < depth; i++) {
		struct label class = model->method[method[i]].class_name;

		for (size_t b = 0; b < sizeof(begins) / sizeof(*begins); b++)
			found += class.length > strlen(begins[b]) &&
				 memcmp(class.text, begins[b], strlen(begins[b])) == 0;
	}
	return found == 2;
}

/* Its methods, innermost first; for people in one line, without the JDK's own calls among each other. */
static int tell_path(const struct model *model, struct object_row *row)
{
	const struct profile *profile = model->profile;
	const struct label *class = &model->method[row->class].class_name;
	uint32_t depth = 0, told = 0, *method;
	struct out text;

	for (uint32_t n = row->node; profile->node[n].parent != n; n = profile->node[n].parent)
		depth++;
	row->path = store_room(model->store, depth + 1, sizeof(*row->path));
	method = store_room(model->store, depth + 1, sizeof(*method));
	if (model->store->failed)
		return -1;
	for (uint32_t n = row->node; profile->node[n].parent != n;
		n = profile->node[n].parent) {
		method[row->depth] = profile->node[n].method;
		row->path[row->depth++] = model->method[profile->node[n].method].display;
	}
	out_init(&text, -1);
	out_bytes(&text, class->text, class->length);
	for (uint32_t i = 0; i < depth && told < TEXT_METHODS; i++) {
		if (is_within_jdk(model, method, i, depth))
			continue;
		out_text(&text, told++ == 0 ? "  " : " < ");
		out_bytes(&text, row->path[i].text, row->path[i].length);
	}
	if (told == TEXT_METHODS)
		out_text(&text, " < ...");
	row->text = store_bytes(model->store, text.buffer, text.length);
	out_fini(&text);
	return model->store->failed ? -1 : 0;
}

/* Sums by class, or by class and path: rows, count of them. -1 without memory. */
static int add_rows(struct report *report, struct objects_view *view, size_t *count)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	const bool *wanted = objects_wanted(model);
	const uint32_t *path = view->by_path ? number_paths(model) : NULL;
	struct pairs pairs = {0};
	size_t accounts = 0;

	if (!wanted || (view->by_path && !path))
		return -1;
	for (size_t i = 0; i < profile->account_count; i++)
		accounts += wanted[i];
	view->row = report_room(report, accounts, struct object_row);
	for (size_t i = 0; view->row && i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		uint32_t at;

		if (!wanted[i])
			continue;
		at = pairs_take(
			&pairs, path ? path[account->node] : 0, (uint32_t)account->subject);
		if (at == 0) {
			view->row = NULL;
			break;
		}
		if (at > *count) {
			*count = at;
			view->row[at - 1].class = (uint32_t)account->subject;
			view->row[at - 1].node = account->node;
		}
		object_use_add(&view->row[at - 1].use, account);
		object_use_add(&view->all, account);
	}
	pairs_fini(&pairs);
	return view->row ? 0 : -1;
}

/* What 100 % is; of samples their number tells how sure a share is. */
static void set_wholes(struct report *report, const struct objects_view *view)
{
	const struct {
		const char *name;
		uint64_t whole, told;
	} rows[] = {
		{"allocated.bytes", view->all.allocated.bytes, view->all.allocated.told},
		{"alive.bytes", (uint64_t)object_alive_bytes(&view->all),
			view->all.allocated.told - view->all.freed.told},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct column *column =
			&report->sheet.column[sheet_find(&report->sheet, rows[i].name)];

		if (view->facts.is_growth && i == 1)
			continue;
		column->has_whole = true;
		column->whole = rows[i].whole;
		column->taken = view->facts.period > 0 ? rows[i].told : 0;
	}
}

static int open_rows(struct report *report, bool by_path, bool alive)
{
	struct objects_view *view = report_room(report, 1, struct objects_view);
	uint32_t *items;
	size_t rows = 0, count = 0;

	if (!view)
		return -1;
	report->data = view;
	view->by_path = by_path;
	view->by_alive = alive;
	view->facts = object_facts(report->model);
	view->seconds = (double)trace_times(report->model->profile, TRACE_OBJECTS).ns / 1e9;
	if (add_rows(report, view, &rows) != 0)
		return -1;
	items = report_room(report, rows, uint32_t);
	for (uint32_t i = 0; items && i < rows; i++) {
		const struct object_use *use = &view->row[i].use;

		if (alive ? object_alive(use) == 0 && object_alive_bytes(use) == 0
			  : use->allocated.objects + use->freed.objects == 0)
			continue;
		if (by_path && tell_path(report->model, &view->row[i]) != 0)
			return -1;
		items[count++] = i;
	}
	set_wholes(report, view);
	return items ? report_list_shares(report, items, count) : -1;
}

static int open_objects(struct report *report)
{
	return open_rows(report, false, false);
}

static int open_alive(struct report *report)
{
	return open_rows(report, false, true);
}

static int open_paths(struct report *report)
{
	return open_rows(report, true, false);
}

/* ---- what the rows are ---- */

/* The same as notes, for data. */
static void note_facts(
	struct report *report, struct sink *sink, const struct object_facts *facts)
{
	const struct {
		const char *key;
		uint64_t value;
		bool always;
	} rows[] = {
		{"period_bytes", facts->period, true},
		{"collections", facts->collections, true},
		{"untracked_objects", facts->untracked, false},
		{"cut_objects", facts->cut, false},
		{"lost_objects", facts->lost, false},
		{"lost_bytes", facts->lost_bytes, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].always || rows[i].value > 0)
			sink_note(sink, rows[i].key,
				store_format(report->model->store, "%" PRIu64, rows[i].value)
					.text,
				"");
}

static void tell_facts(struct sink *sink, const struct objects_view *view)
{
	const struct object_facts *facts = &view->facts;
	const struct object_use *all = &view->all;

	if (facts->period > 0)
		sink_title(sink,
			"Sampled, one object in %" PRIu64
			" bytes: %s samples, by which figures are "
			"estimated.",
			facts->period, figure_text(FIGURE_COUNT, all->allocated.told).text);
	else
		sink_title(sink, "%s",
			"Each object is counted. What compiled code does without was not "
			"allocated.");
	if (facts->is_growth && (view->by_path || view->by_alive))
		sink_title(sink, "%s",
			"Alive is growth: what was allocated meanwhile without what was "
			"freed.");
	else if (view->by_path || view->by_alive)
		sink_title(sink,
			"Alive is what no collection has found dead yet, of %s; age is in "
			"collections.",
			figure_text(FIGURE_COUNT, facts->collections).text);
	if (facts->untracked > 0)
		sink_title(sink,
			"%s objects were not followed for want of max_memory, or of a whole "
			"stack: they count as freed.",
			figure_text(FIGURE_COUNT, facts->untracked).text);
	if (facts->cut > 0)
		sink_title(sink,
			"%s objects have no path for want of max_memory: theirs is cut at the "
			"thread's root.",
			figure_text(FIGURE_COUNT, facts->cut).text);
	if (facts->lost > 0)
		sink_title(sink, "%s objects of %s are in no row: there was no room.",
			figure_text(FIGURE_COUNT, facts->lost).text,
			figure_text(FIGURE_BYTES, facts->lost_bytes).text);
	if (view->by_path)
		sink_title(sink, "%s",
			"Paths are without the calls within the JDK; in data they are whole.");
	sink_title(sink, "%s", "");
}

static void rows(struct report *report, struct sink *sink)
{
	const struct objects_view *view = report->data;

	trace_head(report, sink, TRACE_OBJECTS);
	if (!sink->measuring && report->count > 0)
		tell_facts(sink, view);
	report_rows(report, sink);
	if (!sink->format->title)
		note_facts(report, sink, &view->facts);
}

const struct view view_objects = {
	.name = "objects",
	.meaning = "objects that were allocated, by class (traces=objects)",
	.by = BY_CALLS,
	.is_long = true,
	.sort = "allocated.bytes",
	.share = "allocated.bytes",
	.columns = objects_columns,
	.open = open_objects,
	.fill = fill,
	.rows = rows,
};

const struct view view_alive = {
	.name = "alive",
	.meaning = "objects that are alive, by class; of an interval, how many more",
	.by = BY_CALLS,
	.is_long = true,
	.sort = "alive.bytes",
	.share = "allocated.bytes",
	.columns = alive_columns,
	.open = open_alive,
	.fill = fill,
	.rows = rows,
};

const struct view view_object_paths = {
	.name = "object-paths",
	.meaning = "both by class and call path: who allocates, and what of it stays",
	.by = BY_CALLS,
	.is_long = true,
	.sort = "alive.bytes",
	.share = "allocated.bytes",
	.columns = path_columns,
	.open = open_paths,
	.fill = fill,
	.rows = rows,
};
