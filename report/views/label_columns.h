/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* label_columns: what the views of values and of tags have beside metrics: I/O, rows, objects, waits. */
#ifndef JPROF_LABEL_COLUMNS_H
#define JPROF_LABEL_COLUMNS_H

#include "report/model/labelled.h"
#include "report/views/view.h"

/* flags: COLUMN_SUM where sums over rows mean something. */
void use_columns(struct report *report, unsigned flags);
struct cell *use_cells(struct cell *cells, const struct label_use *use);

/* True unless files were chosen, and no I/O was done with them. */
bool label_use_touches(const struct report *report, const struct label_use *use);

#endif
