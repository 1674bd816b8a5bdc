/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace: all threads of a session and their call trees.
 *
 * In:   threads that begin and end; the events between are recorded by thread_context.h.
 * Out:  a row and the nodes of each thread, to a visitor.
 * Owns: contexts, trees, the memory budget.
 * Runs: trace_thread_* in the thread itself; trace_visit and trace_stop in one thread at a
 *       time. LOCK_THREADS guards the list; it is not held while a visitor is called.
 *
 * Ended threads keep a row of their own up to TRACE_KEPT_ENDED of them. Later ones are folded,
 * as they end, into one row for all whose names are equal but for digits ("worker-*"), as are
 * earlier ones when memory is short.
 */
#ifndef JPROF_TRACE_H
#define JPROF_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/trace/call_times.h"
#include "agent/trace/call_tree.h"
#include "agent/trace/records.h"
#include "agent/trace/thread_context.h"
#include "metric/metric.h"

enum {
	TRACE_KEPT_ENDED = 1000, /* ended threads that keep their own row */
	TRACE_FOLDS_MAX = 256    /* rows of folded threads; further names share one, "*" */
};

struct trace; /* created, destroyed */
struct slow_calls;

/* For a session with this metric set (borrowed). max_memory: bytes for everything here. NULL
 * without memory. */
struct trace *trace_create(const struct metric_set *set, uint64_t max_memory);

/* What threads count that begin now: those that began before may count fewer yet (context->set). On any thread; it stays
 * as long as the trace. */
const struct metric_set *trace_metrics(const struct trace *trace);

/* Threads that begin from now on count by the set (copied), which has what they count now, and more behind that; each of
 * the others does so from context_widen on. 0, or -1 without memory: nothing has changed. In the thread that visits, or
 * while none does. */
int trace_widen(struct trace *trace, const struct metric_set *wider);

/* Call paths that used less than so many percent of what their caller did (of the first metric, with what is below them)
 * are folded when memory is short, and others only if that frees too little. Before threads begin. */
void trace_fold_below(struct trace *trace, uint32_t percent);

/* Threads may be in methods that got their probes for an earlier session, and whose exits match
 * nothing here, or were turned away when they entered them: they are not counted as unmatched. */
void trace_expect_old_frames(struct trace *trace);
bool trace_has_old_frames(const struct trace *trace);

/* Each I/O operation is to be recorded, too. Before the first thread begins; 0, or -1 without
 * memory. */
int trace_record_io(struct trace *trace);

/* Methods may be watched (watched_calls.h): wall and cpu are places in the set, cpu -1 if it is not in it;
 * process: metrics, as bits, of which it is told what the whole process uses during a call; slowest: so many calls of
 * each method are kept with what they did. Before the first thread begins. */
void trace_watch_calls(
	struct trace *trace, unsigned wall, int cpu, uint32_t process, uint32_t slowest);
bool trace_watches_calls(const struct trace *trace);

struct slow_calls *trace_slow_calls(struct trace *trace);

/* Calls of watched methods that there was no memory for. */
uint64_t trace_lost_watched(const struct trace *trace);

/* How often a value, a tag, or a line had no memory: what was done has none then. And how often a call set no tag, for it was in
 * TAG_CALLS calls that did. On any thread. */
uint64_t trace_lost_labels(const struct trace *trace);
uint64_t trace_deep_tags(const struct trace *trace);

/* NULL: they are not. */
struct records *trace_records(const struct trace *trace);

/* Each event may be told by itself; chosen: see events_create. Before the first thread begins; 0, or -1 without
 * memory. They are, or are not any more, from trace_tell_events on, on any thread. */
int trace_prepare_events(struct trace *trace, bool (*chosen)(uint32_t method));
void trace_tell_events(struct trace *trace, bool on);

/* NULL: they may not. */
struct events *trace_events(const struct trace *trace);

/* Memory of the trace for what waits to be written; false (not of what is forced): there is none. And back. */
bool trace_claim(struct trace *trace, uint64_t bytes, bool forced);
void trace_unclaim(struct trace *trace, uint64_t bytes);

/* No thread may have a context of it any more. */
void trace_destroy(struct trace *trace);

