/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_records: each I/O operation by itself, of a profile made with io=records. */
#include <stdlib.h>

#include "cli/report/report.h"

struct records_view {
	bool *through; /* by path: a wanted method is on it */
	struct rank *rank;
	size_t count;
};

static void add_time(
	struct sheet *sheet, const char *key, const char *heading, unsigned flags)
{
	unsigned column =
		sheet_add(sheet, NULL, key, heading, IN_ALL | COLUMN_TIME | flags, PLACE_FIRST);

	sheet->column[column].unit = "ms";
}

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	add_time(sheet, "begin", "Begin", COLUMN_RISING);
	add_time(sheet, "ns", "Time", COLUMN_SUM);
	sheet_add(sheet, NULL, "operation", "Operation", IN_ALL | COLUMN_LEFT, PLACE_FIRST);
	sheet_add(sheet, NULL, "failed", "Failed", IN_ALL | COLUMN_LEFT, PLACE_FIRST);
	sheet_add(sheet, NULL, "bytes", "Bytes", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	sheet_add(sheet, NULL, "kind", "Kind", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "descriptor", "FD", IN_ALL | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "path", "Path", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "remote", "Remote", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "thread", "Thread", IN_ALL | COLUMN_LEFT, PLACE_FIRST);
	sheet_add(sheet, NULL, "class", "Class", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "method", "Method", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "signature", "Signature", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "caller", "Method", IN_TEXT | COLUMN_LEFT, PLACE_FIRST);
	sheet_add(sheet, NULL, "name", "Path", IN_TEXT | COLUMN_NAME | COLUMN_LEFT, PLACE_LAST);
}

static const struct profile_file *file_of(
	const struct profile *profile, const struct profile_record *record)
{
	return record->file ? &profile->file[record->file - 1] : NULL;
}

static const char *thread_of(
	const struct profile *profile, const struct profile_record *record)
{
	return record->thread ? profile->io_thread[record->thread - 1].name : NULL;
}

/* What the operation was done with: kind, descriptor, name, peer. */
static struct cell *fill_file(
	struct report *report, const struct profile_file *file, struct cell *cells)
{
	cells[0] = cells[1] = cells[2] = cells[3] = (struct cell){0};
	if (file) {
		cells[0] = cell_label(label_make(report->labels, io_kind_name(file->kind)));
		if (file->descriptor >= 0)
			cells[1] = cell_number((uint64_t)file->descriptor);
		cells[2] = cell_label(label_make(report->labels, file->name));
		cells[3] = cell_label(label_make(report->labels, file->peer));
	}
	return cells + 4;
}

static struct cell name_of(struct report *report, const struct profile_file *file)
{
	if (!file)
		return (struct cell){0};
	if (file->peer && file->kind == IO_ENTRY)
		return cell_label(
			label_format(report->labels, "%s!/%s", file->peer, file->name));
	if (file->peer)
		return cell_label(
			label_format(report->labels, "%s - %s", file->name, file->peer));
	return cell_label(label_make(report->labels, file->name));
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile *profile = report->profile;
	const struct profile_record *record = &profile->record[item];
	const struct profile_file *file = file_of(profile, record);
	const struct method_label *method =
		record->path ? &report->method[profile->path[record->path - 1].method] : NULL;

	*cells++ = cell_number(record->begin);
	*cells++ = cell_number(record->ns);
	*cells++ = cell_label(label_make(report->labels, io_op_name(record->op)));
	*cells++ = cell_bool(record->failed);
	*cells++ = cell_number(record->bytes);
	cells = fill_file(report, file, cells);
	*cells++ = cell_label(label_make(report->labels, thread_of(profile, record)));
	*cells++ = method ? cell_label(method->class_name) : (struct cell){0};
	*cells++ = method ? cell_label(method->name) : (struct cell){0};
	*cells++ = method ? cell_label(method->signature) : (struct cell){0};
	*cells++ = method ? cell_label(method->display) : (struct cell){0};
	*cells = name_of(report, file);
}

/* ---- what is wanted ---- */

/* By path. A caller's path has its id before those that it called have theirs. */
static bool *paths_through(const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct pattern_list *methods = &report->request->methods;
	bool *through = calloc(profile->path_count + 1, sizeof(*through));

	for (size_t i = 0; through != NULL && i < profile->path_count; i++) {
		const struct profile_path *path = &profile->path[i];
		const struct profile_method *method = &profile->method[path->method];

		/* Ids have no gaps: where a parent is not, its place is not before this one. */
		if (path->parent >= profile->path[0].id &&
			path->parent - profile->path[0].id < i)
			through[i] = through[path->parent - profile->path[0].id];
		for (size_t p = 0; p < methods->count && !through[i]; p++)
			through[i] = method->class_name != NULL &&
				     pattern_match_method(methods->pattern[p],
					     method->class_name, method->name);
	}
	return through;
}

static bool is_wanted(const struct report *report, const struct profile_record *record)
{
	const struct report_request *request = report->request;
	const struct records_view *view = report->data;
	const struct profile_file *file = file_of(report->profile, record);
	const char *thread = thread_of(report->profile, record);

	if (request->threads.count > 0 &&
		(!thread || !pattern_list_match(&request->threads, thread)))
		return false;
	if (request->methods.count > 0 && (!record->path || !view->through[record->path - 1]))
		return false;
	if (request->paths.count == 0)
		return true;
	return file && (pattern_list_match(&request->paths, file->name) ||
			       (file->peer && pattern_list_match(&request->paths, file->peer)));
}

static int open_records(struct report *report, struct error *error)
{
	const struct profile *profile = report->profile;
	struct records_view *view = calloc(1, sizeof(*view));
	uint32_t *items = calloc(profile->record_count + 1, sizeof(*items));

	report->data = view;
	if (view != NULL)
		view->through = paths_through(report);
	if (view != NULL && items != NULL && view->through != NULL) {
		for (size_t i = 0; i < profile->record_count; i++)
			if (is_wanted(report, &profile->record[i]))
				items[view->count++] = (uint32_t)i;
		view->rank = report_rank(report, items, view->count, fill);
	}
	free(items);
	return view != NULL && view->rank != NULL ? 0 : report_no_memory(error);
}

static int rows_records(struct report *report, struct sink *sink, struct error *error)
{
	struct records_view *view = report->data;

	(void)error;
	report_rows(report, sink, view->rank, view->count, fill);
	return 0;
}

static void close_records(struct report *report)
{
	struct records_view *view = report->data;

	if (view == NULL)
		return;
	free(view->through);
	free(view->rank);
	free(view);
}

const struct view view_records = {
	.name = "records",
	.meaning = "each I/O operation, of a profile made with io=records",
	.sort = "ns",
	.io = true,
	.records = true,
	.columns = columns,
	.open = open_records,
	.rows = rows_records,
	.close = close_records,
};
