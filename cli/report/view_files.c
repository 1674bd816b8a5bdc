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
#include <stdlib.h>
#include <string.h>

#include "cli/report/io_use.h"

struct files_view {
	struct io_use *use;      /* by file */
	uint64_t (*ops)[IO_OPS]; /* by file */
	uint64_t *failures;
	fill_row *fill;
	struct rank *rank;
	size_t count;
};

static bool is_connection(const struct profile_file *file)
{
	return io_kind_is_socket(file->kind);
}

static bool is_file(const struct profile_file *file)
{
	return !io_kind_is_socket(file->kind) && file->kind != IO_ENTRY;
}

static bool is_entry(const struct profile_file *file)
{
	return file->kind == IO_ENTRY;
}

static void add_common(struct sheet *sheet)
{
	sheet_add(sheet, NULL, "descriptor", "FD", IN_ALL | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "opened", "Opened", IN_DATA | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "first_opened", "First opened", IN_DATA | COLUMN_RISING,
		PLACE_FIRST);
	sheet_add(sheet, NULL, "folded", "Folded", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "opened_by", "Opened by", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "opened_in", "Opened in", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "known_from", "Known from", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "note", "Note", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "opens", "Opens", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	sheet_add(sheet, NULL, "closes", "Closes", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	sheet_add(sheet, NULL, "failures", "Failed", IN_ALL | COLUMN_SUM, PLACE_FIRST);
}

static void add_end(struct report *report, const char *heading)
{
	io_use_column(report, "all", "", IN_DATA | COLUMN_SUM);
	sheet_add(&report->sheet, NULL, "bytes_per_second", "MB/s", IN_DATA, PLACE_FIRST);
	sheet_add(&report->sheet, NULL, "throughput", "MB/s", IN_TEXT, PLACE_FIRST);
	sheet_add(&report->sheet, NULL, "name", heading,
		IN_TEXT | COLUMN_NAME | COLUMN_LEFT, PLACE_LAST);
}

/* Operations that are counted alone. */
static const enum io_op file_counts[] = {IO_DELETE, IO_MOVE, IO_MAP, IO_SYNC, IO_RESOLVE};
static const enum io_op connection_counts[] = {IO_CONNECT, IO_ACCEPT};

static void columns_files(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "path", "Path", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "kind", "Kind", IN_ALL | COLUMN_LEFT, PLACE_FIRST);
	add_common(sheet);
	for (size_t i = 0; i < sizeof(file_counts) / sizeof(*file_counts); i++)
		sheet_add(sheet, NULL, io_op_group(file_counts[i]), "", IN_DATA | COLUMN_SUM,
			PLACE_FIRST);
	io_use_column(report, "reads", "Reads", IN_ALL | COLUMN_SUM);
	io_use_column(report, "writes", "Writes", IN_ALL | COLUMN_SUM);
	add_end(report, "Path");
}

static void columns_connections(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "local", "Local", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "remote", "Remote", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "protocol", "Protocol", IN_ALL | COLUMN_LEFT, PLACE_FIRST);
	add_common(sheet);
	for (size_t i = 0; i < sizeof(connection_counts) / sizeof(*connection_counts); i++)
		sheet_add(sheet, NULL, io_op_group(connection_counts[i]),
			i == 0 ? "Connects" : "Accepts", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	io_use_column(report, "received", "Receives", IN_ALL | COLUMN_SUM);
	io_use_column(report, "sent", "Sends", IN_ALL | COLUMN_SUM);
	add_end(report, "Local - remote");
}

static void columns_entries(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "archive", "Archive", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "entry", "Entry", IN_DATA, PLACE_FIRST);
	io_use_column(report, "reads", "Reads", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "name", "Entry", IN_TEXT | COLUMN_NAME | COLUMN_LEFT,
		PLACE_LAST);
}

/* ---- cells ---- */

static struct cell *fill_common(struct report *report, uint32_t item, struct cell *cells)
{
	const struct files_view *view = report->data;
	const struct profile_file *file = &report->profile->file[item];
	const struct profile_path *path =
		file->opened_in ? &report->profile->path[file->opened_in - 1] : NULL;

