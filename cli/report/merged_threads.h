/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * merged_threads: all selected threads as one tree.
 *
 * In:   a report whose figures are chosen.
 * Out:  a profile with one thread, whose nodes are the sums of those with the same path,
 * and what report_base gives of each. It borrows all else from the report's own profile.
 */
#ifndef JPROF_REPORT_MERGED_THREADS_H
#define JPROF_REPORT_MERGED_THREADS_H

#include "cli/report/report.h"

struct merged_threads {
	struct profile profile;
	struct profile_thread thread;
	size_t thread_first[2];
	uint64_t *base;   /* of the nodes */
	union report_value *values; /* report_values-shaped, by node */
};

/* Owned by the caller (merged_threads_destroy), NULL without memory. */
struct merged_threads *merged_threads_create(const struct report *report);
void merged_threads_destroy(struct merged_threads *merged);

#endif
