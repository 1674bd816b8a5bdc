/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_event_ring: words come out as they were put in, thread by thread, while others put and one drains; what finds no room is
 * counted, and the first that does again says how many. */
#include "agent/trace/event_ring.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { THREADS = 4, EACH = 300000, AMPLE = 256 << 20, SMALL = 4 << 20 };

struct fixture {
	struct memory_budget budget;
	struct events *events;
	/* By ring: the next number that is to come, and how many were lost before it. */
	uint64_t next[THREADS + 1], wrong, closed;
	uint64_t lost;
};

static int begin_with(void **state, uint64_t limit)
{
	struct fixture *f = test_calloc(1, sizeof(*f));

	memory_budget_init(&f->budget, limit);
	f->events = events_create(&f->budget, limit, NULL);
	assert_non_null(f->events);
	*state = f;
	return 0;
}

static int begin_ample(void **state)
{
	return begin_with(state, AMPLE);
}

static int begin_small(void **state)
{
	return begin_with(state, SMALL);
}

static int end(void **state)
{
	struct fixture *f = *state;

	events_destroy(f->events);
	assert_int_equal(f->budget.used, 0);
	test_free(f);
	return 0;
}

/* A number, which stands in a word of its own in every tenth event. */
static void put(struct event_ring *ring, uint64_t number)
{
	unsigned words = number % 10 == 0 ? 2 : 1;
	uint64_t word[] = {event_word(EVENT_ENTRY, number % EVENT_METHODS, number), number};

	/* Time is the number: 0 is the segment's begin. */
	if (event_ring_has_room(ring, ring->begin, words) ||
		(event_ring_more(ring, 0) && (ring->whole = true)))
		event_ring_put_words(ring, word, words);
}

static uint64_t take(void *user, struct event_ring *ring, const uint64_t *word, uint64_t count,
	uint64_t begin, uint64_t lost)
{
	struct fixture *f = user;
	uint64_t *next = &f->next[ring->thread.id];

	f->lost += lost;
	*next += lost;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t number = (*next)++;

		f->wrong += word[i] != event_word(EVENT_ENTRY, number % EVENT_METHODS, number);
		if (number % 10 == 0)
			f->wrong += ++i >= count || word[i] != number;
	}
	return count;
}

static void closed(void *user, struct event_ring *ring)
{
	((struct fixture *)user)->closed++;
}

static void drain(struct fixture *f)
{
	const struct event_drain drain = {f, take, closed};

	event_rings_drain(f->events, &drain);
}

static void *add(void *argument)
{
	const struct event_thread thread = {.name = "adds"};
	struct event_ring *ring = event_ring_open(argument, &thread, true);

	for (uint64_t i = 0; i < EACH; i++)
		put(ring, i);
	event_ring_close(ring);
	return NULL;
}

static void add_while_drained(struct fixture *f)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, add, f->events), 0);
	while (f->closed < THREADS)
		drain(f);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(f->wrong, 0);
}

static void test_all_arrives(void **state)
{
	struct fixture *f = *state;

	add_while_drained(f);
	assert_int_equal(events_lost(f->events), 0);
	for (int i = 1; i <= THREADS; i++)
		assert_int_equal(f->next[i], EACH);
}

/* Nobody drains until all have put what they had. */
static void test_lost_is_counted(void **state)
{
	struct fixture *f = *state;
	const struct event_thread thread = {.name = "one"};
	struct event_ring *ring = event_ring_open(f->events, &thread, true);
	uint64_t lost;

	for (uint64_t i = 0; i < EACH; i++)
		put(ring, i);
	lost = events_lost(f->events);
	assert_true(lost > 0 && lost < EACH);
	drain(f);
	assert_int_equal(f->next[1], EACH - lost);
	assert_int_equal(f->lost, 0);
	/* Behind the gap. */
	put(ring, EACH);
	put(ring, EACH + 1);
	drain(f);
	assert_int_equal(f->lost, lost);
	assert_int_equal(f->next[1], EACH + 2);
	assert_int_equal(f->wrong, 0);
	assert_int_equal(events_lost(f->events), lost);
	event_ring_close(ring);
	drain(f);
	assert_int_equal(f->closed, 1);
	assert_int_equal(events_lost(f->events), lost);
}

