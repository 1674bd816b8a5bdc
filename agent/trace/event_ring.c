/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * event_ring: see event_ring.h.
 *
 * Runs: the lock is held for a few stores, by an owner once in a segment, by the drain to give
 *       a segment back. Segments come from the system in blocks, which stay.
 */
#include "agent/trace/event_ring.h"

#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_SEGMENTS = 64, /* taken from the system together; fewer where the share is less */
	BLOCKS_MAX = 16384,
	SHARE = 4 /* a quarter of the trace's memory */
};

_Static_assert(sizeof(struct event_segment) == 8192, "a segment is two pages");

struct events {
	struct memory_budget *budget;
	uint32_t blocks_max, block_segments;
	bool (*chosen)(uint32_t method);
	struct arena choice; /* a byte a method, made of addresses alone until it is used */
	struct lock lock;    /* LOCK_RECORDS: all below */
	struct event_segment *free;
	struct arena block[BLOCKS_MAX];
	uint32_t blocks;
	uint32_t rings; /* that were ever opened */
	struct event_ring *first;
	uint64_t lost; /* of rings that are no more, and of threads without one */
	/* The lock is not asked for when it would be in vain. */
	_Atomic bool empty;
};

struct events *events_create(
	struct memory_budget *budget, uint64_t limit, bool (*chosen)(uint32_t method))
{
	struct events *events = calloc(1, sizeof(*events));
	uint64_t segments = limit / SHARE / sizeof(struct event_segment), blocks;

	if (!events)
		return NULL;
	events->budget = budget;
	if (segments < 1)
		segments = 1;
	events->block_segments =
		segments < BLOCK_SEGMENTS ? (uint32_t)segments : BLOCK_SEGMENTS;
	blocks = segments / events->block_segments;
	events->blocks_max = blocks < BLOCKS_MAX ? (uint32_t)blocks : BLOCKS_MAX;
	events->chosen = chosen;
	/* Not of the budget: its pages are touched as methods come, a byte each. */
	if (chosen) {
		events->choice.base = calloc(EVENT_METHODS, 1);
		if (!events->choice.base) {
			free(events);
			return NULL;
		}
	}
	lock_init(&events->lock, LOCK_RECORDS);
	return events;
}

void events_destroy(struct events *events)
{
	if (!events)
		return;
	for (struct event_ring *ring = events->first, *next; ring; ring = next) {
		next = ring->next;
		free(ring);
	}
	for (uint32_t i = 0; i < events->blocks; i++)
		arena_fini(&events->block[i], events->budget);
	free(events->choice.base);
	lock_fini(&events->lock);
	free(events);
}

/* ---- the pool ---- */

/* Under the lock. */
static void add_block(struct events *events)
{
	struct arena *block = &events->block[events->blocks];
	struct event_segment *segment;

	if (events->blocks == events->blocks_max ||
		arena_resize(block, events->budget,
			events->block_segments * sizeof(struct event_segment), MEMORY_ORDINARY))
		return;
	events->blocks++;
	segment = block->base;
	for (uint32_t i = 0; i < events->block_segments; i++) {
		atomic_store_explicit(&segment[i].next, events->free, memory_order_relaxed);
		events->free = &segment[i];
	}
}

static struct event_segment *segment_take(struct events *events)
{
	struct event_segment *segment;

	if (atomic_load_explicit(&events->empty, memory_order_relaxed))
		return NULL;
	lock_take(&events->lock);
	if (!events->free)
		add_block(events);
	segment = events->free;
	if (segment)
		events->free = atomic_load_explicit(&segment->next, memory_order_relaxed);
	/* Until one is given back; there must be one that can be. */
	atomic_store_explicit(
		&events->empty, !segment && events->blocks > 0, memory_order_relaxed);
	lock_give(&events->lock);
	if (segment)
		atomic_store_explicit(&segment->next, NULL, memory_order_relaxed);
	return segment;
}

static void segment_give(struct events *events, struct event_segment *segment)
{
	lock_take(&events->lock);
	atomic_store_explicit(&segment->next, events->free, memory_order_relaxed);
	events->free = segment;
	atomic_store_explicit(&events->empty, false, memory_order_relaxed);
	lock_give(&events->lock);
}

/* ---- the owner's side ---- */

struct event_ring *event_ring_open(
	struct events *events, const struct event_thread *thread, bool fresh)
{
	struct event_ring *ring = calloc(1, sizeof(*ring));

	if (!ring) {
		lock_take(&events->lock);
		events->lost++;
		lock_give(&events->lock);
		return NULL;
	}
	ring->events = events;
	ring->thread = *thread;
	ring->choice = events->choice.base;
	ring->whole = fresh;
	lock_take(&events->lock);
	ring->thread.id = ++events->rings;
	ring->next = events->first;
	events->first = ring;
	lock_give(&events->lock);
	return ring;
}

