/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * tally: what each method did, summed over all its nodes in the selected threads.
 *
 * cum is summed over the nodes with recursion level 0 only: what an inner call of a
 * recursion used is in the outer one's cum already.
 */
#ifndef JPROF_REPORT_TALLY_H
#define JPROF_REPORT_TALLY_H

#include "cli/report/report.h"

struct method_count {
	uint64_t nodes, calls;
	uint64_t interpreted, jitted, native;
	bool at_least; /* report_at_least of some node */
};

struct tally {
	struct method_count *method; /* by method id */
	union report_value *base, *cum;        /* report_values-shaped, by method id */
	uint32_t *seen; /* ids of the methods that have nodes, roots left out */
	size_t seen_count;
};

/* cum is that of report_cum. 0, or -1 without memory. */
int tally_init(struct tally *tally, const struct report *report, union report_value *cum);
void tally_fini(struct tally *tally);

/* The columns of a row that is about a method, and the cells for them; text and data as
 * the views `methods` and `callers` share them. Returns the index of the first column. */
unsigned tally_columns(struct report *report);
void tally_cells(const struct report *report, struct cell *cells, uint32_t method,
	const struct method_count *count, const union report_value *base,
	const union report_value *cum);

/* A row beside the rows: base of the threads' roots. With it the bases of all methods add up to the
 * threads' totals. */
void tally_outside(const struct tally *tally, struct report *report, struct sink *sink);

#endif
