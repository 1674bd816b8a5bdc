/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * merged_threads: all selected threads as one tree.
 *
 * In:   a model whose figures are chosen.
 * Out:  a profile with one thread, whose nodes are the sums of those with the same path,
 *       and what model_base gives of each. It borrows all else from the model's own profile.
 */
#ifndef JPROF_REPORT_MERGED_THREADS_H
#define JPROF_REPORT_MERGED_THREADS_H

#include "report/model/values.h"

struct merged_threads {
	struct profile profile;
	struct profile_thread thread;
	size_t thread_first[2];
	uint64_t *base;            /* of the nodes */
	union model_value *values; /* by node */
};

/* The store's; NULL without memory. */
struct merged_threads *merged_threads_make(const struct model *model);

#endif
