/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_files: files, connections, entries of archives: what each descriptor was used for,
 * by whom it was opened.
 *
 * A row is a path or a pair of addresses, with one descriptor; opened again as the same
 * number it is the same row, whose opening is the last one. A row with '*' in its names
 * may stand for many that were folded.
 */
#include <inttypes.h>

#include "report/views/view.h"

/* What was done with a file; report->data is an array of these. */
struct file_sum {
	struct io_use use;
	uint64_t ops[IO_OPS], failures;
};

static void common_columns(struct sheet *sheet)
{
	sheet_add(sheet, NULL, "descriptor", "FD", IN_ALL | COLUMN_RISING);
	sheet_add(sheet, NULL, "opened", "Opened", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "first_opened", "First opened", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "folded", "Folded", IN_DATA);
	sheet_add(sheet, NULL, "opened_by", "Opened by", IN_DATA);
	sheet_add(sheet, NULL, "opened_in", "Opened in", IN_DATA);
	sheet_add(sheet, NULL, "known_from", "Known from", IN_DATA);
	sheet_add(sheet, NULL, "note", "Note", IN_DATA);
	sheet_add(sheet, NULL, "opens", "Opens", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "closes", "Closes", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "failures", "Failed", IN_ALL | COLUMN_SUM);
}

static void end_columns(struct report *report, const char *heading)
{
	io_columns(report, "all", "", IN_DATA | COLUMN_SUM);
	io_cpu_columns(report, false);
	sheet_add(&report->sheet, NULL, "bytes_per_second", "MB/s", IN_DATA);
	sheet_add(&report->sheet, NULL, "throughput", "MB/s", IN_TEXT);
	io_rate_columns(report);
	sheet_add_name(&report->sheet, heading);
}

/* Operations that are counted alone. */
static const enum account_kind file_counts[] = {
	IO_DELETE, IO_MOVE, IO_MAP, IO_SYNC, IO_RESOLVE};

static void file_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "path", "Path", IN_DATA);
	sheet_add(sheet, NULL, "kind", "Kind", IN_ALL | COLUMN_LEFT);
	common_columns(sheet);
	for (size_t i = 0; i < sizeof(file_counts) / sizeof(*file_counts); i++)
		sheet_add(sheet, NULL, account_kind_group(file_counts[i]), "",
			IN_DATA | COLUMN_SUM);
	io_columns(report, "reads", "Reads", IN_ALL | COLUMN_SUM);
	io_columns(report, "writes", "Writes", IN_ALL | COLUMN_SUM);
	end_columns(report, "Path");
}

static void connection_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "local", "Local", IN_DATA);
	sheet_add(sheet, NULL, "remote", "Remote", IN_DATA);
	sheet_add(sheet, NULL, "protocol", "Protocol", IN_ALL | COLUMN_LEFT);
	common_columns(sheet);
	sheet_add(sheet, NULL, account_kind_group(IO_CONNECT), "Connects", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, account_kind_group(IO_ACCEPT), "Accepts", IN_ALL | COLUMN_SUM);
	io_columns(report, "received", "Receives", IN_ALL | COLUMN_SUM);
	io_columns(report, "sent", "Sends", IN_ALL | COLUMN_SUM);
	end_columns(report, "Local - remote");
}

static void entry_columns(struct report *report)
{
	sheet_add(&report->sheet, NULL, "archive", "Archive", IN_DATA);
	sheet_add(&report->sheet, NULL, "entry", "Entry", IN_DATA);
	io_columns(report, "reads", "Reads", IN_ALL | COLUMN_SUM);
	sheet_add_name(&report->sheet, "Entry");
}

/* ---- cells ---- */

static struct cell cell_time(int64_t at)
{
	return at == PROFILE_NOT_KNOWN ? cell_null() : cell_signed(at);
}

static struct cell *common_cells(const struct report *report, const struct profile_file *file,
	const struct file_sum *sum, struct cell *cells)
{
	const struct profile_path *path =
		file->opened_in ? &report->model->profile->path[file->opened_in - 1] : NULL;

	*cells++ = file->descriptor < 0 ? cell_null() : cell_number((uint64_t)file->descriptor);
	*cells++ = cell_time(file->opened);
	*cells++ = cell_time(file->first);
	*cells++ = cell_number(file->folded);
	*cells++ = cell_text(file->opened_by);
	*cells++ = path ? cell_label(report->model->method[path->method].display) : cell_null();
	*cells++ = cell_text(file->known == KNOWN_ATTACH ? "attach" : "open");
	*cells++ = cell_text(file->note);
	*cells++ = cell_number(sum->ops[IO_OPEN]);
	*cells++ = cell_number(sum->ops[IO_CLOSE]);
	*cells++ = cell_number(sum->failures);
	return cells;
}

