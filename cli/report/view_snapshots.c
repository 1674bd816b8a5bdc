/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_snapshots: snapshots, resets and marks in order of time, whatever interval is shown. */
#include <stdlib.h>

#include "cli/report/report.h"

struct snapshots_view {
	struct rank *rank;
	size_t count;
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	unsigned at = sheet_add(sheet, NULL, "at", "At", IN_ALL | COLUMN_TIME | COLUMN_RISING,
		PLACE_FIRST);

	sheet->column[at].unit = "ms";
	sheet_add(sheet, NULL, "kind", "Kind", IN_ALL | COLUMN_LEFT, PLACE_FIRST);
	sheet_add(sheet, NULL, "thread", "Thread", IN_ALL | COLUMN_LEFT, PLACE_FIRST);
	sheet_add(sheet, NULL, "thread_id", "Thread id", IN_DATA | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "label", "Label", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "name", "Label", IN_TEXT | COLUMN_NAME | COLUMN_LEFT, PLACE_LAST);
}

static void fill_label(struct report *report, struct cell *cells, const char *label)
{
	cells[0] = cells[1] = cell_label(label_make(report->labels, label));
}

static void fill_snapshot(
	struct report *report, const struct profile_snapshot *snapshot, struct cell *cells)
{
	const char *kind = snapshot->kind == SNAPSHOT_RESET ? "reset" : "snapshot";

	*cells++ = cell_number(snapshot->at);
	*cells++ = cell_label(label_make(report->labels, kind));
	*cells++ = (struct cell){0};
	*cells++ = (struct cell){0};
	fill_label(report, cells, snapshot->label);
}

static void fill_mark(
	struct report *report, const struct profile_mark *mark, struct cell *cells)
{
	*cells++ = cell_number(mark->at);
	*cells++ = cell_label(label_make(report->labels, "mark"));
	*cells++ = cell_label(label_make(report->labels, mark->thread));
	*cells++ = mark->java_id ? cell_signed(mark->java_id) : (struct cell){0};
	fill_label(report, cells, mark->name);
}

/* Items count snapshots first, then marks. */
static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile *profile = report->profile;

	if (item < profile->snapshot_count)
		fill_snapshot(report, &profile->snapshot[item], cells);
	else
		fill_mark(report, &profile->mark[item - profile->snapshot_count], cells);
}

static bool is_wanted(const struct report *report, const struct profile_mark *mark)
{
	const struct pattern_list *threads = &report->request->threads;

	return threads->count == 0 || (mark->thread && pattern_list_match(threads, mark->thread));
}

static int open_snapshots(struct report *report, struct error *error)
{
	const struct profile *profile = report->profile;
	size_t snapshots = profile->snapshot_count,
	       marks = profile->mark ? profile->mark_count : 0;
	struct snapshots_view *view = calloc(1, sizeof(*view));
	uint32_t *items = calloc(snapshots + marks + 1, sizeof(*items));

	report->data = view;
	if (view != NULL && items != NULL) {
		for (size_t i = 0; i < snapshots + marks; i++)
			if (i < snapshots || is_wanted(report, &profile->mark[i - snapshots]))
				items[view->count++] = (uint32_t)i;
		view->rank = report_rank(report, items, view->count, fill);
	}
	free(items);
	return view != NULL && view->rank != NULL ? 0 : report_no_memory(error);
}

static int rows_snapshots(struct report *report, struct sink *sink, struct error *error)
{
	struct snapshots_view *view = report->data;

	(void)error;
	report_rows(report, sink, view->rank, view->count, fill);
	return 0;
}

static void close_snapshots(struct report *report)
{
	struct snapshots_view *view = report->data;

	if (view == NULL)
		return;
	free(view->rank);
	free(view);
}

const struct view view_snapshots = {
	.name = "snapshots",
	.meaning = "snapshots, resets, and moments that the program marked",
	.sort = "at",
	.marks = true,
	.columns = columns,
	.open = open_snapshots,
	.rows = rows_snapshots,
	.close = close_snapshots,
};