	*cells++ = file->descriptor < 0 ? (struct cell){0}
					: cell_number((uint64_t)file->descriptor);
	*cells++ = file->opened_known ? cell_signed(file->opened) : (struct cell){0};
	*cells++ = file->first_known ? cell_signed(file->first) : (struct cell){0};
	*cells++ = cell_number(file->folded);
	*cells++ = cell_label(label_make(report->labels, file->opened_by));
	*cells++ = path ? cell_label(report->method[path->method].display) : (struct cell){0};
	*cells++ = cell_label(label_make(
		report->labels, file->known == KNOWN_ATTACH ? "attach" : "open"));
	*cells++ = cell_label(label_make(report->labels, file->note));
	*cells++ = cell_number(view->ops[item][IO_OPEN]);
	*cells++ = cell_number(view->ops[item][IO_CLOSE]);
	*cells++ = cell_number(view->failures[item]);
	return cells;
}

static struct cell *fill_counts(const struct files_view *view, uint32_t item,
	const enum io_op *op, size_t count, struct cell *cells)
{
	for (size_t i = 0; i < count; i++)
		*cells++ = cell_number(view->ops[item][op[i]]);
	return cells;
}

/* Bytes a second of what reads and writes took, in both directions; nothing without time. */
static struct cell *fill_end(
	const struct files_view *view, uint32_t item, struct cell *cells)
{
	const struct io_use *use = &view->use[item];
	uint64_t bytes = 0, ns = 0;

	for (enum io_part i = IO_PART_READS; i <= IO_PART_SENT; i++) {
		bytes += use->part[i].bytes;
		ns += use->part[i].ns;
	}
	cells = io_use_cells(cells, &use->part[IO_PART_ALL]);
	*cells++ = ns ? cell_number((uint64_t)((double)bytes * 1e9 / (double)ns))
		      : (struct cell){0};
	*cells++ = ns ? cell_number((uint64_t)((double)bytes * 1e3 / (double)ns + 0.5))
		      : (struct cell){0};
	return cells;
}

/* The row's name in text, with how many it stands for. */
static struct label name_of(struct report *report, const struct profile_file *file,
	struct label name, const char *one, const char *many)
{
	if (file->folded == 0)
		return name;
	return label_format(report->labels, "%s (%" PRIu64 " %s folded into this row)",
		name.text, file->folded, file->folded == 1 ? one : many);
}

static void fill_file(struct report *report, uint32_t item, struct cell *cells)
{
	const struct files_view *view = report->data;
	const struct profile_file *file = &report->profile->file[item];
	struct label path = label_make(report->labels, file->name);

	*cells++ = cell_label(path);
	*cells++ = cell_label(label_make(report->labels, io_kind_name(file->kind)));
	cells = fill_common(report, item, cells);
	cells = fill_counts(view, item, file_counts,
		sizeof(file_counts) / sizeof(*file_counts), cells);
	cells = io_use_cells(cells, &view->use[item].part[IO_PART_READS]);
	cells = io_use_cells(cells, &view->use[item].part[IO_PART_WRITES]);
	cells = fill_end(view, item, cells);
	*cells = cell_label(name_of(report, file, path, "file", "files"));
}

static void fill_connection(struct report *report, uint32_t item, struct cell *cells)
{
	const struct files_view *view = report->data;
	const struct profile_file *file = &report->profile->file[item];

	*cells++ = cell_label(label_make(report->labels, file->name));
	*cells++ = cell_label(label_make(report->labels, file->peer));
	*cells++ = cell_label(label_make(report->labels, io_kind_name(file->kind)));
	cells = fill_common(report, item, cells);
	cells = fill_counts(view, item, connection_counts,
		sizeof(connection_counts) / sizeof(*connection_counts), cells);
	cells = io_use_cells(cells, &view->use[item].part[IO_PART_RECEIVED]);
	cells = io_use_cells(cells, &view->use[item].part[IO_PART_SENT]);
	cells = fill_end(view, item, cells);
	*cells = cell_label(name_of(report, file,
		label_format(report->labels, "%s - %s", file->name,
			file->peer != NULL ? file->peer : ""),
		"connection", "connections"));
}