/* Where an event finds no room there is none for the next one either, however small: it would stand in front of the gap. */
static void test_nothing_in_front_of_a_gap(void **state)
{
	/* From that number on 1019 words, all of a segment but one, up to a number of two words. */
	enum { FIRST = 3, GAP = 930 };
	struct fixture *f = *state;
	const struct event_thread thread = {.name = "one"};
	struct event_ring *others = event_ring_open(f->events, &thread, true);
	struct event_ring *ring = event_ring_open(f->events, &thread, true);
	uint64_t *next = &f->next[ring->thread.id];
	uint64_t lost;

	*next = FIRST;
	for (uint64_t i = FIRST; i < GAP; i++)
		put(ring, i);
	assert_true(event_ring_has_room(ring, 0, 1));
	assert_false(event_ring_has_room(ring, 0, 2));
	while (event_ring_more(others, 0))
		;
	lost = events_lost(f->events);
	put(ring, GAP);
	put(ring, GAP + 1);
	assert_int_equal(events_lost(f->events), lost + 2);
	drain(f);
	assert_int_equal(*next, GAP);
	put(ring, GAP + 2);
	drain(f);
	assert_int_equal(*next, GAP + 3);
	assert_int_equal(f->wrong, 0);
	event_ring_close(ring);
	event_ring_close(others);
	drain(f);
}

/* Whatever is lost: what arrives and what was lost is all there was. */
static void test_small_and_many(void **state)
{
	struct fixture *f = *state;

	add_while_drained(f);
	for (int i = 1; i <= THREADS; i++)
		assert_true(f->next[i] <= EACH);
	assert_int_equal(f->next[1] + f->next[2] + f->next[3] + f->next[4] +
				 (events_lost(f->events) - f->lost),
		THREADS * EACH);
}

/* A number that a segment's times have no room for begins one. */
static void test_time_goes_on(void **state)
{
	struct fixture *f = *state;
	const struct event_thread thread = {.name = "late"};
	struct event_ring *ring = event_ring_open(f->events, &thread, true);

	assert_false(event_ring_has_room(ring, 5, 1));
	assert_true(event_ring_more(ring, 5));
	assert_true(event_ring_has_room(ring, 5 + EVENT_TIMES - 1, 1));
	assert_false(event_ring_has_room(ring, 5 + EVENT_TIMES, 1));
	assert_true(event_ring_has_room(ring, 5, EVENT_WORDS));
	assert_false(event_ring_has_room(ring, 5, EVENT_WORDS + 1));
	event_ring_interrupt(ring);
	assert_false(event_ring_has_room(ring, 5, 1));
	event_ring_close(ring);
	drain(f);
}

/* The owner has linked its next segment, and is stopped before it says that it puts there: the drain does not wait for it. */
static void test_owner_goes_on(void **state)
{
	struct fixture *f = *state;
	const struct event_thread thread = {.name = "stopped"};
	struct event_ring *ring = event_ring_open(f->events, &thread, true);
	struct event_segment *first;
	uint64_t count = 0, *at;

	put(ring, count++);
	first = ring->fill;
	while (ring->fill == first)
		put(ring, count++);
	at = atomic_load(&ring->at);
	atomic_store(&ring->at, first->word + first->words);
	drain(f);
	assert_int_equal(f->next[1], count - 1);
	atomic_store(&ring->at, at);
	drain(f);
	assert_int_equal(f->next[1], count);
	assert_int_equal(f->wrong, 0);
	event_ring_close(ring);
	drain(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_arrives, begin_ample, end),
		cmocka_unit_test_setup_teardown(test_lost_is_counted, begin_small, end),
		cmocka_unit_test_setup_teardown(
			test_nothing_in_front_of_a_gap, begin_small, end),
		cmocka_unit_test_setup_teardown(test_small_and_many, begin_small, end),
		cmocka_unit_test_setup_teardown(test_time_goes_on, begin_ample, end),
		cmocka_unit_test_setup_teardown(test_owner_goes_on, begin_ample, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
