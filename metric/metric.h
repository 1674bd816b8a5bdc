/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * metric: what is counted, chosen once for a session, and read at every event.
 *
 * In:   metric names as the user wrote them.
 * Out:  struct metric_set (constant after metric_set_init, shared by all threads) and, per
 *       thread, struct metric_thread, from which metric_read gives the current value of
 *       every metric of the set: non-decreasing 64-bit numbers in the metric's unit.
 * Runs: metric_thread_open, metric_read and metric_thread_close in the thread they are for;
 *       metric_read_from_outside in any. No locks, no allocation while reading.
 *
 * A kind of metric is one row of METRIC_KIND_TABLE and one source file.
 */
#ifndef JPROF_METRIC_H
#define JPROF_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error/error.h"
#include "metric/alloc.h"
#include "metric/clock.h"
#include "metric/cpu_time.h"
#include "metric/perf_event.h"
#include "options/pattern.h"

/* Most metrics one session can have. */
#define METRIC_MAX 16

/* Kind, the name a user gives it (events have their own), unit. The readings of the kinds are
 * in metric_read.h. */
#define METRIC_KIND_TABLE(X)                                                                   \
	X(WALL, "wall", "ns") /* CLOCK_MONOTONIC, from the time stamp where it is sound */     \
	X(CPU, "cpu", "ns")   /* this thread ran */                                            \
	X(ALLOC, "alloc", "bytes")             /* this thread allocated in the Java heap */    \
	X(VM_OBJECTS, "vm-objects", "objects") /* the JVM allocated for this thread */         \
	X(VM_BYTES, "vm-bytes", "bytes")       /* their bytes */                               \
	X(IO_READ, "io-read", "bytes")         /* read from files, pipes, terminals */         \
	X(IO_WRITE, "io-write", "bytes")       /* written to them */                           \
	X(NET_IN, "net-in", "bytes")           /* received from sockets */                     \
	X(NET_OUT, "net-out", "bytes")         /* sent to them */                              \
	X(IO_READ_OPS, "io-read-ops", "ops")                                                   \
	X(IO_WRITE_OPS, "io-write-ops", "ops")                                                 \
	X(NET_IN_OPS, "net-in-ops", "ops")                                                     \
	X(NET_OUT_OPS, "net-out-ops", "ops")                                                   \
	X(PERF, NULL, "count") /* an event of perf_event_open */

enum metric_kind {
#define X(kind, name, unit) METRIC_##kind,
	METRIC_KIND_TABLE(X)
#undef X
};

/* The kinds that are not read but counted, where what they count is seen. */
enum { METRIC_COUNTED = METRIC_VM_OBJECTS, METRIC_COUNTED_END = METRIC_PERF };

static inline bool metric_is_io(enum metric_kind kind)
{
	return kind >= METRIC_IO_READ && kind <= METRIC_NET_OUT_OPS;
}

/* Sets whose reading is compiled without a branch per metric: the constant, and the name that
 * functions compiled for it carry. The last serves any set. */
#define METRIC_SHAPE_TABLE(X)                                                                  \
	X(SHAPE_WALL, wall)                                                                    \
	X(SHAPE_WALL_CPU, wall_cpu)                                                            \
	X(SHAPE_WALL_CPU_ALLOC, wall_cpu_alloc)                                                \
	X(SHAPE_ANY, any)

enum metric_shape {
#define X(shape, name) shape,
	METRIC_SHAPE_TABLE(X)
#undef X
};
enum { METRIC_SHAPES = SHAPE_ANY + 1 };

struct metric {
	char name[64]; /* as the user wrote it: reports use it */
	char unit[16]; /* "ns", "bytes", "objects", "ops", "count" */
	char how[96];  /* how it is read: "rdpmc", "read()", "time stamp", ... */
	enum metric_kind kind;
	uint64_t came; /* clock_now; 0: it is of the set from its beginning on */
	struct perf_event_choice perf; /* METRIC_PERF only */
};

struct metric_set {
	unsigned count;
	enum metric_shape shape;
	bool uses_stamp; /* a metric of the set is made from the time stamp */
	struct metric metric[METRIC_MAX];
};

