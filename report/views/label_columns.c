/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* label_columns: see label_columns.h. */
#include "report/views/label_columns.h"

static const struct {
	enum io_part part;
	const char *group, *heading;
} parts[] = {
	{IO_PART_READS, "reads", "Reads"},
	{IO_PART_WRITES, "writes", "Writes"},
	{IO_PART_RECEIVED, "received", "Receives"},
	{IO_PART_SENT, "sent", "Sends"},
};

enum { PARTS = sizeof(parts) / sizeof(*parts) };

void use_columns(struct report *report, unsigned flags)
{
	struct sheet *sheet = &report->sheet;

	flags |= IN_ALL;
	sheet_add(sheet, NULL, "rows", "Rows", flags);
	for (size_t i = 0; i < PARTS; i++)
		io_columns(report, parts[i].group, parts[i].heading, flags);
	sheet_add(sheet, "allocated", "objects", "Objects", flags);
	sheet_add(sheet, "allocated", "bytes", "Allocated", flags | COLUMN_BYTES);
	sheet_add(sheet, "waits", "count", "Waits", flags);
	sheet_add(sheet, "waits", "ns", "Waited", flags | COLUMN_TIME);
}

struct cell *use_cells(struct cell *cells, const struct label_use *use)
{
	*cells++ = cell_number(use->rows);
	for (size_t i = 0; i < PARTS; i++)
		cells = io_cells(cells, &use->io.part[parts[i].part]);
	*cells++ = cell_number(use->objects);
	*cells++ = cell_number(use->object_bytes);
	*cells++ = cell_number(use->waits);
	*cells++ = cell_number(use->wait_ns);
	return cells;
}

bool label_use_touches(const struct report *report, const struct label_use *use)
{
	return report->model->choice->files.count == 0 || use->io.part[IO_PART_ALL].ops > 0;
}
