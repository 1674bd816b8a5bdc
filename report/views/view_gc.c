/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_gc: collections of garbage: what they are in all and by cause, then each pause, cycle, concurrent phase and stall.
 *
 * Rows: one for all, one a cause, one a section of the JVM's log. Sums are of pauses: what is concurrent stops nobody, and
 * cycles are made of both.
 */
#include <string.h>

#include "report/model/trace_times.h"
#include "report/text/figure.h"
#include "report/views/trace_head.h"
#include "report/views/view.h"

enum { CAUSES_MAX = 64, CAUSES_SAID = 5 };

/* Pauses of one cause, or of all. */
struct pauses {
	const char *cause; /* NULL: the log does not say */
	uint64_t count, ns, longest;
};

struct gc_view {
	struct pauses all, cause[CAUSES_MAX]; /* those that stopped the program longest first */
	size_t causes;
	uint64_t collections, stalls, stall_ns;
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "part", "Part", IN_DATA);
	sheet_add(sheet, NULL, "began", "Began", IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "paused", "Paused",
		IN_ALL | COLUMN_TIME | COLUMN_SUM | COLUMN_SHARE);
	sheet_add(sheet, NULL, "ns", "Took", IN_ALL | COLUMN_TIME);
	sheet_add(sheet, NULL, "count", "Count", IN_DATA);
	sheet_add(sheet, NULL, "longest", "Longest", IN_DATA | COLUMN_TIME);
	sheet_add(sheet, NULL, "number", "No.", IN_ALL | COLUMN_RISING);
	sheet_add(sheet, NULL, "kind", "Kind", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, "heap", "before", "Before", IN_ALL | COLUMN_BYTES);
	sheet_add(sheet, "heap", "after", "After", IN_ALL | COLUMN_BYTES);
	sheet_add(sheet, "heap", "total", "Heap", IN_ALL | COLUMN_BYTES);
	sheet_add(sheet, NULL, "cause", "Cause", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "name", "Name", IN_DATA);
	sheet_add_name(sheet, "Name");
}

static struct cell known(int64_t value)
{
	return value == PROFILE_NOT_KNOWN ? cell_null() : cell_number((uint64_t)value);
}

static struct cell time_of(int64_t ns)
{
	return cell_number(ns < 0 ? 0 : (uint64_t)ns);
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile_collection *row = &report->model->profile->collection[item];

	*cells++ = cell_text("section");
	*cells++ = time_of(row->began);
	*cells++ = row->kind == COLLECTION_PAUSE ? cell_number(row->ns) : cell_null();
	*cells++ = cell_number(row->ns);
	*cells++ = cell_null();
	*cells++ = cell_null();
	*cells++ = cell_number(row->number);
	*cells++ = cell_text(collection_kind_names[row->kind]);
	*cells++ = known(row->before);
	*cells++ = known(row->after);
	*cells++ = known(row->total);
	*cells++ = cell_text(row->cause);
	*cells++ = cell_text(row->name);
	*cells = cell_text(row->name);
}

/* ---- sums ---- */

static void add(struct pauses *pauses, const struct profile_collection *row)
{
	pauses->count++;
	pauses->ns += row->ns;
	if (row->ns > pauses->longest)
		pauses->longest = row->ns;
}

/* The cause's place; where there are too many causes the last one is all others'. */
static struct pauses *pauses_of(struct gc_view *view, const char *cause)
{
	for (size_t i = 0; i < view->causes; i++) {
		const char *other = view->cause[i].cause;

		if (other == cause || (other && cause && strcmp(other, cause) == 0))
			return &view->cause[i];
	}
	if (view->causes == CAUSES_MAX) {
		view->cause[CAUSES_MAX - 1].cause = "other causes";
		return &view->cause[CAUSES_MAX - 1];
	}
	view->cause[view->causes].cause = cause;
	return &view->cause[view->causes++];
}

static void order_causes(struct gc_view *view)
{
	for (size_t i = 1; i < view->causes; i++)
		for (size_t j = i; j > 0 && view->cause[j].ns > view->cause[j - 1].ns; j--) {
			struct pauses longer = view->cause[j];

			view->cause[j] = view->cause[j - 1];
			view->cause[j - 1] = longer;
		}
}

