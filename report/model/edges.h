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

#include "report/model/model.h"

struct edge {
	uint32_t caller, callee; /* method ids; caller may be the root */
	struct call_count count;
	struct io_amount io_cum, io_below; /* of edges_init_io's io */
	union model_value values[];        /* base, cum, below: model->values of each */
};

enum { EDGE_CHUNK = 1024 };

struct edges {
	char **chunk; /* EDGE_CHUNK edges each, row_size from one to the next */
	size_t row_size, count;
	/* Edges that end in method m: by_callee[callee_first[m] .. callee_first[m + 1]);
	 * those that start in it: the same with caller. All are the store's. */
	uint32_t *by_callee, *callee_first, *by_caller, *caller_first;
};

/* cum is that of model_cum; io that of io_cum_of_nodes, or NULL. 0, or -1 without memory. */
int edges_init_io(struct edges *edges, const struct model *model, const union model_value *cum,
	const struct io_amount *io);

static inline int edges_init(
	struct edges *edges, const struct model *model, const union model_value *cum)
{
	return edges_init_io(edges, model, cum, NULL);
}

static inline struct edge *edge_at(const struct edges *edges, size_t i)
{
	return (struct edge *)(void *)(edges->chunk[i / EDGE_CHUNK] +
				       i % EDGE_CHUNK * edges->row_size);
}

#endif
