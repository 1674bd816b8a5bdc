/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* fixture: profiles in memory, put together call by call, and reports of them as text. */
#ifndef JPROF_TEST_FIXTURE_H
#define JPROF_TEST_FIXTURE_H

#include "report/report.h"
#include "profile/profile_read.h"

#define FIXTURE_NODES   4096
#define FIXTURE_METHODS 64
#define FIXTURE_THREADS 8
#define FIXTURE_METRICS 2
#define FIXTURE_FILES   8
#define FIXTURE_IO      64

struct fixture {
	struct profile profile;
	struct profile_meta meta[16];
	struct profile_condition condition[2];
	char source[FIXTURE_METHODS][32];
	struct profile_method method[FIXTURE_METHODS];
	struct profile_thread thread[FIXTURE_THREADS];
	struct profile_node node[FIXTURE_NODES];
	size_t thread_first[FIXTURE_THREADS + 1];
	uint64_t base[FIXTURE_NODES][FIXTURE_METRICS];
	uint64_t spent[FIXTURE_NODES][FIXTURE_METRICS];
	struct profile_sequence sequence[3];
	uint64_t sequence_sum[3][FIXTURE_METRICS], sequence_min[3][FIXTURE_METRICS];
	struct profile_path path, waits_path[3];
	struct profile_lock lock[3];
	struct profile_contention contention[4];
	struct profile_wait wait, unfinished[2];
	struct profile_trace_period period;
	struct profile_file file[FIXTURE_FILES];
	struct profile_account account[FIXTURE_IO];
	struct profile_record_thread record_thread;
	struct profile_record record[2];
	struct profile_snapshot snapshot[2];
	struct profile_mark mark[2];
};

/* The view, the format of that name; NULL: there is none. */
const struct view *view_find(const char *name);
const struct format *format_find(const char *name);

/* A profile with the metrics wall (ns) and alloc (bytes), no methods and no threads. */
void fixture_init(struct fixture *fixture);

/* Returns the method's id. Strings are borrowed. */
uint32_t fixture_method(struct fixture *fixture, const char *class_name, const char *name,
	const char *signature);

/* Starts a thread with its root, whose base is given. Nodes go to the last thread. */
void fixture_thread(struct fixture *fixture, const char *name, uint64_t wall, uint64_t alloc);

/* Adds a node and returns its index in the thread; parent is such an index. Recursion and
 * the thread's totals are found here. A third of the calls is interpreted, the rest jitted. */
uint32_t fixture_node(struct fixture *fixture, uint32_t parent, uint32_t method, uint64_t calls,
	uint64_t wall, uint64_t alloc);

/* Adds a file, and returns its id. Strings are borrowed; peer may be NULL. */
uint32_t fixture_file(struct fixture *fixture, enum io_kind kind, int descriptor,
	const char *name, const char *peer);

/* Adds operations of the last thread; node is an index in it. They take 1000 ns each. */
void fixture_io(struct fixture *fixture, uint32_t node, uint32_t file, enum account_kind op,
	uint64_t ops, uint64_t bytes);

/* Adds a condition; and samples on it of the last thread, a period each. node is an index in it. */
void fixture_condition(struct fixture *fixture, const char *name, const char *event,
	uint64_t period, const char *unit, const char *how);
void fixture_samples(struct fixture *fixture, uint32_t node, uint32_t condition,
	enum sample_state state, uint32_t line, uint64_t count);

/* A small profile with recursion, overloads, two threads, a pruned node, I/O, snapshots and
 * marks. */
void fixture_small(struct fixture *fixture);

/* A program of which samples alone tell, on one condition: Java code, a library's, the kernel's, the JVM's own
 * threads. */
void fixture_sampled(struct fixture *fixture);

/* Calls were seen, and samples on two conditions found what is below them. */
void fixture_mixed(struct fixture *fixture);

/* The same with virtual threads: many without a name in one row, one without a name, and
 * a row of like names. */
void fixture_virtual(struct fixture *fixture);

/* A server whose threads waited for a lock of java.util.concurrent, a monitor, and work; two of them still do. */
void fixture_waits(struct fixture *fixture);

/* Gives each node of the profile deltas (the calls of a leaf are entry-exit ones), the time
 * that jprof spent in it, and the session sequences; for fixture_adjust. */
void fixture_deltas(struct fixture *fixture);

/* A calibration that knows most of these sequences, and the profile adjusted by it
 * (adjustment_fini). */
void fixture_adjust(const struct fixture *fixture, struct adjustment *adjustment);

/* The report as a text, owned by the caller; NULL after a failure. format may be NULL for
 * text. *violations as report_print gives it. */
char *fixture_report(const struct fixture *fixture, const struct report_request *request,
	uint64_t *violations, struct error *error);

/* The same of a view in a format, everything else as it is without options. Fails the test
 * when there is no report. */
char *fixture_print(const struct fixture *fixture, const char *view, const char *format);
char *fixture_print_adjusted(const struct fixture *fixture, const char *view,
	const char *format, const struct adjustment *adjustment);

#endif