void event_ring_interrupt(struct event_ring *ring)
{
	__atomic_store_n(&ring->limit, NULL, __ATOMIC_RELAXED);
	__atomic_store_n(&ring->whole, false, __ATOMIC_RELAXED);
}

void event_ring_close(struct event_ring *ring)
{
	atomic_store_explicit(&ring->closed, true, memory_order_release);
}

bool event_ring_more(struct event_ring *ring, uint64_t now)
{
	struct event_segment *segment = segment_take(ring->events), *last = ring->fill;

	if (!segment) {
		event_ring_lose(ring);
		/* What would still have room would stand in front of what is lost. */
		event_ring_interrupt(ring);
		return false;
	}
	segment->begin = ring->begin = now;
	segment->lost = ring->lost - ring->told;
	ring->told = ring->lost;
	ring->fill = segment;
	if (!last)
		atomic_store_explicit(&ring->head, segment, memory_order_release);
	if (last) {
		uint64_t *at = atomic_load_explicit(&ring->at, memory_order_relaxed);

		last->words = (uint64_t)(at - last->word);
		/* From here on the drain may give the old one back. */
		atomic_store_explicit(&last->next, segment, memory_order_release);
	}
	atomic_store_explicit(&ring->at, segment->word, memory_order_release);
	__atomic_store_n(&ring->limit, segment->word + EVENT_WORDS, __ATOMIC_RELAXED);
	return true;
}

bool event_ring_is_dry(const struct event_ring *ring)
{
	return atomic_load_explicit(&ring->events->empty, memory_order_relaxed);
}

__attribute__((noinline, cold)) bool event_ring_choose(struct event_ring *ring, uint32_t method)
{
	uint8_t *choice = ring->events->choice.base;
	bool chosen = ring->events->chosen(method);

	__atomic_store_n(
		&choice[method], chosen ? EVENT_CHOSEN : EVENT_NOT_CHOSEN, __ATOMIC_RELAXED);
	return chosen;
}

/* ---- the drain's side ---- */

/* How many words of the segment are whole; *next: the one behind it, or NULL. */
static uint64_t words_of(
	struct event_ring *ring, struct event_segment *segment, struct event_segment **next)
{
	uint64_t *at;

	for (;;) {
		*next = atomic_load_explicit(&segment->next, memory_order_acquire);
		if (*next)
			return segment->words;
		at = atomic_load_explicit(&ring->at, memory_order_acquire);
		if (at >= segment->word && at <= segment->word + EVENT_WORDS)
			return (uint64_t)(at - segment->word);
		/* The owner is just going on to the next one, or has not begun with its first. */
		if (!at)
			return 0;
	}
}

/* True: all was taken. */
static bool drain_ring(struct event_ring *ring, const struct event_drain *drain)
{
	if (!ring->drain)
		ring->drain = atomic_load_explicit(&ring->head, memory_order_acquire);
	while (ring->drain) {
		struct event_segment *segment = ring->drain, *next;
		uint64_t words = words_of(ring, segment, &next), from = ring->drained;

		if (words > from) {
			ring->drained += drain->words(drain->user, ring, segment->word + from,
				words - from, segment->begin, segment->lost);
			segment->lost = 0;
		}
		if (ring->drained < words)
			return false;
		if (!next)
			return true;
		ring->drain = next;
		ring->drained = 0;
		segment_give(ring->events, segment);
	}
	return true;
}

/* Takes a ring out that others may have been put in front of. */
static void remove_ring(struct events *events, struct event_ring *ring)
{
	struct event_ring **link;

	if (ring->drain)
		segment_give(events, ring->drain);
	lock_take(&events->lock);
	for (link = &events->first; *link != ring; link = &(*link)->next)
		;
	*link = ring->next;
	events->lost += ring->lost;
	lock_give(&events->lock);
	free(ring);
}

static struct event_ring *first_ring(struct events *events)
{
	struct event_ring *ring;

	lock_take(&events->lock);
	ring = events->first;
	lock_give(&events->lock);
	return ring;
}

void event_rings_drain(struct events *events, const struct event_drain *drain)
{
	struct event_ring *next;

	for (struct event_ring *ring = first_ring(events); ring; ring = next) {
		/* Before its words are looked at: there are no more, then. */
		bool closed = atomic_load_explicit(&ring->closed, memory_order_acquire);

		next = ring->next;
		if (!drain_ring(ring, drain) || !closed)
			continue;
		drain->closed(drain->user, ring);
		remove_ring(events, ring);
	}
}

void event_rings_each(
	struct events *events, void (*each)(void *user, struct event_ring *ring), void *user)
{
	for (struct event_ring *ring = first_ring(events); ring; ring = ring->next)
		each(user, ring);
}

uint64_t events_lost(struct events *events)
{
	uint64_t lost;

	lock_take(&events->lock);
	lost = events->lost;
	for (struct event_ring *ring = events->first; ring; ring = ring->next)
		lost += __atomic_load_n(&ring->lost, __ATOMIC_RELAXED);
	lock_give(&events->lock);
	return lost;
}
