/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * records: each operation, on its way from the thread that did it to the profile.
 *
 *   record_ring_add, the thread's own --> its ring, a chain of segments --> records_drain, the
 *   writer's --> segments go back to the pool
 *
 * A ring has one thread that adds and one that drains, and neither waits for the other. When
 * the pool has no segment left, records are lost, and counted: accounts (accounts.h) are not
 * made from records, and stay exact.
 *
 * Owns: rings, and segments, up to a quarter of the memory that the trace may take.
 */
#ifndef JPROF_RECORDS_H
#define JPROF_RECORDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "agent/trace/arena.h"

struct record {
	uint64_t begin, end; /* ns of CLOCK_MONOTONIC */
	uint64_t amount;
	uint64_t subject; /* 0: not known */
	uint32_t node;    /* id, in the tree of the ring's row */
	uint8_t kind;     /* enum account_kind */
	uint8_t failed;
	uint8_t is_new; /* no file had the node when it was done */
};

enum { RECORD_SEGMENT = 255 }; /* records of a segment: nearly 10 KB with its head */

struct record_segment {
	_Atomic uint32_t count; /* of records that are whole */
	_Atomic(struct record_segment *) next;
	struct record record[RECORD_SEGMENT];
};

/* Whose records they are. */
struct record_thread {
	uint32_t id;  /* 1, 2, ... of threads that did I/O; never used again */
	uint32_t row; /* of the trace */
	int64_t java_id, os_id;
	char name[256];
};

struct record_ring {
	/* The owner's. */
	struct record_segment *fill;
	struct records *records;
	/* The drain's. */
	struct record_segment *drain;
	uint32_t drained; /* records of that segment */
	/* rings are put in front, and taken out by the drain alone */
	struct record_ring *next;
	_Atomic bool closed; /* its thread has ended */
	struct record_thread thread;
};

struct records; /* created, destroyed */

/* budget: what the trace may take, which is limit bytes. NULL without memory. */
struct records *records_create(struct memory_budget *budget, uint64_t limit);

/* For tests: the agent's live as long as the process. Rings are given back. */
void records_destroy(struct records *records);

/* A thread's first record comes; thread->id is set here. NULL: no memory, the record is
 * lost, and counted. */
struct record_ring *record_ring_open(
	struct records *records, const struct record_thread *thread);

/* The thread will add no more. The drain gives the ring back. */
void record_ring_close(struct record_ring *ring);

/* A segment that has room. NULL: there is none; a record is lost, and counted. */
struct record_segment *record_ring_more(struct record_ring *ring);

static inline void record_ring_add(struct record_ring *ring, const struct record *record)
{
	struct record_segment *segment = ring->fill;
	uint32_t count = segment ? atomic_load_explicit(&segment->count, memory_order_relaxed)
				 : RECORD_SEGMENT;

	if (__builtin_expect(count == RECORD_SEGMENT, 0)) {
		segment = record_ring_more(ring);
		if (!segment)
			return;
		count = 0;
	}
	segment->record[count] = *record;
	atomic_store_explicit(&segment->count, count + 1, memory_order_release);
}

/* What was added since the last drain is shown: of each ring first its thread, then the records
 * in their order. By one thread at a time. Functions return 0, or a negative code, which ends
 * the drain: records that were not shown are the next time, and no others. */
struct record_drain {
	void *user;
	int (*thread)(void *user, const struct record_thread *thread);
	int (*record)(void *user, uint32_t thread, const struct record *record, uint32_t count);
};
int records_drain(struct records *records, const struct record_drain *drain);

/* Records that were lost. records_lose: those that a failed transaction took with it. */
uint64_t records_lost(const struct records *records);
void records_lose(struct records *records, uint64_t count);

#endif