/* Bytes a second of what reads and writes took, in both directions; nothing without time. */
static struct cell *end_cells(
	const struct report *report, const struct file_sum *sum, struct cell *cells)
{
	uint64_t bytes = 0, ns = 0;

	for (enum io_part i = IO_PART_READS; i <= IO_PART_SENT; i++) {
		bytes += sum->use.part[i].bytes;
		ns += sum->use.part[i].ns;
	}
	cells = io_cells(cells, &sum->use.part[IO_PART_ALL]);
	cells = io_cpu_cell(report, cells, &sum->use.part[IO_PART_ALL]);
	*cells++ = ns ? cell_number((uint64_t)((double)bytes * 1e9 / (double)ns)) : cell_null();
	*cells++ = ns ? cell_number((uint64_t)((double)bytes * 1e3 / (double)ns + 0.5))
		      : cell_null();
	return io_rate_cells(report, cells, &sum->use.part[IO_PART_ALL]);
}

/* The row's name in text, with how many it stands for. */
static struct cell name_of(struct report *report, const struct profile_file *file,
	const char *name, const char *one, const char *many)
{
	if (file->folded == 0)
		return cell_text(name);
	return cell_label(
		store_format(report->model->store, "%s (%" PRIu64 " %s folded into this row)",
			name, file->folded, file->folded == 1 ? one : many));
}

static void fill_file(struct report *report, uint32_t item, struct cell *cells)
{
	const struct file_sum *sum = &((struct file_sum *)report->data)[item];
	const struct profile_file *file = &report->model->profile->file[item];

	*cells++ = cell_text(file->name);
	*cells++ = cell_text(io_kind_names[file->kind]);
	cells = common_cells(report, file, sum, cells);
	for (size_t i = 0; i < sizeof(file_counts) / sizeof(*file_counts); i++)
		*cells++ = cell_number(sum->ops[file_counts[i]]);
	cells = io_cells(cells, &sum->use.part[IO_PART_READS]);
	cells = io_cells(cells, &sum->use.part[IO_PART_WRITES]);
	cells = end_cells(report, sum, cells);
	*cells = name_of(report, file, file->name, "file", "files");
}

static void fill_connection(struct report *report, uint32_t item, struct cell *cells)
{
	const struct file_sum *sum = &((struct file_sum *)report->data)[item];
	const struct profile_file *file = &report->model->profile->file[item];
	struct label both = store_format(
		report->model->store, "%s - %s", file->name, file->peer ? file->peer : "");

	*cells++ = cell_text(file->name);
	*cells++ = cell_text(file->peer);
	*cells++ = cell_text(io_kind_names[file->kind]);
	cells = common_cells(report, file, sum, cells);
	*cells++ = cell_number(sum->ops[IO_CONNECT]);
	*cells++ = cell_number(sum->ops[IO_ACCEPT]);
	cells = io_cells(cells, &sum->use.part[IO_PART_RECEIVED]);
	cells = io_cells(cells, &sum->use.part[IO_PART_SENT]);
	cells = end_cells(report, sum, cells);
	*cells = name_of(report, file, both.text, "connection", "connections");
}

static void fill_entry(struct report *report, uint32_t item, struct cell *cells)
{
	const struct file_sum *sum = &((struct file_sum *)report->data)[item];
	const struct profile_file *file = &report->model->profile->file[item];
	struct label whole = store_format(
		report->model->store, "%s!/%s", file->peer ? file->peer : "", file->name);

	*cells++ = cell_text(file->peer);
	*cells++ = cell_text(file->name);
	cells = io_cells(cells, &sum->use.part[IO_PART_READS]);
	*cells = name_of(report, file, whole.text, "entry", "entries");
}

/* ---- rows ---- */

extern const struct view view_files, view_connections, view_entries;

static int open_files(struct report *report)
{
	const struct profile *profile = report->model->profile;
	struct file_sum *sums = report_room(report, profile->file_count, struct file_sum);
	uint32_t *items = report_room(report, profile->file_count, uint32_t);
	bool *wanted = io_wanted(report->model);
	size_t count = 0;

	if (report->model->store->failed)
		return -1;
	report->data = sums;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *io = &profile->account[i];

		if (!wanted[i] || io->subject == 0)
			continue;
		io_use_add(&sums[io->subject - 1].use, io);
		if (io->kind == IO_CPU)
			continue;
		sums[io->subject - 1].ops[io->kind] += io->count;
		sums[io->subject - 1].failures += io->failures;
	}
	for (size_t i = 0; i < profile->file_count; i++) {
		enum io_kind kind = profile->file[i].kind;
		const struct view *about = kind == IO_ENTRY          ? &view_entries
					   : io_kind_is_socket(kind) ? &view_connections
								     : &view_files;

		if (report->request->view == about && sums[i].use.part[IO_PART_ALL].ops > 0)
			items[count++] = (uint32_t)i;
	}
	return report_list_shares(report, items, count);
}

const struct view view_files = {
	.name = "files",
	.meaning = "I/O by file and descriptor",
	.by = BY_ALL,
	.sort = "all.ns",
	.io = true,
	.columns = file_columns,
	.open = open_files,
	.fill = fill_file,
};

const struct view view_connections = {
	.name = "connections",
	.meaning = "I/O by connection and descriptor",
	.by = BY_ALL,
	.sort = "all.ns",
	.io = true,
	.columns = connection_columns,
	.open = open_files,
	.fill = fill_connection,
};

const struct view view_entries = {
	.name = "entries",
	.meaning = "what was read of archives, by entry",
	.by = BY_ALL,
	.sort = "reads.ns",
	.io = true,
	.columns = entry_columns,
	.open = open_files,
	.fill = fill_entry,
};
