/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_use: sums of I/O for the views that show it, by what they group it.
 */
#ifndef JPROF_REPORT_IO_USE_H
#define JPROF_REPORT_IO_USE_H

#include "cli/report/report.h"

/* What operations are summed up as; IO_PART_ALL is the sum of the others. */
enum io_part {
	IO_PART_ALL,
	IO_PART_READS,
	IO_PART_WRITES,
	IO_PART_RECEIVED,
	IO_PART_SENT,
	IO_PART_OTHERS, /* opens, closes, connects, deletes... */
	IO_PARTS
};

struct io_amount {
	uint64_t ops, bytes, ns;
};

struct io_use {
	struct io_amount part[IO_PARTS];
};

/* Which of the profile's I/O records are wanted, by threads, paths and methods of the request.
 * Owned by the caller (free), NULL without memory. */
bool *io_wanted(const struct report *report);

void io_use_add(struct io_use *use, const struct profile_io *io);
void io_use_join(struct io_use *use, const struct io_use *more);

/* Of every node, by position: base, and cum if cum is not NULL. Both owned by the caller (free);
 * -1 without memory. */
int io_use_of_nodes(const struct report *report, struct io_use **base, struct io_use **cum);

/* Three columns for a part, in a group: ops, bytes, ns. Returns the first one's index. */
unsigned io_use_column(struct report *report, const char *group, const char *heading,
	unsigned flags);

/* All parts, as the views by method show them: base and cum. */
void io_use_columns(struct report *report);

/* Fills the cells of one part; returns the next. */
struct cell *io_use_cells(struct cell *cells, const struct io_amount *amount);

/* The cells of io_use_columns. */
struct cell *io_use_all_cells(
	struct cell *cells, const struct io_use *base, const struct io_use *cum);

#endif
