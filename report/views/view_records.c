/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_records: each I/O operation by itself, of a profile made with io=records. */
#include "report/views/view.h"

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "begin", "Begin", IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "ns", "Time", IN_ALL | COLUMN_TIME | COLUMN_SUM | COLUMN_SHARE);
	sheet_add(sheet, NULL, "operation", "Operation", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "failed", "Failed", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "bytes", "Bytes",
		IN_ALL | COLUMN_SUM | COLUMN_BYTES | COLUMN_SHARE);
	sheet_add(sheet, NULL, "kind", "Kind", IN_DATA);
	sheet_add(sheet, NULL, "descriptor", "FD", IN_ALL | COLUMN_RISING);
	sheet_add(sheet, NULL, "path", "Path", IN_DATA);
	sheet_add(sheet, NULL, "remote", "Remote", IN_DATA);
	sheet_add(sheet, NULL, "thread", "Thread", IN_ALL | COLUMN_LEFT);
	method_columns(report);
	sheet_add(sheet, NULL, "caller", "Method", IN_TEXT | COLUMN_LEFT);
	sheet_add_name(sheet, "Path");
}

static const struct profile_file *file_of(
	const struct profile *profile, const struct profile_record *record)
{
	return record->subject ? &profile->file[record->subject - 1] : NULL;
}

static const char *thread_of(const struct profile *profile, const struct profile_record *record)
{
	return record->thread ? profile->record_thread[record->thread - 1].name : NULL;
}

static struct cell name_of(struct report *report, const struct profile_file *file)
{
	struct store *store = report->model->store;

	if (!file || !file->peer)
		return cell_text(file ? file->name : NULL);
	return cell_label(file->kind == IO_ENTRY
				  ? store_format(store, "%s!/%s", file->peer, file->name)
				  : store_format(store, "%s - %s", file->name, file->peer));
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	static const struct method_label no_method;
	static const struct profile_file no_file = {.descriptor = -1};
	const struct profile *profile = report->model->profile;
	const struct profile_record *record = &profile->record[item];
	const struct profile_file *known = file_of(profile, record),
				  *file = known ? known : &no_file;
	const struct method_label *method =
		record->node ? &report->model->method[profile->path[record->node - 1].method]
			     : &no_method;

	*cells++ = cell_number(record->begin);
	*cells++ = cell_number(record->ns);
	*cells++ = cell_text(account_kind_names[record->kind]);
	*cells++ = cell_bool(record->failed);
	*cells++ = cell_number(record->amount);
	*cells++ = known ? cell_text(io_kind_names[file->kind]) : cell_null();
	*cells++ =
		file->descriptor >= 0 ? cell_number((uint64_t)file->descriptor) : cell_null();
	*cells++ = cell_text(file->name);
	*cells++ = cell_text(file->peer);
	*cells++ = cell_text(thread_of(profile, record));
	cells = method_cells(cells, method);
	*cells++ = cell_label(method->display);
	*cells = name_of(report, known);
}

static int open_records(struct report *report)
{
	const struct profile *profile = report->model->profile;
	uint32_t *items = report_room(report, profile->record_count, uint32_t);
	const struct model_choice *choice = report->model->choice;
	/* By path: a wanted method is on it. A caller's path stands before those of what it called. */
	bool *through = report_room(report, profile->path_count, bool);
	size_t count = 0;

	for (size_t i = 0; through && i < profile->path_count; i++) {
		const struct profile_path *path = &profile->path[i];

		through[i] = model_wants_method(report->model, path->method) ||
			     (path->parent && through[path->parent - 1]);
	}
	for (size_t i = 0; items && through && i < profile->record_count; i++) {
		const struct profile_record *record = &profile->record[i];
		const char *thread = thread_of(profile, record);

		if ((choice->threads.count == 0 ||
			    (thread && pattern_list_match(&choice->threads, thread))) &&
			(choice->methods.count == 0 ||
				(record->node && through[record->node - 1])) &&
			model_wants_file(report->model, file_of(profile, record)))
			items[count++] = (uint32_t)i;
	}
	return report_list_shares(report, items, count);
}

const struct view view_records = {
	.name = "records",
	.meaning = "each I/O operation, of a profile made with io=records",
	.by = BY_ALL,
	.sort = "ns",
	.io = true,
	.records = true,
	.columns = columns,
	.open = open_records,
	.fill = fill,
};
