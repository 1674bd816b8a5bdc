/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_records: each I/O operation, on its way from the thread that did it to the profile.
 *
 *   io_ring_add, the thread's own --> its ring, a chain of segments --> io_records_drain, the
 *   writer's --> segments go back to the pool
 *
 * A ring has one thread that adds and one that drains, and neither waits for the other. When
 * the pool has no segment left, records are lost, and counted: accounts (io_accounts.h) are not
 * made from records, and stay exact.
 *
 * Owns: rings, and segments, up to a quarter of the memory that the trace may take.
 */
#ifndef JPROF_IO_RECORDS_H
#define JPROF_IO_RECORDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "agent/trace/arena.h"
#include "profile/io_words.h"

struct io_record {
	uint64_t begin, end; /* ns of CLOCK_MONOTONIC */
	uint64_t bytes;
	uint64_t file; /* id; 0: not known */
	uint32_t path; /* io_paths.h */
	uint8_t op;    /* enum io_op */
	uint8_t failed;
};

enum { IO_SEGMENT = 255 }; /* records of a segment: nearly 10 KB with its head */

struct io_segment {
	_Atomic uint32_t count; /* of records that are whole */
	_Atomic(struct io_segment *) next;
	struct io_record record[IO_SEGMENT];
};

/* Whose records they are. */
struct io_ring_thread {
	uint32_t id; /* 1, 2, ... of threads that did I/O; never used again */
	int64_t java_id, os_id;
	char name[256];
};

struct io_ring {
	/* The owner's. */
	struct io_segment *fill;
	struct io_records *records;
	/* The drain's. */
	struct io_segment *drain;
	uint32_t drained; /* records of that segment */
	struct io_ring *next; /* rings are put in front, and taken out by the drain alone */
	_Atomic bool closed;  /* its thread has ended */
	struct io_ring_thread thread;
};

struct io_records; /* created, destroyed */

/* budget: what the trace may take, which is limit bytes. NULL without memory. */
struct io_records *io_records_create(struct memory_budget *budget, uint64_t limit);

/* For tests: the agent's live as long as the process. Rings are given back. */
void io_records_destroy(struct io_records *records);

/* A thread's first record comes; thread->id is set here. NULL: no memory, the record is
 * lost, and counted. */
struct io_ring *io_ring_open(struct io_records *records, const struct io_ring_thread *thread);

/* The thread will add no more. The drain gives the ring back. */
void io_ring_close(struct io_ring *ring);

/* A segment that has room. NULL: there is none; a record is lost, and counted. */
struct io_segment *io_ring_more(struct io_ring *ring);

static inline void io_ring_add(struct io_ring *ring, const struct io_record *record)
{
	struct io_segment *segment = ring->fill;
	uint32_t count = segment ? atomic_load_explicit(&segment->count, memory_order_relaxed)
				 : IO_SEGMENT;

	if (__builtin_expect(count == IO_SEGMENT, 0)) {
		segment = io_ring_more(ring);
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
struct io_drain {
	void *user;
	int (*thread)(void *user, const struct io_ring_thread *thread);
	int (*record)(void *user, uint32_t thread, const struct io_record *record,
		uint32_t count);
};
int io_records_drain(struct io_records *records, const struct io_drain *drain);

/* Records that were lost. io_records_lose: those that a failed transaction took with it. */
uint64_t io_records_lost(const struct io_records *records);
void io_records_lose(struct io_records *records, uint64_t count);

#endif
