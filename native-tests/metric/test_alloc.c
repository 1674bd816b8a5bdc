/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* alloc: the sum of the JVM's words, while a collector retires the piece under the
 * reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "metric/alloc.h"
#include "metric/clock.h"

/* What a JVM keeps for a thread. */
static volatile uint64_t allocated, start, top;

static struct alloc_source words(void)
{
	return (struct alloc_source){
		.allocated = &allocated, .tlab_start = &start, .tlab_top = &top};
}

struct step {
	int line;
	uint64_t allocated, start, top;
	uint64_t expected;
};

#define STEP(...)                                                                              \
	{                                                                                      \
		__LINE__, __VA_ARGS__                                                          \
	}

/* Read one after the other: the states of one thread's life. */
static const struct step life[] = {
	STEP(0, 0, 0, 0),               /* nothing yet */
	STEP(0, 0x10000, 0x10000, 0),   /* a piece, unused */
	STEP(0, 0x10000, 0x10064, 100), /* 100 bytes in it */
	STEP(0, 0x10000, 0x11000, 4096), STEP(4096, 0x20000, 0x20010, 4112), /* refilled */
	STEP(4097, 0x20000, 0x20010, 4113), /* a byte outside the piece: less than it holds */
	STEP(1052688, 0x20000, 0x20010, 1052704), /* 1 MiB outside it */
	STEP(1052704, 0, 0, 1052704),             /* retired by a collection */
	STEP(1052704, 0x20000, 0x20020, 1052736), /* a new piece at the old place */
	STEP(1052704, 0, 0x20020, 1052736),       /* half retired, seen late: stands */
	STEP(1052736, 0, 0x20020, 1052736),       /* retired but for top */
	STEP(1052736, 0x20000, 0, 1052736),       /* retired but for start */
	STEP(1052736, 0x30000, 0x2fff0, 1052736), /* a piece half made: top below start */
};

static void follows_a_threads_life(void **state)
{
	struct alloc_counter counter;

	alloc_open(&counter, words());
	for (size_t i = 0; i < sizeof(life) / sizeof(*life); i++) {
		uint64_t value, again;

		allocated = life[i].allocated;
		start = life[i].start;
		top = life[i].top;
		value = alloc_read(&counter);
		again = alloc_read(&counter);
		if (value != life[i].expected || again != value)
			fail_msg("line %d: %lu, then %lu, not %lu", life[i].line,
				(unsigned long)value, (unsigned long)again,
				(unsigned long)life[i].expected);
	}
}

static uint64_t count_calls(void *argument)
{
	return *(uint64_t *)argument += 10;
}

static void falls_back_to_a_function(void **state)
{
	struct alloc_counter counter;
	uint64_t bytes = 0;

	alloc_open(&counter, (struct alloc_source){.read = count_calls, .argument = &bytes});
	assert_int_equal(alloc_read(&counter), 10);
	assert_int_equal(alloc_read(&counter), 20);
	bytes = 0;
	assert_int_equal(alloc_read(&counter), 20);
	/* It may ask the JVM: not in a signal's handler. */
	alloc_interrupt(&counter);
	assert_int_equal(alloc_read(&counter), 20);
	assert_int_equal(bytes, 10);
	alloc_resume(&counter);
	assert_int_equal(alloc_from_outside(&counter, 7), 7);
}

static void without_a_source_it_stays_zero(void **state)
{
	struct alloc_counter counter;

	alloc_open(&counter, (struct alloc_source){0});
	assert_int_equal(alloc_read(&counter), 0);
	assert_int_equal(alloc_read(&counter), 0);
}

static void is_seen_from_outside(void **state)
{
	struct alloc_counter counter;

	alloc_open(&counter, words());
	allocated = 1000;
	start = 0x10000;
	top = 0x10010;
	assert_int_equal(alloc_from_outside(&counter, 0), 1016);
	assert_int_equal(alloc_from_outside(&counter, 2000), 2000);
}

/* A signal while the thread retires its piece by itself: its handler has a bound, the next reading outside has all. */
static void a_handler_sees_nothing_twice(void **state)
{
	struct alloc_counter counter;

	allocated = 0;
	start = 0x10000;
	top = start + 3000;
	alloc_open(&counter, words());
	assert_int_equal(alloc_read(&counter), 3000);
	top += 1000;
	allocated = 4000; /* the piece that is still there */
	alloc_interrupt(&counter);
	assert_int_equal(alloc_read(&counter), 3000);
	/* Also where it could not be half-way any more: it has used nothing itself. */
	start = 0;
	assert_int_equal(alloc_read(&counter), 3000);
	alloc_resume(&counter);
	start = 0x20000;
	top = start + 16;
	assert_int_equal(alloc_read(&counter), 4016);
	/* What cannot be half-way it has. */
	alloc_interrupt(&counter);
	top += 100;
	assert_int_equal(alloc_read(&counter), 4116);
	allocated += 8;
	assert_int_equal(alloc_read(&counter), 4124);
	alloc_resume(&counter);
	assert_int_equal(alloc_read(&counter), 4124);
}