static void sum_up(const struct profile *profile, struct gc_view *view)
{
	uint64_t newest = 0; /* number + 1 */

	for (size_t i = 0; i < profile->collection_count; i++) {
		const struct profile_collection *row = &profile->collection[i];

		/* Numbers rise, but two cycles may end in either order. */
		if (row->kind != COLLECTION_STALL && row->number + 1 > newest) {
			newest = row->number + 1;
			view->collections++;
		}
		if (row->kind == COLLECTION_PAUSE) {
			add(&view->all, row);
			add(pauses_of(view, row->cause), row);
		}
		if (row->kind == COLLECTION_STALL) {
			view->stalls++;
			view->stall_ns += row->ns;
		}
	}
	order_causes(view);
}

static int open_gc(struct report *report)
{
	struct gc_view *view = report_room(report, 1, struct gc_view);

	report->data = view;
	if (!view)
		return -1;
	sum_up(report->model->profile, view);
	return report_list(report, NULL, report->model->profile->collection_count);
}

/* ---- what stands above the rows ---- */

static void say_pauses(
	const struct report *report, const struct gc_view *view, struct sink *sink)
{
	const struct trace_times times = trace_times(report->model->profile, TRACE_GC);
	const struct pauses *all = &view->all;

	sink_title(sink, "%s; %s, %s in all%s%s%s, the longest %s",
		figure_things(view->collections, "collection").text,
		figure_things(all->count, "pause").text, figure_text(FIGURE_TIME, all->ns).text,
		times.ns ? ", " : "", times.ns ? figure_percent(all->ns, times.ns).text : "",
		times.ns ? " of the time" : "", figure_text(FIGURE_TIME, all->longest).text);
	if (view->stalls)
		sink_title(sink, "threads waited for memory %s, %s in all",
			figure_things(view->stalls, "time").text,
			figure_text(FIGURE_TIME, view->stall_ns).text);
	for (size_t i = 0; i < view->causes && i < CAUSES_SAID; i++) {
		const struct pauses *pauses = &view->cause[i];
		char cause[120];

		figure_name(cause, sizeof(cause),
			pauses->cause ? pauses->cause : "no cause said",
			pauses->cause ? strlen(pauses->cause) : strlen("no cause said"), 60);
		sink_title(sink, "  %s: %s, %s, the longest %s", cause,
			figure_things(pauses->count, "pause").text,
			figure_text(FIGURE_TIME, pauses->ns).text,
			figure_text(FIGURE_TIME, pauses->longest).text);
	}
	if (view->causes > CAUSES_SAID)
		sink_title(sink, "  %s causes more: --format json has all",
			figure_text(FIGURE_COUNT, view->causes - CAUSES_SAID).text);
	sink_title(sink, "%s", "");
}

/* Rows of data. */
static void put_pauses(struct sink *sink, const char *part, const struct pauses *pauses,
	const struct cell *number)
{
	struct cell cells[COLUMN_MAX] = {0}, *cell = cells;

	*cell++ = cell_text(part);
	cell++;
	*cell++ = cell_number(pauses->ns);
	cell++;
	*cell++ = cell_number(pauses->count);
	*cell++ = cell_number(pauses->longest);
	*cell++ = *number;
	*cell++ = cell_text(collection_kind_names[COLLECTION_PAUSE]);
	cell += 3;
	*cell = cell_text(pauses->cause);
	sink_row(sink, cells, 0);
}

static void rows(struct report *report, struct sink *sink)
{
	const struct gc_view *view = report->data;
	const struct cell none = cell_null();

	trace_head(report, sink, TRACE_GC);
	if (report->count > 0)
		say_pauses(report, view, sink);
	if (report->count > 0 && !(sink->format->use & IN_TEXT)) {
		put_pauses(sink, "total", &view->all, &none);
		for (size_t i = 0; i < view->causes; i++)
			put_pauses(sink, "cause", &view->cause[i], &none);
	}
	report_rows(report, sink);
}

const struct view view_gc = {
	.name = "gc",
	.meaning = "collections of garbage, of a profile made with traces=gc",
	.is_long = true,
	.sort = "paused",
	.collections = true,
	.columns = columns,
	.open = open_gc,
	.fill = fill,
	.rows = rows,
};
