/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * alloc: the second look at a thread's allocation counters.
 */
#include "metric/alloc.h"

#include <sched.h>
#include <stdbool.h>

#include "spin.h"

struct alloc_words {
	uint64_t start, top, allocated;
};

/* allocated last: see alloc.h. */
static struct alloc_words alloc_look(const struct alloc_source *source)
{
	struct alloc_words words;

	words.start = __atomic_load_n(source->tlab_start, __ATOMIC_ACQUIRE);
	words.top = __atomic_load_n(source->tlab_top, __ATOMIC_ACQUIRE);
	words.allocated = __atomic_load_n(source->allocated, __ATOMIC_RELAXED);
	return words;
}

static bool alloc_same(struct alloc_words a, struct alloc_words b)
{
	return a.start == b.start && a.top == b.top && a.allocated == b.allocated;
}

static uint64_t alloc_used(struct alloc_words words)
{
	return words.start != 0 && words.top > words.start ? words.top - words.start : 0;
}

/* The words once they have stood still, or as they are after a bounded wait. */
static struct alloc_words alloc_settle(
	const struct alloc_source *source, struct alloc_words words)
{
	for (int still = 0, pauses = 0; still < ALLOC_STILL && pauses < 8 * ALLOC_STILL;
		pauses++) {
		struct alloc_words now;

		spin_pause();
		now = alloc_look(source);
		still = alloc_same(now, words) ? still + 1 : 0;
		words = now;
	}
	return words;
}

void alloc_open(struct alloc_counter *counter, struct alloc_source source)
{
	*counter = (struct alloc_counter){.source = source};
}

uint64_t alloc_read_slow(struct alloc_counter *counter)
{
	const struct alloc_source *source = &counter->source;
	uint64_t now = 0;

	if (source->allocated) {
		struct alloc_words words = alloc_look(source);
		uint64_t used = alloc_used(words);

		bool half_way = used != 0 && words.allocated - counter->allocated >= used;

		counter->held |= counter->interrupted && half_way;
		if (counter->held)
			return counter->last;
		if (half_way)
			words = alloc_settle(source, words);
		counter->allocated = words.allocated;
		now = words.allocated + alloc_used(words);
	} else if (source->read && !counter->interrupted) {
		now = source->read(source->argument);
	}
	if (now > counter->last)
		counter->last = now;
	return counter->last;
}

void alloc_await(const struct alloc_counter *counter)
{
	enum { TURNS = 4 };
	struct alloc_words words;
	uint64_t used;

	for (int i = 0; i < TURNS && counter->source.allocated; i++) {
		words = alloc_look(&counter->source);
		used = alloc_used(words);
		if (used == 0 || words.allocated - counter->allocated < used)
			return;
		sched_yield();
	}
}

uint64_t alloc_from_outside(const struct alloc_counter *counter, uint64_t floor)
{
	const struct alloc_source *source = &counter->source;
	struct alloc_words words;
	uint64_t now;

	if (!source->allocated)
		return floor;
	words = alloc_settle(source, alloc_look(source));
	now = words.allocated + alloc_used(words);
	return now > floor ? now : floor;
}