static void fill_entry(struct report *report, uint32_t item, struct cell *cells)
{
	const struct files_view *view = report->data;
	const struct profile_file *file = &report->profile->file[item];

	*cells++ = cell_label(label_make(report->labels, file->peer));
	*cells++ = cell_label(label_make(report->labels, file->name));
	cells = io_use_cells(cells, &view->use[item].part[IO_PART_READS]);
	*cells = cell_label(name_of(report, file,
		label_format(report->labels, "%s!/%s",
			file->peer != NULL ? file->peer : "", file->name),
		"entry", "entries"));
}

/* ---- rows ---- */

static void sum_up(struct files_view *view, const struct report *report, const bool *wanted)
{
	for (size_t i = 0; i < report->profile->io_count; i++) {
		const struct profile_io *io = &report->profile->io[i];

		if (!wanted[i] || io->file == 0)
			continue;
		io_use_add(&view->use[io->file - 1], io);
		view->ops[io->file - 1][io->op] += io->ops;
		view->failures[io->file - 1] += io->failures;
	}
}

static int open_rows(struct report *report, bool (*is_wanted)(const struct profile_file *file),
	fill_row *fill, struct error *error)
{
	size_t files = report->profile->file_count;
	struct files_view *view = calloc(1, sizeof(*view));
	uint32_t *items = calloc(files + 1, sizeof(*items));
	bool *wanted = io_wanted(report);

	report->data = view;
	if (view != NULL) {
		view->use = calloc(files + 1, sizeof(*view->use));
		view->ops = calloc(files + 1, sizeof(*view->ops));
		view->failures = calloc(files + 1, sizeof(*view->failures));
	}
	if (view != NULL && view->use != NULL && view->ops != NULL && view->failures != NULL &&
		items != NULL && wanted != NULL) {
		sum_up(view, report, wanted);
		for (size_t i = 0; i < files; i++)
			if (is_wanted(&report->profile->file[i]) &&
				view->use[i].part[IO_PART_ALL].ops > 0)
				items[view->count++] = (uint32_t)i;
		view->fill = fill;
		view->rank = report_rank(report, items, view->count, fill);
	}
	free(items);
	free(wanted);
	return view != NULL && view->rank != NULL ? 0 : report_no_memory(error);
}

static int open_files(struct report *report, struct error *error)
{
	return open_rows(report, is_file, fill_file, error);
}

static int open_connections(struct report *report, struct error *error)
{
	return open_rows(report, is_connection, fill_connection, error);
}

static int open_entries(struct report *report, struct error *error)
{
	return open_rows(report, is_entry, fill_entry, error);
}

static int print_rows(struct report *report, struct sink *sink, struct error *error)
{
	struct files_view *view = report->data;

	(void)error;
	report_rows(report, sink, view->rank, view->count, view->fill);
	return 0;
}

static void close_rows(struct report *report)
{
	struct files_view *view = report->data;

	if (view == NULL)
		return;
	free(view->use);
	free(view->ops);
	free(view->failures);
	free(view->rank);
	free(view);
}

const struct view view_files = {
	.name = "files",
	.meaning = "I/O by file and descriptor",
	.sort = "all.ns",
	.io = true,
	.columns = columns_files,
	.open = open_files,
	.rows = print_rows,
	.close = close_rows,
};

const struct view view_connections = {
	.name = "connections",
	.meaning = "I/O by connection and descriptor",
	.sort = "all.ns",
	.io = true,
	.columns = columns_connections,
	.open = open_connections,
	.rows = print_rows,
	.close = close_rows,
};

const struct view view_entries = {
	.name = "entries",
	.meaning = "what was read of archives, by entry",
	.sort = "reads.ns",
	.io = true,
	.columns = columns_entries,
	.open = open_entries,
	.rows = print_rows,
	.close = close_rows,
};
