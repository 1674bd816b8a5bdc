/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * event_ring: entries, exits and what else happens, in the order of time, on their way from the
 * thread to the writer.
 *
 *   event_ring_put, the thread's own --> its ring, a chain of segments of 8 KB --> event_rings_drain,
 *   the writer's --> segments go back to the pool
 *
 * An event is a word, and for some kinds words behind it:
 *
 *   63                 28 27          2 1  0
 *   | ns since the       | method, or  | event_word |      the ns are those since the segment's begin,
 *   | segment's begin    | event_more  |            |      36 bits: 68 s; then comes the next segment
 *
 * A ring has one thread that adds and one that drains, and neither waits for the other. When the
 * pool has no segment left, events are lost, and counted; the first event that finds one again is the whole
 * stack (EVENT_STACK): what comes behind it can be told without what was lost.
 *
 * Cost: a load and a test where there is no ring; else some 2 ns, no lock, no call; a lock once in
 * a thousand events.
 * Owns: rings, and segments, up to a quarter of the memory that the trace may take.
 */
#ifndef JPROF_EVENT_RING_H
#define JPROF_EVENT_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "agent/trace/arena.h"

enum event_word {
	EVENT_ENTRY,
	EVENT_EXIT,
	EVENT_UNWIND, /* an exit by exception */
	EVENT_OTHER   /* one of event_more stands where the method does */
};

enum event_more {
	/* What was used since the event before is the innermost method's; or it is nobody's. */
	EVENT_SETTLE,
	EVENT_START,
	/* In the place of the time: ns that jprof's own rare ways used in the innermost method, and that are
	 * not in the time until the next event; or, ahead, until the one behind that. */
	EVENT_SPENT,
	EVENT_SPENT_AHEAD,
	EVENT_FOUND, /* a frame that was there before its first event: word 1 the method */
	EVENT_STACK, /* word 1: frames << 32 | listed ones, the innermost; then two a word */
	EVENT_MOUNT, /* word 1: the virtual thread's number; 2: ns it was parked; then a stack */
	EVENT_UNMOUNT, /* the stack is empty */
	EVENT_ACCOUNT, /* word 1: account_kind | failed << 8; 2: subject; 3: amount; 4: ns */
	EVENT_END      /* the thread has ended */
};

enum {
	EVENT_WORDS = 1020, /* of a segment, which is 8 KB */
	EVENT_LISTED = 512, /* frames of a stack that are listed */
	EVENT_METHOD_BITS = 26,
	EVENT_TIME_SHIFT = EVENT_METHOD_BITS + 2
};

/* Methods with higher ids are left out. */
#define EVENT_METHODS ((uint32_t)1 << EVENT_METHOD_BITS)
#define EVENT_TIMES   ((uint64_t)1 << (64 - EVENT_TIME_SHIFT))

static inline uint64_t event_word(enum event_word kind, uint32_t subject, uint64_t time)
{
	return time << EVENT_TIME_SHIFT | (uint64_t)subject << 2 | (unsigned)kind;
}

struct event_segment {
	_Atomic(struct event_segment *) next;
	uint64_t words; /* that are whole; valid where there is a next one */
	uint64_t begin; /* ns of CLOCK_MONOTONIC */
	uint64_t lost;  /* events between those of the segment before and its first */
	uint64_t word[EVENT_WORDS];
};

/* Whose events they are: a thread's, or those of a group of virtual threads on a carrier. */
struct event_thread {
	uint32_t id;  /* 1, 2, ...; never used again */
	uint32_t row; /* of the trace */
	int64_t java_id, os_id;
	bool is_virtual;
	char name[256];
};

struct event_ring {
	/* The owner's; at is read by the drain. */
	_Atomic(uint64_t *) at; /* the next word */
	uint64_t *limit; /* behind the segment's last one; other threads may set it to NULL */
	uint64_t begin;  /* the segment's */
	const uint8_t *choice; /* by method: enum event_choice; NULL: all are chosen */
	struct event_segment *fill;
	_Atomic(struct event_segment *) head; /* the first of all */
	uint64_t lost;                        /* events; read by others */
	uint64_t told;                        /* of those, what segments say */
	bool whole; /* what is known of the stack follows from the events before */
	struct events *events;
	/* The drain's. */
	struct event_segment *drain;
	uint64_t drained;        /* words of that segment */
	void *stream;            /* the visitor's */
	struct event_ring *next; /* rings are put in front, and taken out by the drain alone */
	_Atomic bool closed;     /* its owner adds no more */
	struct event_thread thread;
};

