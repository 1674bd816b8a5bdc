/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * The recording takes on metrics that functions are not compiled for: those hand over what they are called for, until there are
 * functions of the new shape, and none of them ever meets a context of another shape. Nothing is lost, however late a
 * function is called.
 */
#include "fake_threads.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { A = METHOD_FIRST, THREADS = 3, GUESTS = 6, METHODS = 20, ROUNDS = TEST_TRIES(40) };

static uint8_t all_want(const char *name)
{
	return 1;
}

static void begin_all(void)
{
	fake_that_want = all_want;
	atomic_store(&fake_sessions, 1);
	atomic_store(&fake_sessions_of_all, 1);
}

/* Wall, then wall and cpu, then allocation, too: a shape each; and then one more. */
static const char *const names[] = {"wall", "cpu", "alloc", "vm-bytes"};

static struct metric_set set_of(unsigned metrics)
{
	static struct metric_set sets[5];
	struct pattern_list list = {0};
	struct error error = {0};

	for (unsigned i = 0; i < metrics; i++)
		assert_int_equal(pattern_list_add(&list, names[i]), 0);
	if (metrics == 1 && sets[1].count == 0)
		assert_int_equal(metric_set_init(&sets[1], &list, &error), 0);
	else if (sets[metrics].count == 0)
		assert_int_equal(
			metric_set_widen(&sets[metrics], &sets[metrics - 1], &list, &error), 0);
	pattern_list_fini(&list);
	return sets[metrics];
}

/* ---- a thread ---- */

static void test_one(void **state)
{
	struct metric_set set = set_of(1), wider = set_of(2), widest = set_of(4);
	struct test_picture picture = {.metrics = 4};
	struct fake_thread main_thread = {.java_id = 1, .name = "main"};
	struct thread_slot *slot;

	begin_all();
	fake_current = &main_thread;
	assert_int_equal(wider.shape, SHAPE_WALL_CPU);
	assert_int_equal(widest.shape, SHAPE_ANY);
	fake_begin_with(&set);
	/* Those of no session, and of another shape, hand over. */
	assert_true(fake_enter_shaped(SHAPE_WALL, A));
	assert_false(thread_events_outgrown(SHAPE_WALL));
	assert_true(thread_events_outgrown(SHAPE_WALL_CPU));
	assert_true(fake_enter_shaped(SHAPE_WALL_CPU, A + 1));
	assert_int_equal(slot_context(slot_current)->set->count, 1);
	/* The functions stay. */
	fake_widen(&wider, false);
	assert_null(thread_events_begin(SHAPE_WALL, fake_jni, NULL, FOUND_NONE));
	assert_true(thread_events_outgrown(SHAPE_WALL));
	assert_int_equal(slot_context(slot_current)->set->count, 1);
	assert_true(fake_enter_shaped(SHAPE_WALL, A + 2));
	assert_int_equal(slot_context(slot_current)->set->count, 2);
	/* New ones come, and one that is late. */
	slots_reshape(SHAPE_WALL_CPU);
	slots_renew();
	slot = thread_events_begin(SHAPE_WALL_CPU, fake_jni, NULL, FOUND_NONE);
	assert_non_null(slot);
	slot_leave(slot);
	assert_true(fake_enter_shaped(SHAPE_WALL_CPU, A + 3));
	assert_true(fake_enter_shaped(SHAPE_WALL, A + 4));
	assert_true(fake_leave_shaped(SHAPE_WALL, A + 4));
	fake_widen(&widest, true);
	assert_true(fake_leave_shaped(SHAPE_WALL_CPU, A + 3));
	assert_int_equal(slot_context(slot_current)->set->count, 4);
	assert_true(fake_leave_shaped(SHAPE_ANY, A + 2));
	metric_count(slot_context(slot_current)->metric, METRIC_VM_BYTES, 7);
	assert_true(fake_leave_shaped(SHAPE_WALL, A + 1));
	assert_true(fake_leave_shaped(SHAPE_WALL_CPU_ALLOC, A));
	fake_stop(&picture);
	assert_int_equal(picture.count, 1);
	assert_int_equal(picture.row[0].thread.events, 10);
	assert_int_equal(picture.row[0].thread.repaired, 0);
	assert_int_equal(picture.row[0].thread.unmatched, 0);
	assert_int_equal(picture.row[0].thread.total[3], 7);
	assert_true(picture.row[0].thread.total[0] > picture.row[0].thread.total[1]);
	assert_false(fake_enter_shaped(SHAPE_WALL, A));
	assert_false(fake_enter_shaped(SHAPE_ANY, A));
	test_picture_fini(&picture);
}