/* A collector that retires the piece while the thread is in native code. The thread says
 * that it is (round), reads, and waits for the end of the collection (done) before it
 * goes back to Java: that is the safepoint. */
enum { ROUNDS = 20000 };

static atomic_uint native_round, collected_round;
static unsigned long collections;
static uint64_t half_way; /* ns for which the last collection showed the piece twice */

static void linger(unsigned turns)
{
	for (volatile unsigned i = 0; i < turns; i++)
		;
}

static void await(atomic_uint *word, unsigned round)
{
	for (unsigned turns = 1; atomic_load(word) != round; turns++)
		if (turns % 1000 == 0)
			sched_yield();
}

/* A word that another thread may be reading; the JVM orders these no more than this. */
static void jvm_store(volatile uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static void *collect(void *argument)
{
	for (unsigned round = 1; round <= ROUNDS; round++) {
		await(&native_round, round);
		linger(round % 53);
		half_way = 0;
		if (start != 0) {
			uint64_t began = clock_system();

			jvm_store(&allocated, allocated + (top - start));
			linger(30); /* about what writing the filler takes */
			jvm_store(&start, 0);
			jvm_store(&top, 0);
			atomic_thread_fence(memory_order_seq_cst); /* seen by now */
			half_way = clock_system() - began;
			collections++;
		}
		atomic_store(&collected_round, round);
	}
	return argument;
}

/* What Java code does between two events: sometimes a new piece, sometimes a large
 * object. */
static uint64_t allocate(unsigned *random)
{
	uint64_t size;

	*random = *random * 1103515245 + 12345;
	size = 16 + (*random >> 16) % 500;
	if (*random % 64 == 0) {
		allocated += 100000;
		return 100000;
	}
	if (start == 0 || top + size > start + 65536) {
		allocated += start ? top - start : 0;
		start = (uint64_t)(1 + *random % 7) << 20;
		top = start;
	}
	top += size;
	return size;
}

/* Two processors for the two threads, where there are two: they have to overlap. */
static void part(pthread_t collector)
{
	cpu_set_t all, one;
	pthread_t thread[] = {pthread_self(), collector};
	size_t next = 0;

	sched_getaffinity(0, sizeof(all), &all);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && next < 2; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		pthread_setaffinity_np(thread[next++], sizeof(one), &one);
	}
}

/* How long a second look lasts at least, ns. */
static uint64_t second_look(void)
{
	struct alloc_counter counter;
	uint64_t least = UINT64_MAX;

	allocated = 0;
	start = 0x10000;
	top = start + 100;
	alloc_open(&counter, words());
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t began = clock_system(), took;

		allocated += 100; /* as much as the piece holds: it may be this piece */
		alloc_read(&counter);
		took = clock_system() - began;
		if (took < least)
			least = took;
	}
	return least;
}

/* A reader may show one piece too many where the collector stood still half-way for
 * longer than a second look lasts: it was preempted there, or its processor was. How long
 * it was half-way is measured round by round, so that no machine is too busy for this
 * test; where it was for less than half of that, no reader may. */
static void counts_nothing_twice_under_a_collector(void **state)
{
	struct alloc_counter counter;
	uint64_t truth = 0, last = 0, look = second_look(), quickest = look;
	unsigned long reads = 0, high = 0, brief = 0, brief_high = 0;
	unsigned random = 1;
	pthread_t collector;

	allocated = start = top = 0;
	alloc_open(&counter, words());
	assert_int_equal(pthread_create(&collector, NULL, collect, NULL), 0);
	part(collector);
	for (unsigned round = 1; round <= ROUNDS; round++) {
		bool was_high = false;

		truth += allocate(&random);
		atomic_store(&native_round, round);
		do {
			uint64_t value = alloc_read(&counter);

			assert_true(value >= last);
			assert_in_range(value, truth, truth + 65536);
			/* Anew: what was given out stands until the truth passes it. */
			was_high |= value > truth && value > last;
			last = value;
			if (++reads % 1000 == 0)
				sched_yield();
			linger(round % 17);
		} while (atomic_load(&collected_round) != round);
		high += was_high;
		if (half_way == 0)
			continue;
		if (half_way < quickest)
			quickest = half_way;
		brief += half_way < look / 2;
		brief_high += was_high && half_way < look / 2;
	}
	pthread_join(collector, NULL);
	printf("%lu collections, %lu seen half-way in %lu readings; "
	       "of %lu that took less than %lu ns, %lu\n",
		collections, high, reads, brief, (unsigned long)look / 2, brief_high);
	assert_true(collections > ROUNDS / 4);
	assert_true(high < ROUNDS / 100);
	assert_true(quickest < look); /* or second looks are too short */
	assert_true(brief_high <= 1 + brief / 100);
	/* And never for good. */
	allocated += 100000;
	assert_int_equal(alloc_read(&counter), truth + 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_a_threads_life),
		cmocka_unit_test(falls_back_to_a_function),
		cmocka_unit_test(without_a_source_it_stays_zero),
		cmocka_unit_test(is_seen_from_outside),
		cmocka_unit_test(a_handler_sees_nothing_twice),
		cmocka_unit_test(counts_nothing_twice_under_a_collector),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