/* The calling thread begins: its counters are opened, and count from now on. NULL when
 * there is no memory at all; that is counted. */
struct thread_context *trace_thread_begin(
	struct trace *trace, const struct thread_identity *identity, struct alloc_source alloc);

/* Which sessions of the recording want which threads. */
struct trace_sessions {
	const void *of;
	/* Bits of those that want the thread; called under LOCK_THREADS. */
	uint8_t (*that_want)(const void *of, const struct thread_identity *identity);
	uint8_t all; /* that want every thread */
	uint8_t now; /* that there are */
};

/* Rows of threads that live are for the sessions that want them now. Rows of many virtual threads stay those of sessions that
 * there are still, and become those of sessions that want every thread; of folded threads they stay as they are. On any
 * thread. */
void trace_renew_rows(struct trace *trace, const struct trace_sessions *sessions);

/* The same for the row of a context alone. */
void trace_want_row(struct thread_context *context, uint8_t wanted);

/* The calling thread ends: what it used since its last event is charged to where it is, its
 * counters are closed, its tree is kept or folded. context must not be used any more. A name
 * that is not NULL replaces the one it began with. */
void trace_thread_end(
	struct trace *trace, struct thread_context *context, const char *last_name);

/* What there is of other threads stays until trace_give_rows: a context that a thread has yet is not given back as that thread ends.
 * For a short time, with LOCK_THREADS. False: another thread has it, and does not give it (wait: that cannot be). */
bool trace_hold_rows(struct trace *trace, bool wait);
void trace_give_rows(struct trace *trace);

/* No thread records an event any more (the caller has seen to that; ending is allowed): fixes
 * every live thread's counters as they are now. What a visitor sees from now on is final. */
void trace_stop(struct trace *trace);

/* A thread, or many in one row: ended ones that were folded, or virtual ones (mount.h), which may live. */
struct trace_thread {
	uint32_t id; /* 1, 2, ... in order of appearance; never used again */
	bool alive;
	uint64_t folded; /* how many threads this row stands for */
	/* many: only the name, a pattern, and is_virtual */
	const struct thread_identity *identity;
	uint64_t started, ended; /* ns of CLOCK_MONOTONIC; ended 0 while alive */
	/* the row of virtual threads that this one is a part of; 0: none */
	uint32_t group;
	uint32_t nodes;      /* how many it has */
	uint64_t unwound;    /* exits by exception, among the events */
	uint64_t repaired;   /* frames popped because their exit never came */
	uint64_t unmatched;  /* exits that matched no frame; they are not events */
	uint64_t lost;       /* entries without a frame: the shadow stack could not grow */
	uint64_t pruned;     /* nodes folded for want of memory */
	uint64_t mounts;     /* of virtual threads: how often one was mounted on a carrier */
	uint64_t carrier_ns; /* and for how long, ns */
	/* for a processor, where wall-clock time is counted; not of virtual ones */
	uint64_t waited_ns;
	/* Set for `end` only. */
	uint64_t events;              /* entries and exits: the sum of the nodes' transitions */
	uint64_t calls, folded_calls; /* of the nodes, and of the flat ones among them */
	uint64_t counted;             /* calls that were counted, by method alone */
	uint64_t total
		[METRIC_MAX]; /* by trace_metrics; what the sum of the nodes' base has to be: of ended
	                             * threads, and of all after trace_stop, by the counters
	                             * alone; of a running one it is that sum. Of a part of a group
	                             * those of the clock may be negative, as base may: sums over
	                             * the parts are right */
};

/* The node, known by an id, is no more: its counts are in another one. Where it is the root (id 0), the
 * whole thread was folded. */
struct trace_forward {
	uint32_t thread, node, to_thread, to_node;
};

/* What a visit calls, on its own thread, without locks; NULL where it is not wanted; a result other than 0
 * ends the visit.
 * For each row: begin; forwards, nodes, gone, accounts, times, end. Of a row that has parts all but begin comes for
 * each part, and at last end for the row itself. When nodes were moved meanwhile, or the like, it begins
 * again: what came since the last begin is void. Nodes and accounts are known by their ids, which rise as they are made (a node's is above its
 * parent's) and are never used again. Everything passed is borrowed for the call. */