/* One that begins, or comes to a mount, between the trace's growth and the edition. */
static void test_between(void **state)
{
	struct metric_set set = set_of(1), wider = set_of(2);
	struct test_picture picture = {.metrics = 2};
	struct fake_thread main_thread = {.java_id = 1, .name = "main"};
	struct fake_thread guest[2] = {{.java_id = 2, .name = "guest", .is_virtual = true},
		{.java_id = 3, .name = "guest", .is_virtual = true}};
	struct session *session;

	begin_all();
	fake_current = &main_thread;
	session = fake_begin_with(&set);
	assert_true(fake_enter_shaped(SHAPE_WALL, A));
	fake_mount(&guest[0]);
	assert_true(fake_enter_shaped(SHAPE_WALL, A + 1));
	fake_unmount();
	slots_outgrow();
	assert_int_equal(trace_widen(session->trace, &wider), 0);
	assert_true(fake_enter_shaped(SHAPE_WALL, A + 2));
	fake_mount(&guest[1]);
	assert_true(fake_enter_shaped(SHAPE_WALL, A + 3));
	assert_int_equal(slot_context(slot_current)->set->count, 2);
	slots_reshape(wider.shape);
	slots_renew();
	assert_true(fake_enter_shaped(SHAPE_WALL_CPU, A + 4));
	assert_true(fake_leave_shaped(SHAPE_WALL_CPU, A + 4));
	fake_unmount();
	fake_mount(&guest[0]);
	assert_true(fake_leave_shaped(SHAPE_WALL_CPU, A + 1));
	fake_end_virtual();
	fake_mount(&guest[1]);
	assert_true(fake_leave_shaped(SHAPE_WALL_CPU, A + 3));
	fake_end_virtual();
	assert_true(fake_leave_shaped(SHAPE_WALL_CPU, A + 2));
	assert_true(fake_leave_shaped(SHAPE_WALL, A));
	fake_stop(&picture);
	for (size_t i = 0; i < picture.count; i++) {
		assert_int_equal(picture.row[i].thread.repaired, 0);
		assert_int_equal(picture.row[i].thread.unmatched, 0);
		assert_int_equal(
			picture.row[i].sums.calls, picture.row[i].identity.is_virtual ? 3 : 2);
	}
	test_picture_fini(&picture);
}

/* ---- all at once ---- */

static _Atomic bool done;
static _Atomic int shape_now; /* what functions are called by */

struct worker {
	unsigned number;
	uint64_t calls;
};

static enum metric_shape shape_for(struct test_random *random)
{
	/* One in some is held up in a function of before, or of any. */
	switch (test_random(random, 16)) {
	case 0:
		return SHAPE_WALL;
	case 1:
		return SHAPE_WALL_CPU;
	case 2:
		return SHAPE_ANY;
	default:
		return (enum metric_shape)atomic_load_explicit(
			&shape_now, memory_order_relaxed);
	}
}

static bool call(struct worker *worker, struct test_random *random, unsigned depth)
{
	bool all = true;

	for (uint32_t i = test_random(random, 3) + 1; i > 0 && all; i--) {
		uint32_t method = A + test_random(random, METHODS);

		all = fake_enter_shaped(shape_for(random), method);
		worker->calls++;
		if (depth > 0)
			all &= call(worker, random, depth - 1);
		all &= fake_leave_shaped(shape_for(random), method);
	}
	return all;
}

