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

#include "report/model/values.h"

/* How often something was called, summed over nodes. */
struct call_count {
	uint64_t nodes, calls;
	uint64_t interpreted, jitted, native;
	bool at_least; /* model_is_at_least of some node */
};

void call_count_add(struct call_count *count, const struct model *model, size_t node);

/* All arrays are the store's. */
struct tally {
	struct call_count *method;     /* by method id */
	union model_value *base, *cum; /* the same, model_at */
	uint32_t *seen;                /* ids of the methods that have nodes, roots left out */
	size_t seen_count;
};

/* cum is that of model_cum. 0, or -1 without memory. */
int tally_init(struct tally *tally, const struct model *model, const union model_value *cum);

#endif