struct trace_visitor {
	void *user;
	/* Only what has changed is shown, since the visits with this set that trace_confirm was called
	 * for. Forwards and ids that are gone are shown to such a visitor alone. */
	bool changes;
	int (*begin)(void *user, const struct trace_thread *thread);
	int (*forwards)(void *user, const struct trace_forward *forward, uint32_t count);
	/* The i-th at (char *)node + i * stride, with the figures of trace_metrics; parents are ids here. */
	int (*nodes)(void *user, const struct trace_thread *thread, uint32_t count,
		const struct tree_node *node, size_t stride);
	/* Accounts of I/O that have become part of others. */
	int (*gone)(void *user, const struct trace_thread *thread, uint32_t count,
		const uint32_t *account);
	/* Their nodes are ids. */
	int (*accounts)(void *user, const struct trace_thread *thread, uint32_t count,
		const struct account *account);
	/* How long calls of a watched method took, that returned or failed: one figure. */
	int (*times)(void *user, const struct trace_thread *thread, uint32_t method,
		bool failed, enum call_figure which, const struct figure_times *figure);
	int (*end)(void *user, const struct trace_thread *thread);
};

/* One call of a method that is counted, in a thread that has no memory for its counts: in a row that all such
 * share. */
void trace_count_for_all(struct trace *trace, uint32_t method);

/* Adds how many calls were counted of each method before `end` to calls[end]. Of very many threads some are left out. On any
 * thread. */
void trace_add_counts(struct trace *trace, uint64_t *calls, uint32_t end);

/* A thread that is there already, and counts in the block of its number, though no event of it has been seen: a row of its
 * name. */
void trace_thread_found(
	struct trace *trace, const struct thread_identity *identity, int64_t number);

/* What is in blocks that no row has goes into the row that threads without counts of their own share; nobody counts in such a
 * block any more. */
void trace_sweep_counts(struct trace *trace);

/* An id for a row that is no thread's of the trace, apart from all of those. On any thread. */
uint32_t trace_new_row(struct trace *trace);

/* Shows all threads, one after the other, each as it is at the time. A running thread's delta
 * in progress is included, charged to the node it is in. Returns what ended it, or 0. */
int trace_visit(struct trace *trace, const struct trace_visitor *visitor);

/* What the last visit showed of changes is kept; or it is lost, and the next one shows all. */
void trace_confirm(struct trace *trace, bool kept);

/* The i-th node of a block shown to a visitor. */
static inline const struct tree_node *trace_node(
	const struct tree_node *node, size_t stride, size_t i)
{
	return (const struct tree_node *)(const void *)((const char *)node + i * stride);
}

/* What all threads together, ended ones too, have used of each metric: of total[METRIC_MAX] those of trace_metrics.
 * While nothing moves it is the sum of `total` over the rows of a visit. What a running thread
 * used since its last event is in it as far as it can be seen from outside; never less than
 * before, but for use that a thread forgets again (context_start). On any thread, at any time; a
 * microsecond or two for each live thread, which keeps others from beginning and ending. */
void trace_totals(struct trace *trace, uint64_t *total);

/* The same of the one thread of that Thread.getId() alone, also of one that ended, as long as its row stands for no
 * others. False: there is none, or it shares its row. */
bool trace_thread_totals(struct trace *trace, int64_t java_id, uint64_t *total);

/* Words of the array that trace_sequences fills, by trace_metrics. */
static inline size_t trace_sequences_words(unsigned metrics)
{
	return (size_t)SEQUENCE_CODES * sequence_words_of(metrics);
}

/* The deltas of all threads together, ended ones too, by sequence: the cell of a code is at
 * cell[code * sequence_words_of(metrics)]: count, and sum and min of each metric. Returns how many
 * deltas are missing because there was no memory to count them. On any thread. */
uint64_t trace_sequences(struct trace *trace, uint64_t *cell);

struct trace_state {
	uint64_t threads;                                /* begun */
	uint64_t lost_threads;                           /* had no memory */
	uint64_t memory_limit, memory_used, memory_peak; /* bytes */
	/* As the last whole visit saw them: all calls, and those without a path (call_tree.h). */
	uint64_t calls, folded_calls;
};

void trace_get_state(struct trace *trace, struct trace_state *state);

#endif
