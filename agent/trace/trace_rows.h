/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_rows: the inside of struct trace. For this room only.
 *
 *   trace.c        threads begin and end, the list
 *   trace_fold.c   ended threads folded by name, memory found among them
 *   trace_visit.c  what the writer is shown
 *   trace_look.c   a consistent look at one thread
 *   trace_group.c  groups of virtual threads, as others see them
 *   lanes.c        groups of virtual threads, and their lanes on carriers
 *   mount.c        who is mounted in them
 *   virtual_thread.c what virtual threads keep while they are on no carrier
 *   trace_totals.c what all have used, and between which methods
 *   trace_widen.c  metrics that come later
 */
#ifndef JPROF_TRACE_ROWS_H
#define JPROF_TRACE_ROWS_H

#include "agent/trace/call_times.h"
#include "agent/trace/slow_calls.h"
#include "agent/trace/trace.h"
#include "agent/trace/virtual_thread.h"
#include "agent/trace/watched_calls.h"

/* Metrics that came later, and all before. */
struct wide_set {
	struct metric_set set;
	struct wide_set *before;
};

struct trace {
	/* What contexts count from their beginning on; those that began before may have a narrower one. Written under
	 * LOCK_THREADS. */
	_Atomic(const struct metric_set *) set;
	struct wide_set
		*wide; /* the last one; under LOCK_THREADS; never freed before the trace */
	struct memory_budget budget;
	struct lock lock; /* LOCK_THREADS: all below, but for what says otherwise */
	struct thread_context *first, *last; /* all rows, by id */
	uint32_t next_id;
	uint32_t ended;       /* rows of ended threads */
	uint32_t ended_apart; /* of ended virtual ones, each a group of its own */
	struct thread_context *fold[TRACE_FOLDS_MAX]; /* rows of folded ones */
	unsigned folds;
	struct thread_context *counted; /* among them: see trace_count_for_all; NULL: not yet */
	_Atomic bool old_frames;        /* see trace_expect_old_frames; without the lock */
	bool stopped;
	/* rows that were shown must not be folded: they would be shown twice */
	bool visiting;
	bool show_all;                   /* what was shown as changed was lost */
	struct sequence_table sequences; /* of ended threads */
	struct arena block;              /* the visitor's copy of nodes */
	struct records *records;         /* NULL: operations are not recorded one by one */
	struct events *events;           /* NULL: events are never told one by one */
	bool events_on;                  /* they are at the moment */
	uint64_t calls, folded_calls;    /* of the last whole visit */
	uint64_t threads;
	uint8_t all;                   /* bits of the sessions that want every thread */
	_Atomic uint64_t regrouped;    /* see virtual_regroup; without the lock */
	_Atomic uint64_t lost_threads; /* without the lock */
	/* Virtual threads. */
	bool apart;                                    /* each is a group; constant */
	struct thread_context *group[TRACE_FOLDS_MAX]; /* by name, if they are not apart */
	unsigned groups;
	struct thread_context *unknown; /* the group of those without a recorded call */
	struct virtual_pool virtuals;
	/* ns of the clock, 0 until stopped; carriers read it without the lock */
	uint64_t stopped_at;
	/* Watched calls. */
	struct watching watching; /* constant */
	struct slow_calls slow;
	_Atomic uint64_t lost_watched; /* without the lock */
	/* Labels: values, tags and lines that found no memory, but for those without a number, and how many had none before; calls that
	 * set no tag, as TAG_CALLS around them did. Without the lock. */
	_Atomic uint64_t lost_labels, deep_tags;
	uint64_t numbers_lost; /* constant */
};

/* Metrics of the set that are read from the clock run on while a virtual thread is not mounted. */
static inline bool metric_runs_on(const struct metric_set *set, unsigned metric)
{
	return set->metric[metric].kind == METRIC_WALL;
}

/* A row without counters, frames or a place in the list, for that set. NULL without memory. */
struct thread_context *rows_create(
	struct trace *trace, const struct metric_set *set, enum memory_claim claim);
void rows_destroy(struct trace *trace, struct thread_context *context);

/* Which sessions the row is for; written under LOCK_THREADS. */
static inline uint8_t row_wanted(const struct thread_context *context)
{
	return __atomic_load_n(&context->row.identity.wanted, __ATOMIC_RELAXED);
}