enum event_choice { EVENT_NOT_ASKED, EVENT_NOT_CHOSEN, EVENT_CHOSEN };

struct events; /* created, destroyed */

/* budget: what the trace may take, which is limit bytes. chosen: whether a method's events are wanted; NULL:
 * all are; called on any thread. NULL without memory. */
struct events *events_create(
	struct memory_budget *budget, uint64_t limit, bool (*chosen)(uint32_t method));

/* Rings are given back; no thread has one any more. */
void events_destroy(struct events *events);

/* A ring for a thread that has begun (fresh), or that is in methods already. thread->id is set here. NULL: no memory; its
 * events are lost, and the thread is counted. */
struct event_ring *event_ring_open(
	struct events *events, const struct event_thread *thread, bool fresh);

/* The owner's next event takes the rare way, and is its stack. On any thread. */
void event_ring_interrupt(struct event_ring *ring);

/* The owner adds no more. The drain gives the ring back. */
void event_ring_close(struct event_ring *ring);

/* A fresh segment that begins then. False: there is none, an event is lost, and counted; so is what follows, until there
 * is one; ring->whole is false. */
bool event_ring_more(struct event_ring *ring, uint64_t now);

/* An event is lost. */
static inline void event_ring_lose(struct event_ring *ring)
{
	__atomic_store_n(&ring->lost, ring->lost + 1, __ATOMIC_RELAXED);
}

/* No segment can be had at the moment. */
bool event_ring_is_dry(const struct event_ring *ring);

/* The method was not asked for yet. */
bool event_ring_choose(struct event_ring *ring, uint32_t method);

static inline bool event_ring_wants(struct event_ring *ring, uint32_t method)
{
	if (__builtin_expect(method >= EVENT_METHODS, 0))
		return false;
	if (__builtin_expect(!ring->choice, 1))
		return true;
	if (__builtin_expect(ring->choice[method] == EVENT_NOT_ASKED, 0))
		return event_ring_choose(ring, method);
	return ring->choice[method] == EVENT_CHOSEN;
}

/* Room for so many words at that time, in the segment that there is. */
static inline bool event_ring_has_room(
	const struct event_ring *ring, uint64_t now, unsigned words)
{
	/* As numbers: both may be NULL. */
	uintptr_t at = (uintptr_t)atomic_load_explicit(&ring->at, memory_order_relaxed);
	uintptr_t limit = (uintptr_t)__atomic_load_n(&ring->limit, __ATOMIC_RELAXED);

	return at + words * sizeof(uint64_t) <= limit && now - ring->begin < EVENT_TIMES;
}

/* One event of one word; there is room. */
static inline void event_ring_put(struct event_ring *ring, uint64_t word)
{
	uint64_t *at = atomic_load_explicit(&ring->at, memory_order_relaxed);

	*at = word;
	atomic_store_explicit(&ring->at, at + 1, memory_order_release);
}

/* The same of some words; there is room for all. */
static inline void event_ring_put_words(
	struct event_ring *ring, const uint64_t *word, unsigned words)
{
	uint64_t *at = atomic_load_explicit(&ring->at, memory_order_relaxed);

	for (unsigned i = 0; i < words; i++)
		at[i] = word[i];
	atomic_store_explicit(&ring->at, at + words, memory_order_release);
}

/* Shows what was added since the last drain, ring by ring: words of whole events, in their order. By one thread at a time. */
struct event_drain {
	void *user;
	/* begin: the segment's; lost: events before these words, told once. Returns how many words it took, of whole events:
	 * the others come again with the next drain. */
	uint64_t (*words)(void *user, struct event_ring *ring, const uint64_t *word,
		uint64_t count, uint64_t begin, uint64_t lost);
	/* The ring goes: give its stream back. */
	void (*closed)(void *user, struct event_ring *ring);
};
void event_rings_drain(struct events *events, const struct event_drain *drain);

/* Calls the function for each ring. On the thread that drains. */
void event_rings_each(
	struct events *events, void (*each)(void *user, struct event_ring *ring), void *user);

/* Events that were lost, by all threads, and threads that had no ring. */
uint64_t events_lost(struct events *events);

#endif
