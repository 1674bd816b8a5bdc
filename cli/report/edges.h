/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * edges: which method called which, summed over all nodes in the selected threads.
 *
 * One edge is seen from both of its ends, and its cum is not the same from there. Let M be
 * a method that calls itself through others, A an outer node of M and N the next one of M
 * below it, C the child of A on the way:
 *
 *      P -- A(M) -- C -- ... -- N(M)        cum of N is within cum of C is within cum of A
 *
 * cum, seen by the callers' side: only what enters M from outside M counts, so N adds
 * nothing to the edge it ends.  below, seen by M's callees' side: what M passed down the
 * edge A -> C, without N's part, which is M's own again. Then, for every method,
 * sum of cum over its callers = its cum, and sum of below over its callees = its cum - base.
 */
#ifndef JPROF_REPORT_EDGES_H
#define JPROF_REPORT_EDGES_H

#include "cli/report/links.h"
#include "cli/report/report.h"
#include "cli/report/tally.h"

struct edge {
	uint32_t caller, callee; /* method ids; caller may be the root */
	struct method_count count;
};

struct edges {
	struct edge *edge;
	union report_value *base, *cum, *below; /* report_values-shaped, by edge */
	size_t count, capacity;
	uint32_t *slot; /* hash of (caller, callee): edge + 1, 0 for none */
	size_t slots;   /* a power of two */

	/* Edges that end in method m: by_callee[callee_first[m] .. callee_first[m + 1]);
	 * those that start in it: the same with caller. */
	uint32_t *by_callee, *callee_first, *by_caller, *caller_first;
};

/* cum is that of report_cum. 0, or -1 without memory. */
int edges_init(struct edges *edges, const struct report *report, const union report_value *cum);
void edges_fini(struct edges *edges);

#endif
