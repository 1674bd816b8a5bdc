/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_records: nothing is lost or mixed up between threads that add and the one that drains;
 * what is lost is counted. */
#include "agent/trace/records.h"
#include "profile/kinds.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, EACH = 200000, LIMIT = 8 << 20 };

struct fixture {
	struct memory_budget budget;
	struct records *records;
	/* What was drained. */
	uint64_t count, next[THREADS + 1], wrong;
	char name[THREADS + 1][256];
	int refuse; /* the visitor's answer */
};

static int begin_with(void **state, uint64_t limit)
{
	struct fixture *f = test_calloc(1, sizeof(*f));

	memory_budget_init(&f->budget, limit);
	f->records = records_create(&f->budget, limit);
	assert_non_null(f->records);
	*state = f;
	return 0;
}

static int begin(void **state)
{
	return begin_with(state, LIMIT);
}

static int end(void **state)
{
	struct fixture *f = *state;

	records_destroy(f->records);
	assert_int_equal(f->budget.used, 0);
	test_free(f);
	return 0;
}

static int show_thread(void *user, const struct record_thread *thread)
{
	struct fixture *f = user;

	snprintf(f->name[thread->id], sizeof(f->name[0]), "%s", thread->name);
	return 0;
}

/* Each ring's records carry 0, 1, 2... as their bytes, with gaps where some were lost. */
static int show_records(
	void *user, uint32_t thread, const struct record *record, uint32_t count)
{
	struct fixture *f = user;

	for (uint32_t i = 0; i < count; i++) {
		f->wrong += record[i].amount < f->next[thread] ||
			    record[i].begin != record[i].amount + 1 ||
			    record[i].end != record[i].amount + 2 ||
			    record[i].subject != (uint32_t)record[i].amount;
		f->next[thread] = record[i].amount + 1;
	}
	f->count += count;
	return f->refuse;
}

static int drain(struct fixture *f)
{
	const struct record_drain visitor = {f, show_thread, show_records};

	return records_drain(f->records, &visitor);
}

static struct record_ring *ring_named(struct fixture *f, const char *name)
{
	struct record_thread thread = {.java_id = 7, .os_id = 8};

	snprintf(thread.name, sizeof(thread.name), "%s", name);
	return record_ring_open(f->records, &thread);
}

static void add(struct record_ring *ring, uint64_t number)
{
	const struct record record = {.begin = number + 1,
		.end = number + 2,
		.amount = number,
		.subject = (uint32_t)number,
		.kind = IO_READ};

	record_ring_add(ring, &record);
}

static void in_their_order(void **state)
{
	struct fixture *f = *state;
	struct record_ring *first = ring_named(f, "first"), *second = ring_named(f, "second");

	for (uint64_t i = 0; i < 1000; i++) {
		add(first, i);
		if (i % 2)
			add(second, i / 2);
		if (i % 300 == 0)
			assert_int_equal(drain(f), 0);
	}
	assert_int_equal(drain(f), 0);
	assert_int_equal(f->wrong, 0);
	assert_int_equal(f->count, 1500);
	assert_int_equal(f->next[1], 1000);
	assert_int_equal(f->next[2], 500);
	assert_string_equal(f->name[1], "first");
	assert_string_equal(f->name[2], "second");
	assert_int_equal(records_lost(f->records), 0);
}

static void what_finds_no_room_is_counted(void **state)
{
	struct fixture *f = *state;
	struct record_ring *ring = ring_named(f, "much");
	const uint64_t made = LIMIT / sizeof(struct record);
	uint64_t lost;

	for (uint64_t i = 0; i < made; i++)
		add(ring, i);
	lost = records_lost(f->records);
	assert_true(lost > made / 2);
	assert_int_equal(drain(f), 0);
	assert_int_equal(f->count, made - lost);
	/* There is room again. */
	for (uint64_t i = made; i < made + 1000; i++)
		add(ring, i);
	assert_int_equal(drain(f), 0);
	assert_int_equal(f->count, made - lost + 1000);
	assert_int_equal(records_lost(f->records), lost);
	assert_int_equal(f->wrong, 0);
}

static int count_thread(void *user, const struct record_thread *thread)
{
	return 0;
}

static int count_records(
	void *user, uint32_t thread, const struct record *record, uint32_t count)
{
	*(uint64_t *)user += count;
	return 0;
}

static void a_closed_ring_is_given_back(void **state)
{
	struct fixture *f = *state;
	uint64_t count = 0;
	const struct record_drain visitor = {&count, count_thread, count_records};

	/* More threads than there are segments. */
	for (uint64_t i = 0; i < 2000; i++) {
		struct record_ring *ring = ring_named(f, "short");

		assert_non_null(ring);
		add(ring, i);
		record_ring_close(ring);
		if (i % 10 == 9)
			assert_int_equal(records_drain(f->records, &visitor), 0);
	}
	assert_int_equal(count, 2000);
	assert_int_equal(records_lost(f->records), 0);
}

static void a_failing_visitor_ends_the_drain(void **state)
{
	struct fixture *f = *state;
	struct record_ring *ring = ring_named(f, "thread");

	for (uint64_t i = 0; i < 3 * RECORD_SEGMENT; i++)
		add(ring, i);
	f->refuse = -1;
	assert_int_equal(drain(f), -1);
	assert_int_equal(f->count, RECORD_SEGMENT);
	f->refuse = 0;
	assert_int_equal(drain(f), 0);
	assert_int_equal(f->count, 3 * RECORD_SEGMENT);
	assert_int_equal(f->wrong, 0);
}

struct adder {
	pthread_t thread;
	struct fixture *fixture;
	char name[16];
};

static _Atomic int running;

static void *run(void *argument)
{
	struct adder *adder = argument;
	struct record_ring *ring = NULL;

	for (uint64_t i = 0; i < EACH; i++) {
		if (!ring)
			ring = ring_named(adder->fixture, adder->name);
		if (ring)
			add(ring, i);
	}
	if (ring)
		record_ring_close(ring);
	atomic_fetch_sub(&running, 1);
	return NULL;
}

static void threads_add_while_one_drains(void **state)
{
	struct fixture *f = *state;
	struct adder adder[THREADS];

	atomic_store(&running, THREADS);
	for (int i = 0; i < THREADS; i++) {
		adder[i].fixture = f;
		snprintf(adder[i].name, sizeof(adder[i].name), "%d", i);
		pthread_create(&adder[i].thread, NULL, run, &adder[i]);
	}
	while (atomic_load(&running) > 0)
		assert_int_equal(drain(f), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(adder[i].thread, NULL);
	assert_int_equal(drain(f), 0);
	assert_int_equal(f->wrong, 0);
	assert_int_equal(f->count + records_lost(f->records), THREADS * EACH);
	assert_true(f->count > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
		T(in_their_order),
		T(what_finds_no_room_is_counted),
		T(a_closed_ring_is_given_back),
		T(a_failing_visitor_ends_the_drain),
		T(threads_add_while_one_drains),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
