/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_columns: columns and cells of sums of I/O. */
#ifndef JPROF_REPORT_IO_COLUMNS_H
#define JPROF_REPORT_IO_COLUMNS_H

#include "report/model/io_use.h"
#include "report/views/view.h"

/* Three columns for a part, in a group: ops, bytes, ns; and their cells. Returns that behind them. */
void io_columns(struct report *report, const char *group, const char *heading, unsigned flags);
struct cell *io_cells(struct cell *cells, const struct io_amount *amount);

/* The same for all parts of base and cum. */
void io_all_columns(struct report *report);
struct cell *io_all_cells(
	struct cell *cells, const struct io_use *base, const struct io_use *cum);

#endif
