/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_safepoints: when all Java threads stood, what for, and how long it took until the last one did. */
#include <string.h>

#include "report/model/trace_times.h"
#include "report/text/figure.h"
#include "report/views/trace_head.h"
#include "report/views/view.h"

enum { OPERATIONS_MAX = 128, OPERATIONS_SAID = 5 };

/* Those of one operation, or all. */
struct stops {
	const char *operation;
	uint64_t count, ns, reaching_ns, longest;
};

struct safepoints_view {
	struct stops all, operation[OPERATIONS_MAX]; /* those that took longest first */
	size_t operations;
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "part", "Part", IN_DATA);
	sheet_add(sheet, NULL, "began", "Began", IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "ns", "Took", IN_ALL | COLUMN_TIME | COLUMN_SUM | COLUMN_SHARE);
	sheet_add(sheet, NULL, "reaching", "Reaching",
		IN_ALL | COLUMN_TIME | COLUMN_SUM | COLUMN_SHARE);
	sheet_add(sheet, NULL, "cleanup", "Cleanup", IN_ALL | COLUMN_TIME | COLUMN_SUM);
	sheet_add(sheet, NULL, "at", "Operation", IN_ALL | COLUMN_TIME | COLUMN_SUM);
	sheet_add(sheet, NULL, "threads", "Threads", IN_ALL);
	sheet_add(sheet, NULL, "running", "Running", IN_ALL);
	sheet_add(sheet, NULL, "count", "Count", IN_DATA);
	sheet_add(sheet, NULL, "longest", "Longest", IN_DATA | COLUMN_TIME);
	sheet_add(sheet, NULL, "operation", "Operation", IN_DATA);
	sheet_add_name(sheet, "What for");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile_safepoint *row = &report->model->profile->safepoint[item];

	*cells++ = cell_text("safepoint");
	*cells++ = cell_number(row->began < 0 ? 0 : (uint64_t)row->began);
	*cells++ = cell_number(row->ns);
	*cells++ = cell_number(row->reaching_ns);
	*cells++ = cell_number(row->cleanup_ns);
	*cells++ = cell_number(row->at_ns);
	*cells++ = row->threads ? cell_number(row->threads) : cell_null();
	*cells++ = row->threads ? cell_number(row->running) : cell_null();
	*cells++ = cell_null();
	*cells++ = cell_null();
	*cells++ = cell_text(row->operation);
	*cells = cell_text(row->operation);
}

static void add(struct stops *stops, const struct profile_safepoint *row)
{
	stops->count++;
	stops->ns += row->ns;
	stops->reaching_ns += row->reaching_ns;
	if (row->ns > stops->longest)
		stops->longest = row->ns;
}

/* The operation's place; where there are too many the last one is all others'. */
static struct stops *stops_of(struct safepoints_view *view, const char *operation)
{
	for (size_t i = 0; i < view->operations; i++)
		if (strcmp(view->operation[i].operation, operation) == 0)
			return &view->operation[i];
	if (view->operations == OPERATIONS_MAX) {
		view->operation[OPERATIONS_MAX - 1].operation = "other operations";
		return &view->operation[OPERATIONS_MAX - 1];
	}
	view->operation[view->operations].operation = operation;
	return &view->operation[view->operations++];
}

static int open_safepoints(struct report *report)
{
	const struct profile *profile = report->model->profile;
	struct safepoints_view *view = report_room(report, 1, struct safepoints_view);

	report->data = view;
	if (!view)
		return -1;
	for (size_t i = 0; i < profile->safepoint_count; i++) {
		add(&view->all, &profile->safepoint[i]);
		add(stops_of(view, profile->safepoint[i].operation), &profile->safepoint[i]);
	}
	for (size_t i = 1; i < view->operations; i++)
		for (size_t j = i; j > 0 && view->operation[j].ns > view->operation[j - 1].ns;
			j--) {
			struct stops longer = view->operation[j];

			view->operation[j] = view->operation[j - 1];
			view->operation[j - 1] = longer;
		}
	return report_list(report, NULL, profile->safepoint_count);
}

static void say_stops(const struct report *report, struct sink *sink)
{
	const struct safepoints_view *view = report->data;
	const struct trace_times times = trace_times(report->model->profile, TRACE_GC);
	const struct stops *all = &view->all;

	sink_title(sink, "%s, %s in all%s%s%s, the longest %s; until all threads stood %s",
		figure_things(all->count, "safepoint").text,
		figure_text(FIGURE_TIME, all->ns).text, times.ns ? ", " : "",
		times.ns ? figure_percent(all->ns, times.ns).text : "",
		times.ns ? " of the time" : "", figure_text(FIGURE_TIME, all->longest).text,
		figure_text(FIGURE_TIME, all->reaching_ns).text);
	for (size_t i = 0; i < view->operations && i < OPERATIONS_SAID; i++) {
		const struct stops *stops = &view->operation[i];
		char name[120];

		figure_name(name, sizeof(name), stops->operation, strlen(stops->operation), 60);
		sink_title(sink, "  %s: %s, %s, the longest %s", name,
			figure_things(stops->count, "time").text,
			figure_text(FIGURE_TIME, stops->ns).text,
			figure_text(FIGURE_TIME, stops->longest).text);
	}
	if (view->operations > OPERATIONS_SAID)
		sink_title(sink, "  %s operations more: --format json has all",
			figure_text(FIGURE_COUNT, view->operations - OPERATIONS_SAID).text);
	sink_title(sink, "%s", "");
}

/* A row of data. */
static void put_stops(struct sink *sink, const char *part, const struct stops *stops)
{
	struct cell cells[COLUMN_MAX] = {0};

	cells[0] = cell_text(part);
	cells[2] = cell_number(stops->ns);
	cells[3] = cell_number(stops->reaching_ns);
	cells[8] = cell_number(stops->count);
	cells[9] = cell_number(stops->longest);
	cells[10] = cell_text(stops->operation);
	sink_row(sink, cells, 0);
}

static void rows(struct report *report, struct sink *sink)
{
	const struct safepoints_view *view = report->data;

	trace_head(report, sink, TRACE_GC);
	if (report->count > 0)
		say_stops(report, sink);
	if (report->count > 0 && !(sink->format->use & IN_TEXT)) {
		put_stops(sink, "total", &view->all);
		for (size_t i = 0; i < view->operations; i++)
			put_stops(sink, "operation", &view->operation[i]);
	}
	report_rows(report, sink);
}

const struct view view_safepoints = {
	.name = "safepoints",
	.meaning = "when all Java threads stood, of a profile made with traces=gc",
	.is_long = true,
	.sort = "ns",
	.collections = true,
	.columns = columns,
	.open = open_safepoints,
	.fill = fill,
	.rows = rows,
};
