/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* clock: on CLOCK_MONOTONIC, at its rate, never backwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "metric/clock.h"

/* Our time and the system's, at one instant: the tightest of some tries. ns. */
static int64_t clock_distance(void)
{
	uint64_t best = UINT64_MAX;
	int64_t distance = 0;

	for (int i = 0; i < 100; i++) {
		uint64_t before = clock_system(), ours = clock_now(), after = clock_system();

		if (after - before < best) {
			best = after - before;
			distance = (int64_t)(ours - (before + best / 2));
		}
	}
	return distance;
}

static void is_on_monotonic(void **state)
{
	int64_t distance = clock_distance();

	assert_true(distance > -100000 && distance < 100000);
}

static void keeps_the_rate(void **state)
{
	struct timespec wait = {.tv_nsec = 500000000};
	int64_t begin = clock_distance(), moved;

	nanosleep(&wait, NULL);
	moved = clock_distance() - begin;
	/* 0.01 % of half a second. */
	assert_true(moved > -50000 && moved < 50000);
}

static void never_goes_backwards(void **state)
{
	uint64_t last = clock_now();

	for (int i = 0; i < 5000000; i++) {
		uint64_t now = clock_now();

		if (now < last)
			fail_msg("%d: from %lu to %lu", i, (unsigned long)last,
				(unsigned long)now);
		last = now;
	}
}

static void *init_again(void *argument)
{
	clock_init();
	return argument;
}

static void init_again_changes_nothing(void **state)
{
	struct clock_scale before = clock_scale;
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, init_again, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	assert_memory_equal(&before, &clock_scale, sizeof(before));
}

static void without_a_stamp_it_asks_the_system(void **state)
{
	struct clock_scale sound = clock_scale;
	uint64_t before, now, after;

	clock_scale = (struct clock_scale){0};
	before = clock_system();
	now = clock_now();
	after = clock_system();
	assert_string_equal(clock_how(), "clock_gettime");
	clock_scale = sound;
	assert_in_range(now, before, after);
}

/* A hundred years of ticks do not overflow. */
static void wide_products_hold(void **state)
{
	struct clock_scale sound = clock_scale;

	/* two ticks a nanosecond */
	clock_scale.mult = (uint64_t)1 << (TIME_STAMP_DIGITS - 1);
	assert_int_equal(clock_ticks_to_ns(0), 0);
	assert_int_equal(clock_ticks_to_ns(3), 1);
	assert_int_equal(clock_ticks_to_ns(UINT64_C(6307200000000000000)),
		UINT64_C(3153600000000000000));
	clock_scale = sound;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_on_monotonic),
		cmocka_unit_test(keeps_the_rate),
		cmocka_unit_test(never_goes_backwards),
		cmocka_unit_test(init_again_changes_nothing),
		cmocka_unit_test(without_a_stamp_it_asks_the_system),
		cmocka_unit_test(wide_products_hold),
	};

	clock_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
