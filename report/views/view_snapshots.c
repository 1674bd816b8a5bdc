/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_snapshots: snapshots, resets and marks in order of time, whatever interval is shown. */
#include "report/views/view.h"

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "at", "At", IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "kind", "Kind", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "thread", "Thread", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "thread_id", "Thread id", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "label", "Label", IN_DATA);
	sheet_add_name(sheet, "Label");
}

/* Items count snapshots first, then marks. */
static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile *profile = report->model->profile;

	if (item < profile->snapshot_count) {
		const struct profile_snapshot *snapshot = &profile->snapshot[item];

		cells[0] = cell_number(snapshot->at);
		cells[1] = cell_text(snapshot->kind == SNAPSHOT_RESET ? "reset" : "snapshot");
		cells[2] = cells[3] = cell_null();
		cells[4] = cells[5] = cell_text(snapshot->label);
	} else {
		const struct profile_mark *mark =
			&profile->mark[item - profile->snapshot_count];

		cells[0] = cell_number(mark->at);
		cells[1] = cell_text("mark");
		cells[2] = cell_text(mark->thread);
		cells[3] = mark->java_id ? cell_signed(mark->java_id) : cell_null();
		cells[4] = cells[5] = cell_text(mark->name);
	}
}

static int open_snapshots(struct report *report)
{
	const struct profile *profile = report->model->profile;
	const struct pattern_list *threads = &report->model->choice->threads;
	size_t snapshots = profile->snapshot_count,
	       marks = profile->mark ? profile->mark_count : 0, count = 0;
	uint32_t *items = report_room(report, snapshots + marks, uint32_t);

	for (size_t i = 0; items && i < snapshots + marks; i++) {
		const char *thread = i < snapshots ? NULL : profile->mark[i - snapshots].thread;

		if (i < snapshots || threads->count == 0 ||
			(thread && pattern_list_match(threads, thread)))
			items[count++] = (uint32_t)i;
	}
	return report_list(report, items, count);
}

const struct view view_snapshots = {
	.name = "snapshots",
	.meaning = "snapshots, resets, and moments that the program marked",
	.by = BY_THREAD,
	.sort = "at",
	.marks = true,
	.columns = columns,
	.open = open_snapshots,
	.fill = fill,
};
