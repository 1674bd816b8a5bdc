/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* method_rows: rows that are about a method, as the views methods, callers and overview share them. */
#ifndef JPROF_REPORT_METHOD_ROWS_H
#define JPROF_REPORT_METHOD_ROWS_H

#include "report/model/tally.h"
#include "report/views/view.h"

void method_row_columns(struct report *report);

/* The cells of something that was done in a method. */
void method_row(const struct report *report, struct cell *cells, uint32_t method,
	const struct call_count *count, const union model_value *base,
	const union model_value *cum);

/* The same of a whole method. */
void method_row_of(const struct report *report, struct cell *cells, const struct tally *tally,
	uint32_t method);

/* A row beside the rows: base of the threads' roots. With it the bases of all methods add up to the
 * threads' totals. */
void method_row_outside(struct report *report, struct sink *sink, const struct tally *tally);

#endif