static void *live(void *argument)
{
	struct worker *worker = argument;
	struct fake_thread guest[GUESTS] = {0};
	struct fake_thread thread = {.java_id = worker->number + 1, .name = "worker"};
	struct test_random random = {worker->number};
	bool all;

	fake_current = &thread;
	for (unsigned i = 0; i < GUESTS; i++)
		guest[i] = (struct fake_thread){
			.java_id = 1000 + i, .name = "guest", .is_virtual = true};
	all = call(worker, &random, 4);
	for (unsigned i = 0; i < GUESTS * 10 && all; i++) {
		fake_mount(&guest[i % GUESTS]);
		if (i < GUESTS)
			all = fake_enter_shaped(shape_for(&random), A + METHODS);
		worker->calls += i < GUESTS;
		all &= call(worker, &random, 2);
		if (i >= GUESTS * 9) {
			all &= fake_leave_shaped(shape_for(&random), A + METHODS);
			fake_end_virtual();
		} else {
			fake_unmount();
		}
	}
	all &= call(worker, &random, 4);
	thread_events_end(fake_jni, NULL);
	return all ? worker : NULL;
}

static int see(void *user, const struct trace_thread *thread)
{
	return 0;
}

/* Grows three times, in the way that the writer's thread and the one that asks it do, with looks in between. */
static void *grow(void *argument)
{
	const struct trace_visitor visitor = {.changes = true, .end = see};
	const struct timespec pause = {0, 300000};
	struct session *session = argument;

	for (unsigned metrics = 2; metrics <= 4; metrics++) {
		struct metric_set wider = set_of(metrics);

		nanosleep(&pause, NULL);
		slots_outgrow();
		assert_int_equal(trace_widen(session->trace, &wider), 0);
		trace_visit(session->trace, &visitor);
		trace_confirm(session->trace, true);
		atomic_store(&shape_now, (int)wider.shape);
		slots_reshape(wider.shape);
		slots_renew();
		trace_visit(session->trace, &visitor);
		trace_confirm(session->trace, true);
	}
	while (!atomic_load(&done)) {
		trace_visit(session->trace, &visitor);
		trace_confirm(session->trace, true);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void test_all_at_once(void **state)
{
	struct metric_set set = set_of(1);

	set_of(2);
	set_of(3);
	set_of(4);
	begin_all();
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct test_picture picture = {.metrics = 4};
		struct worker worker[THREADS];
		pthread_t thread[THREADS], grower;
		uint64_t calls = 0, shown = 0;
		struct session *session;
		void *whole;

		atomic_store(&done, false);
		atomic_store(&shape_now, SHAPE_WALL);
		session = fake_begin_with(&set);
		assert_int_equal(pthread_create(&grower, NULL, grow, session), 0);
		for (unsigned i = 0; i < THREADS; i++) {
			worker[i] = (struct worker){.number = round * THREADS + i};
			assert_int_equal(pthread_create(&thread[i], NULL, live, &worker[i]), 0);
		}
		for (unsigned i = 0; i < THREADS; i++) {
			pthread_join(thread[i], &whole);
			assert_non_null(whole);
			calls += worker[i].calls;
		}
		atomic_store(&done, true);
		pthread_join(grower, NULL);
		fake_stop(&picture);
		for (size_t i = 0; i < picture.count; i++) {
			shown += picture.row[i].sums.calls;
			assert_int_equal(picture.row[i].thread.repaired, 0);
			assert_int_equal(picture.row[i].thread.unmatched, 0);
			assert_int_equal(picture.row[i].thread.lost, 0);
		}
		assert_int_equal(shown, calls);
		test_picture_fini(&picture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_all_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
