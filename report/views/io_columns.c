/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_columns: see io_columns.h. */
#include "report/views/io_columns.h"

/* As groups of base and of cum, in that order. */
static const char *const part_name[IO_PARTS][2] = {
	{"base.all", "cum.all"},
	{"base.reads", "cum.reads"},
	{"base.writes", "cum.writes"},
	{"base.received", "cum.received"},
	{"base.sent", "cum.sent"},
	{"base.others", "cum.others"},
};

void io_columns(struct report *report, const char *group, const char *heading, unsigned flags)
{
	sheet_add(&report->sheet, group, "ops", heading, flags);
	sheet_add(&report->sheet, group, "bytes", "Bytes", flags);
	sheet_add(&report->sheet, group, "ns", "Time", flags | COLUMN_TIME);
}

struct cell *io_cells(struct cell *cells, const struct io_amount *amount)
{
	*cells++ = cell_number(amount->ops);
	*cells++ = cell_number(amount->bytes);
	*cells++ = cell_number(amount->ns);
	return cells;
}

void io_all_columns(struct report *report)
{
	static const char *const headings[] = {"Self", "Total"};

	for (int cum = 0; cum < 2; cum++) {
		for (enum io_part part = 0; part < IO_PARTS; part++)
			io_columns(report, part_name[part][cum],
				part == IO_PART_ALL ? headings[cum] : "",
				(part == IO_PART_ALL ? IN_ALL : IN_DATA) |
					(cum ? 0 : COLUMN_SUM));
	}
}

struct cell *io_all_cells(
	struct cell *cells, const struct io_use *base, const struct io_use *cum)
{
	for (int part = 0; part < IO_PARTS; part++)
		cells = io_cells(cells, &base->part[part]);
	for (int part = 0; part < IO_PARTS; part++)
		cells = io_cells(cells, &cum->part[part]);
	return cells;
}