/* What one thread needs to read its metrics. Embedded in the thread's context. */
struct metric_thread {
	uint64_t wall; /* what was last given out */
	struct cpu_time cpu;
	struct alloc_counter alloc; /* its source is known also where it is not counted */
	uint64_t counted[METRIC_COUNTED_END - METRIC_COUNTED];
	struct perf_counter perf[METRIC_MAX]; /* by index in the set */
};

/* Resolves the names and makes sure that this machine counts each of them, all together and
 * without multiplexing, for an ordinary thread. 0, or a negative code with error naming the
 * metric that cannot be counted and the reason. Call once, before any thread is opened. */
int metric_set_init(
	struct metric_set *set, const struct pattern_list *names, struct error *error);

/* The same set with further metrics behind those that it has: of the names those that are not in it. All
 * together are proven as metric_set_init does it; nothing that counts already is changed for them (new hardware
 * events are a group of their own). 0, or a negative code. Any thread that metric_set_init may be called by. */
int metric_set_widen(struct metric_set *wider, const struct metric_set *set,
	const struct pattern_list *names, struct error *error);

/* Makes a choice of an event's name, libpfm4's or PAPI's. 0, or a negative code with error naming it and the
 * reason. Not to be called by two threads at once. */
int metric_event(struct perf_event_choice *choice, const char *name, struct error *error);

/* True if probes add to the metric of that name: they take time, and are counted by the processor;
 * they allocate nothing and do no I/O. */
bool metric_is_probed(const char *name);

/* True if they add to a metric of the set. */
bool metric_set_is_probed(const struct metric_set *set);

/* True if a metric of that kind is in the set. */
bool metric_set_has(const struct metric_set *set, enum metric_kind kind);

/* The place of the first metric of that kind, or -1. */
int metric_index(const struct metric_set *set, enum metric_kind kind);

/* Opens the calling thread's counters. Where one cannot be had for this thread although the
 * set was accepted, the cheaper way is replaced by the dearer one (counted in
 * metric_fallbacks), and if there is none the metric stays 0 for this thread (counted in
 * metric_losses). alloc is where the JVM keeps this thread's allocation counters. */
void metric_thread_open(
	const struct metric_set *set, struct metric_thread *thread, struct alloc_source alloc);

/* The counters of a thread that was opened for a narrower set, of which the first `from` metrics are: those
 * behind them are opened, too, in the same way. Others may look at the thread meanwhile with the narrower set. */
void metric_thread_widen(
	const struct metric_set *set, unsigned from, struct metric_thread *thread);

/* Gives back descriptors and mappings. The last values are not lost: read before. */
void metric_thread_close(const struct metric_set *set, struct metric_thread *thread);

/* More of a kind that is counted, for the calling thread. */
static inline void metric_count(
	struct metric_thread *thread, enum metric_kind kind, uint64_t more)
{
	thread->counted[kind - METRIC_COUNTED] += more;
}

/* How many (thread, metric) pairs had to be read the dear way though there is a cheap one
 * (cpu by a system call, a hardware counter by read(), alloc by a function), or could not be
 * read. */
uint64_t metric_fallbacks(void);
uint64_t metric_losses(void);

/* The calling thread's values now, into value[0 .. set->count). shape must be set->shape,
 * as a constant, for the reading to be specialised. Cost on a 2.6 GHz x86-64: see
 * docs/overhead.md. */
static inline __attribute__((always_inline)) void metric_read(enum metric_shape shape,
	const struct metric_set *set, struct metric_thread *thread, uint64_t *value);

/* What another thread's values are now, as far as they can be seen from outside: wall, cpu,
 * alloc and perf events with an open descriptor; the others keep what value[] holds. Values
 * never go below what value[] holds. The thread must not have ended. */
void metric_read_from_outside(
	const struct metric_set *set, const struct metric_thread *thread, uint64_t *value);

/* Prints every metric this machine can count, with unit, how it is read and what one read
 * costs here (measured now), then those it cannot and why. */
int metric_print_available(FILE *out);

#include "metric/metric_read.h"

#endif
