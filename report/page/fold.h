/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * fold: which paths a block has rows of, and which are so small that they are put together.
 *
 * A path's weight is its largest share of the whole of anything: of each metric and condition, of calls, of the
 * operations, bytes and time of I/O; its own and that of all below it. As no path weighs more than the one that it is
 * below, those that are kept are a tree.
 */
#ifndef JPROF_PAGE_FOLD_H
#define JPROF_PAGE_FOLD_H

#include "report/model/model.h"

struct fold {
	float *weight; /* by node; below 0: it is not below the root */
	float limit;   /* nodes that weigh less are folded; 0: none */
	size_t paths;  /* so many are */
};

/* root: the node to begin at, or UINT32_MAX: all threads'. Of more nodes than `most` (0: any) the smallest are folded, so
 * that rows are no more, but for threads' roots, which all stay. weight is the model's store's. 0, or -1 without
 * memory. */
int fold_init(struct fold *fold, const struct model *model, const union model_value *cum,
	uint32_t root, size_t most);

static inline bool fold_keeps(const struct fold *fold, uint32_t node)
{
	return fold->weight[node] >= fold->limit;
}

#endif
