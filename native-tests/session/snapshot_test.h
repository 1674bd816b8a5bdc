/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * snapshot_test: what the tests of snapshots share: a writer, and the truth that a profile is held
 * against.
 *
 * The truth is counted by name of thread with its digits left out, as threads of such names may
 * become one row: sums, sums of I/O by file and operation, and a fingerprint of all paths. That
 * is a sum over nodes, so that the one of an interval is the difference of two. Pruning makes
 * paths coarser: then it says nothing.
 */
#ifndef JPROF_SNAPSHOT_TEST_H
#define JPROF_SNAPSHOT_TEST_H

#include "../trace/trace_test.h"

#include "agent/session/writer.h"
#include "profile/profile_read.h"

enum {
	METRICS = 2,
	METHODS = 100,
	GROUPS = 3, /* names that begin with p, with h, and others */
	FILES = 3
};

extern struct metric_set snapshot_set;

/* Of a group of tests. */
int snapshot_prepare(void **state);
int snapshot_clean(void **state);

/* The profile is NAME.jprof in a directory of the tests; the others are about the one started
 * last. */
struct writer *snapshot_start(struct trace *trace, const char *name, uint64_t flush_seconds);
void snapshot_finish(struct writer *writer);

/* With marks. Owned by the caller (profile_free). */
struct profile *snapshot_read(const char *interval);

/* All of it are sums. */
struct truth {
	uint64_t calls[3]; /* by state */
	uint64_t transition[4];
	uint64_t base[METRICS];
	uint64_t paths; /* the fingerprint */
	uint64_t io[FILES + 1][IO_OPS][3];
};

#define NUMBERS (sizeof(struct truth) / sizeof(uint64_t))

struct truth truth_difference(const struct truth *after, const struct truth *before);
void truth_add(struct truth *to, const struct truth *more);

/* The hash of a path, from its caller's (0: a root's) and its method. */
uint64_t truth_path(uint64_t parent, uint32_t method);

/* Without I/O. */
struct truth truth_of_model(const struct model *model);

/* By group of the threads' names. Fails unless the profile adds up. */
void truth_of_profile(const struct profile *profile, struct truth truth[GROUPS]);

#endif
