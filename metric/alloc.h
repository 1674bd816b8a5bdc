/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * alloc: bytes a thread allocated in the Java heap, from three words of the JVM.
 *
 * HotSpot gives each thread a piece of the heap (a TLAB) and counts in
 * Thread::_allocated_bytes what was allocated before the present piece, and beside it:
 *
 *        start          top        end
 *          |/// used ////|   free   |          bytes = allocated + (top - start)
 *
 * The thread itself refills its piece only while it allocates, never while it reads here.
 * But a garbage collection may retire it at any moment while the thread is in native code,
 * as it is here. ThreadLocalAllocBuffer::retire stores, in this order,
 *
 *        allocated += used        ...fills the rest...        start = 0, top = 0
 *
 * and in between the used bytes would be counted twice. That state cannot be told by one
 * look, but it lasts only a few instructions of the collector. So:
 *  - allocated is loaded last: it is never older than the piece that is added to it, and
 *    nothing is left out;
 *  - if allocated is what it was at the last read, nothing was retired: take it. This
 *    is all but a few reads in a thousand, and costs three loads;
 *  - if allocated grew, but by less than what the piece holds, it cannot have been this
 *    piece: take it (an object allocated outside the piece, a fresh piece);
 *  - otherwise look again until the words have stood still for ALLOC_STILL pauses (below a
 *    microsecond, at most once per refill or large object). Where the collector retires
 *    the piece, start turns 0, and the sum is right.
 * If the collector was itself interrupted for longer than that, the value is too high by
 * one piece (before the last reading it is waited for: alloc_await). The next one is right
 * again, and what was given out before stands until the right sum has passed it: the values
 * never go backwards and a total counts nothing twice.
 *
 * A signal may come while the thread itself retires its piece. It comes there more often than
 * elsewhere: the filler may be the first to touch its page, and signals arrive as a thread leaves
 * the kernel. The words stand still half-way then for as long as the handler lasts. So in a
 * handler (alloc_interrupt) a look that could be half-way gives what was given out before, and so
 * do all behind it; the next one outside has what they left out.
 */
#ifndef JPROF_ALLOC_H
#define JPROF_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pauses of some dozen cycles for which the words must stand still. */
#define ALLOC_STILL 8

/* Where the JVM keeps one thread's counters, found out by who knows the JVM. Three pointers
 * that stay valid until metric_thread_close; or, with allocated NULL, a function that gives
 * the bytes; or neither: the metric stays 0, and that is a loss. */
struct alloc_source {
	const volatile uint64_t *allocated;  /* Thread::_allocated_bytes */
	const volatile uint64_t *tlab_start; /* ThreadLocalAllocBuffer::_start */
	const volatile uint64_t *tlab_top;   /* ThreadLocalAllocBuffer::_top */
	uint64_t (*read)(void *argument);    /* the dear way */
	void *argument;
};

/* Embedded; one writer, the thread itself. */
struct alloc_counter {
	struct alloc_source source;
	uint64_t allocated; /* at the last read */
	uint64_t last;      /* what was last given out */
	bool interrupted;   /* by a signal, whose handler reads this */
	bool held;          /* the handler has seen what could be half-way */
};

void alloc_open(struct alloc_counter *counter, struct alloc_source source);

/* Around the readings of a signal's handler. */
static inline void alloc_interrupt(struct alloc_counter *counter)
{
	counter->interrupted = true;
}
static inline void alloc_resume(struct alloc_counter *counter)
{
	counter->interrupted = counter->held = false;
}

/* The dear way, or the second look. */
uint64_t alloc_read_slow(struct alloc_counter *counter);

/* Before the last reading, which no later one mends: a collector that may just be retiring the piece gets the processor for
 * that, some turns at most. */
void alloc_await(const struct alloc_counter *counter);

/* From another thread, which the words may change under: a best effort, off by a piece at
 * worst; no less than floor. */
uint64_t alloc_from_outside(const struct alloc_counter *counter, uint64_t floor);

/* Bytes the calling thread allocated since it began. */
static inline uint64_t alloc_read(struct alloc_counter *counter)
{
	const struct alloc_source *source = &counter->source;
	uint64_t start, top, now;

	if (__builtin_expect(source->allocated == NULL, 0))
		return alloc_read_slow(counter);
	start = __atomic_load_n(source->tlab_start, __ATOMIC_ACQUIRE);
	top = __atomic_load_n(source->tlab_top, __ATOMIC_ACQUIRE);
	now = __atomic_load_n(source->allocated, __ATOMIC_RELAXED);
	if (__builtin_expect(now != counter->allocated, 0))
		return alloc_read_slow(counter);
	/* Jumps: they are guessed right, and the additions need not wait. */
	if (__builtin_expect(top > start, 1) && __builtin_expect(start != 0, 1))
		now += top - start;
	if (now < counter->last)
		return counter->last;
	counter->last = now;
	return now;
}

#endif
