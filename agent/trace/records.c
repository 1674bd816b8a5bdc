/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * records: see records.h.
 *
 * Runs: the lock is held for a few stores, by an owner once in RECORD_SEGMENT records, by the drain
 *       to give a segment back. Segments come from the system in blocks, which stay.
 */
#include "agent/trace/records.h"

#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_SEGMENTS = 16, /* taken from the system together */
	BLOCKS_MAX = 4096,
	SHARE = 4 /* a quarter of the trace's memory */
};

struct records {
	struct memory_budget *budget;
	uint32_t blocks_max;
	struct lock lock; /* LOCK_RECORDS: all below */
	struct record_segment *free;
	struct arena block[BLOCKS_MAX];
	uint32_t blocks;
	uint32_t rings; /* that were ever opened */
	struct record_ring *first;
	/* The lock is not asked for when it would be in vain. */
	_Atomic bool empty;
	_Atomic uint64_t lost;
};

struct records *records_create(struct memory_budget *budget, uint64_t limit)
{
	struct records *records = calloc(1, sizeof(*records));
	uint64_t blocks = limit / SHARE / (BLOCK_SEGMENTS * sizeof(struct record_segment));

	if (!records)
		return NULL;
	records->budget = budget;
	records->blocks_max = blocks < BLOCKS_MAX ? (uint32_t)blocks : BLOCKS_MAX;
	lock_init(&records->lock, LOCK_RECORDS);
	return records;
}

void records_destroy(struct records *records)
{
	if (!records)
		return;
	for (struct record_ring *ring = records->first, *next; ring; ring = next) {
		next = ring->next;
		free(ring);
	}
	for (uint32_t i = 0; i < records->blocks; i++)
		arena_fini(&records->block[i], records->budget);
	lock_fini(&records->lock);
	free(records);
}

uint64_t records_lost(const struct records *records)
{
	return atomic_load(&records->lost);
}

void records_lose(struct records *records, uint64_t count)
{
	atomic_fetch_add_explicit(&records->lost, count, memory_order_relaxed);
}

/* ---- the pool ---- */

/* Under the lock. */
static void add_block(struct records *records)
{
	struct arena *block = &records->block[records->blocks];
	struct record_segment *segment;

	if (records->blocks == records->blocks_max ||
		arena_resize(block, records->budget,
			BLOCK_SEGMENTS * sizeof(struct record_segment), MEMORY_ORDINARY))
		return;
	records->blocks++;
	segment = block->base;
	for (int i = 0; i < BLOCK_SEGMENTS; i++) {
		atomic_store_explicit(&segment[i].next, records->free, memory_order_relaxed);
		records->free = &segment[i];
	}
}

static struct record_segment *segment_take(struct records *records)
{
	struct record_segment *segment = NULL;

	if (atomic_load_explicit(&records->empty, memory_order_relaxed))
		return NULL;
	lock_take(&records->lock);
	if (!records->free)
		add_block(records);
	segment = records->free;
	if (segment)
		records->free = atomic_load_explicit(&segment->next, memory_order_relaxed);
	/* Until one is given back; there must be one that can be. */
	atomic_store_explicit(
		&records->empty, !segment && records->blocks > 0, memory_order_relaxed);
	lock_give(&records->lock);
	if (segment) {
		atomic_store_explicit(&segment->count, 0, memory_order_relaxed);
		atomic_store_explicit(&segment->next, NULL, memory_order_relaxed);
	}
	return segment;
}

static void segment_give(struct records *records, struct record_segment *segment)
{
	lock_take(&records->lock);
	atomic_store_explicit(&segment->next, records->free, memory_order_relaxed);
	records->free = segment;
	atomic_store_explicit(&records->empty, false, memory_order_relaxed);
	lock_give(&records->lock);
}

/* ---- the owner's side ---- */

struct record_ring *record_ring_open(
	struct records *records, const struct record_thread *thread)
{
	struct record_ring *ring = calloc(1, sizeof(*ring));

	if (!ring) {
		records_lose(records, 1);
		return NULL;
	}
	ring->records = records;
	ring->thread = *thread;
	ring->fill = ring->drain = segment_take(records);
	if (!ring->fill) {
		free(ring);
		records_lose(records, 1);
		return NULL;
	}
	lock_take(&records->lock);
	ring->thread.id = ++records->rings;
	ring->next = records->first;
	records->first = ring;
	lock_give(&records->lock);
	return ring;
}

void record_ring_close(struct record_ring *ring)
{
	atomic_store_explicit(&ring->closed, true, memory_order_release);
}

struct record_segment *record_ring_more(struct record_ring *ring)
{
	struct record_segment *segment = segment_take(ring->records);

	if (!segment) {
		records_lose(ring->records, 1);
		return NULL;
	}
	/* From here on the drain may give the old one back. */
	atomic_store_explicit(&ring->fill->next, segment, memory_order_release);
	return ring->fill = segment;
}

/* ---- the drain's side ---- */

/* Shows what is there. 0, or the visitor's code. */
static int drain_ring(struct record_ring *ring, const struct record_drain *drain)
{
	for (;;) {
		struct record_segment *segment = ring->drain, *next;
		uint32_t count = atomic_load_explicit(&segment->count, memory_order_acquire);
		int status = 0;

		if (count > ring->drained)
			status = drain->thread(drain->user, &ring->thread);
		if (status < 0)
			return status;
		if (count > ring->drained)
			status = drain->record(drain->user, ring->thread.id,
				&segment->record[ring->drained], count - ring->drained);
		ring->drained = count;
		if (status < 0)
			return status;
		next = atomic_load_explicit(&segment->next, memory_order_acquire);
		if (count < RECORD_SEGMENT || !next)
			return 0;
		ring->drain = next;
		ring->drained = 0;
		segment_give(ring->records, segment);
	}
}

/* Takes a ring out that others may have been put in front of. */
static void remove_ring(struct records *records, struct record_ring *ring)
{
	struct record_ring **link;

	segment_give(records, ring->drain);
	lock_take(&records->lock);
	for (link = &records->first; *link != ring; link = &(*link)->next)
		;
	*link = ring->next;
	lock_give(&records->lock);
	free(ring);
}

int records_drain(struct records *records, const struct record_drain *drain)
{
	struct record_ring *ring, *next;
	int status = 0;

	lock_take(&records->lock);
	ring = records->first;
	lock_give(&records->lock);
	for (; ring && status == 0; ring = next) {
		/* Before its records are looked at: there are no more, then. */
		bool closed = atomic_load_explicit(&ring->closed, memory_order_acquire);

		next = ring->next;
		status = drain_ring(ring, drain);
		if (closed && status == 0)
			remove_ring(records, ring);
	}
	return status;
}