static inline void row_want(struct thread_context *context, uint8_t wanted)
{
	__atomic_store_n(&context->row.identity.wanted, wanted, __ATOMIC_RELAXED);
}

/* Under LOCK_THREADS: a row that no thread records into has room for all that one with `from`'s metrics counts. False: no
 * memory. */
bool rows_widen(struct thread_context *row, const struct thread_context *from);

/* The carrier's lane counts what the carrier does. False: no memory. */
bool lane_widen(struct thread_context *carrier, struct thread_context *lane);

/* Under LOCK_THREADS: into the list, with the next id; out of it. */
void rows_append(struct trace *trace, struct thread_context *context);
void rows_remove(struct trace *trace, struct thread_context *context);

/* Under LOCK_THREADS: the row's events are told one by one from now on, if the trace's are. fresh: its thread is in no
 * method. */
void rows_trace(struct thread_context *context, bool fresh);

/* Under LOCK_THREADS: adds an ended thread to the row of its name, and destroys its own.
 * False: that is not possible now. */
bool fold_thread(struct trace *trace, struct thread_context *context);

/* Under LOCK_THREADS, with no visit under way: a name that got a second row, because a visitor
 * was at the first, gets one again. */
void fold_twins(struct trace *trace);

/* A rare way begins: the counters. What lies before, since the event was read, is as in the usual
 * way. */
struct spending {
	uint64_t begin[METRIC_MAX];
};

/* Charges what the rare way used, and remembers how much it was. The delta between the event and
 * the next one goes on as if there had been nothing. */
void spend_begin(struct thread_context *context, struct spending *spending);
void spend_end(struct thread_context *context, const struct spending *spending);

/* Each run of digits becomes one '*'. pattern: room for as much as the name has. */
void name_pattern(char *pattern, const char *name);

/* Under LOCK_THREADS, and no visitor looks at it: the only thread of a group has ended; the group becomes
 * the row of an ended thread. */
void finish_group(struct trace *trace, struct thread_context *group);

/* The calling thread ends, and its counters are `now`. The lanes that it has as a carrier wait for
 * another one. Takes LOCK_THREADS. */
void lanes_leave(struct trace *trace, struct thread_context *carrier, const uint64_t *now);

/* What was used until the counters were `now` belongs to where the thread is. No event: no
 * transition. */
/* Looks how long the thread of a live context has waited for a processor. Takes the tree's lock. */
void rows_look_waited(struct thread_context *context);

/* How long the row's thread has waited for a processor since it began; 0 where no metric of the set shows that it waits. */
uint64_t rows_wait(const struct metric_set *set, const struct trace_row *row);

/* Nobody uses the sets of a trace that is destroyed any more. */
void wide_sets_fini(struct trace *trace);

void rows_charge_last(struct thread_context *context, const uint64_t *now);

/* A counter of the calling thread's that others read. */
static inline void lane_add(uint64_t *counter, uint64_t more)
{
	__atomic_store_n(counter, *counter + more, __ATOMIC_RELAXED);
}

static inline uint64_t lane_read(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* Folds what is beyond TRACE_KEPT_ENDED, the last ones first. Takes LOCK_THREADS. */
void fold_excess(struct trace *trace);

/* Frees memory that ended threads hold: prunes the largest of their trees, if it has more
 * than so many bytes, else folds some. True: something was freed. Takes LOCK_THREADS. */
bool trace_relieve(struct trace *trace, size_t bytes);

/* ---- lanes.c: found, or made, in the carrier, which is the calling thread's context; NULL: no memory ---- */

/* The group's lane on the carrier. */
struct thread_context *lane_of(struct thread_context *carrier, struct thread_context *group);

/* The lane of the group for threads of its name that the same sessions want. */
struct thread_context *lane_by_name(
	struct thread_context *carrier, const struct thread_identity *identity);

/* The lane for a thread that begins: as above, or of a group for it alone. */
struct thread_context *lane_for(
	struct thread_context *carrier, const struct thread_identity *identity);

/* The lane for threads that no recorded call is known of. */
struct thread_context *lane_for_unknown(struct thread_context *carrier);

#endif
