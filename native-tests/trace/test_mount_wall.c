/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Wall time of virtual threads: it runs on while they are parked, in the node where they were
 * unmounted; a carrier's does not while it carries. What was shown once is never taken back, and
 * after the stop the nodes, the rows and the totals say the same.
 */
#include "mount_test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { A = METHOD_FIRST, B, C };

#define MS UINT64_C(1000000)

static struct metric_set set;

static int setup_set(void **state)
{
	struct pattern_list names = {0};
	struct error error = {0};

	if (pattern_list_add(&names, "wall") != 0 ||
		pattern_list_add(&names, "vm-objects") != 0 ||
		metric_set_init(&set, &names, &error) != 0)
		return -1;
	pattern_list_fini(&names);
	return 0;
}

static int setup(void **state)
{
	*state = trace_create(&set, 16 << 20);
	return *state == NULL;
}

static int teardown(void **state)
{
	trace_destroy(*state);
	return 0;
}

static void pass(uint64_t ns)
{
	struct timespec pause = {0, (long)ns};

	nanosleep(&pause, NULL);
}

static void enter(struct thread_context *context, uint32_t method)
{
	context_enter(SHAPE_ANY, context, method, STATE_JITTED, false);
}

static void leave(struct thread_context *context, uint32_t method)
{
	context_exit(SHAPE_ANY, context, method, false);
}

/* ns in the row's nodes of the method. */
static uint64_t wall_in(const struct test_row *row, uint32_t method)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < row->thread.nodes; i++) {
		const struct tree_node *node = trace_node(row->nodes, row->stride, i);

		if (node->method == method)
			sum += node->base[0];
	}
	return sum;
}

/* Everything that was shown, and what it was the last time. */
struct watch {
	struct trace *trace;
	struct test_picture picture;
	uint64_t guests, total;
};

static const struct test_row *look(struct watch *watch)
{
	const struct test_row *row;
	uint64_t total[METRIC_MAX];

	watch->picture.metrics = 2;
	watch->picture.keep_nodes = true;
	test_visit(watch->trace, &watch->picture);
	row = test_row_named(&watch->picture, "guest");
	assert_true(row->thread.total[0] >= watch->guests);
	watch->guests = row->thread.total[0];
	trace_totals(watch->trace, total);
	assert_true(total[0] >= watch->total);
	watch->total = total[0];
	return row;
}

/* After the stop: always the same, and the totals are the rows'. */
static void look_after_stop(struct watch *watch)
{
	uint64_t guests = look(watch)->thread.total[0];

	test_same_totals(watch->trace, &watch->picture);
	pass(2 * MS);
	assert_int_equal(look(watch)->thread.total[0], guests);
	test_same_totals(watch->trace, &watch->picture);
	test_picture_fini(&watch->picture);
}

static const struct test_row *row_for(const struct test_picture *picture, uint8_t wanted)
{
	for (size_t i = 0; i < picture->count; i++)
		if (picture->row[i].identity.is_virtual &&
			picture->row[i].identity.wanted == wanted)
			return &picture->row[i];
	fail();
	return NULL;
}

/* A thread that was parked changes its group: what its clock ran until then is in the one, where it stands still, and what it
 * runs from then on in the other; the frames that it has are in both. */
static void test_regrouped(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2, .keep_nodes = true};
	struct test_seat seat[2] = {
		test_seat(trace, "carrier 1"), test_seat(trace, "carrier 2")};
	const struct thread_identity wanted = {
		.name = "guest", .is_virtual = true, .wanted = 6};
	uint64_t began = clock_now(), first, used;
	struct virtual_thread *thread;

	assert_true(test_seat_begin(&seat[0], "guest"));
	enter(seat[0].lane, A);
	thread = test_seat_unmount(&seat[0]);
	pass(3 * MS);
	assert_true(test_seat_mount(&seat[1], thread));
	used = virtual_used(seat[1].lane, thread, 0);
	assert_true(used >= 3 * MS);
	seat[1].lane = virtual_regroup(seat[1].carrier, seat[1].lane, thread, &wanted);
	assert_true(virtual_used(seat[1].lane, thread, 0) >= used);
	enter(seat[1].lane, B);
	pass(2 * MS);
	leave(seat[1].lane, B);
	test_seat_unmount(&seat[1]);
	test_visit(trace, &picture);
	first = row_for(&picture, 0)->thread.total[0];
	assert_true(wall_in(row_for(&picture, 0), A) >= 3 * MS);
	assert_true(wall_in(row_for(&picture, 6), B) >= 2 * MS);
	pass(2 * MS);
	/* It parks in A, of the other. */
	used = wall_in(row_for(&picture, 6), A);
	test_visit(trace, &picture);
	assert_int_equal(row_for(&picture, 0)->thread.total[0], first);
	assert_true(wall_in(row_for(&picture, 6), A) >= used + 2 * MS);
	assert_false(row_for(&picture, 0)->thread.alive);
	assert_true(row_for(&picture, 6)->thread.alive);
	assert_true(test_seat_mount(&seat[0], thread));
	leave(seat[0].lane, A);
	test_seat_end(&seat[0]);
	trace_stop(trace);
	test_visit(trace, &picture);
	used = row_for(&picture, 0)->thread.total[0] + row_for(&picture, 6)->thread.total[0];
	assert_in_range(used, 7 * MS, clock_now() - began);
	assert_int_equal(row_for(&picture, 0)->thread.unmatched, 0);
	assert_int_equal(row_for(&picture, 6)->thread.unmatched, 0);
	assert_int_equal(row_for(&picture, 6)->sums.calls, 1);
	test_same_totals(trace, &picture);
	test_picture_fini(&picture);
}

/* Its time goes on where it is parked, and nowhere else; also when it goes to another carrier. */
static void test_parked(void **state)
{
	struct watch watch = {.trace = *state};
	struct test_seat seat[2] = {
		test_seat(*state, "carrier 1"), test_seat(*state, "carrier 2")};
	struct virtual_thread *thread;
	const struct test_row *row;
	uint64_t began = clock_now(), before, outside, in_a = 0;

	assert_true(test_seat_begin(&seat[0], "guest"));
	enter(seat[0].lane, A);
	thread = test_seat_unmount(&seat[0]);
	for (int i = 0; i < 8; i++) {
		row = look(&watch);
		before = wall_in(row, A);
		outside = wall_in(row, METHOD_ROOT);
		assert_true(before >= in_a);
		pass(2 * MS);
		row = look(&watch);
		in_a = wall_in(row, A);
		assert_true(in_a >= before + 2 * MS);
		assert_true(in_a <= clock_now() - began);
		assert_int_equal(wall_in(row, METHOD_ROOT), outside);
		assert_true(test_seat_mount(&seat[(i + 1) % 2], thread));
		test_seat_unmount(&seat[(i + 1) % 2]);
	}
	assert_true(test_seat_mount(&seat[0], thread));
	leave(seat[0].lane, A);
	test_seat_end(&seat[0]);
	row = look(&watch);
	assert_false(row->thread.alive);
	assert_true(wall_in(row, A) >= 16 * MS);
	assert_true(row->thread.total[0] <= clock_now() - began);
	assert_true(row->thread.carrier_ns <= row->thread.total[0] - 16 * MS);
	trace_stop(*state);
	look_after_stop(&watch);
}

/* What a carrier and its guest used together is all the time there was; between its last unmount and
 * its end the guest's clock runs beside the carrier's. */
static void test_carrier(void **state)
{
	struct watch watch = {.trace = *state};
	uint64_t began = clock_now(), begun, least, parked;
	struct test_seat seat = test_seat(*state, "carrier");
	const struct test_row *guest;

	begun = clock_now();
	pass(3 * MS);
	assert_true(test_seat_begin(&seat, "guest"));
	enter(seat.lane, A);
	pass(5 * MS);
	guest = look(&watch);
	assert_true(wall_in(guest, A) >= 5 * MS);
	assert_true(guest->thread.carrier_ns >= 5 * MS);
	leave(seat.lane, A);
	test_seat_end(&seat);
	pass(4 * MS);
	context_settle(seat.carrier);
	least = seat.carrier->last[0] - begun;
	guest = look(&watch);
	assert_true(
		guest->thread.total[0] >= 5 * MS && guest->thread.total[0] < least - 7 * MS);
	assert_true(guest->thread.carrier_ns <= guest->thread.total[0]);
	parked = guest->thread.total[0] - guest->thread.carrier_ns;
	trace_stop(*state);
	look(&watch);
	assert_true(watch.total >= least);
	assert_true(watch.total <= clock_now() - began + parked);
	look_after_stop(&watch);
}

/* The stop finds one mounted, and others parked on both lanes. */
static void test_stop(void **state)
{
	struct watch watch = {.trace = *state};
	struct test_seat seat[2] = {
		test_seat(*state, "carrier 1"), test_seat(*state, "carrier 2")};
	struct virtual_thread *thread[6];

	for (int i = 0; i < 6; i++) {
		assert_true(test_seat_begin(&seat[i % 2], "guest"));
		enter(seat[i % 2].lane, A + (uint32_t)i % 3);
		thread[i] = test_seat_unmount(&seat[i % 2]);
	}
	pass(MS);
	for (int i = 0; i < 4; i++) {
		assert_true(test_seat_mount(&seat[1 - i % 2], thread[i]));
		enter(seat[1 - i % 2].lane, B);
		if (i < 2)
			test_seat_unmount(&seat[1 - i % 2]);
	}
	pass(2 * MS);
	assert_true(look(&watch)->thread.total[0] >= 6 * 3 * MS);
	trace_stop(*state);
	look_after_stop(&watch);
	for (int i = 0; i < 6; i++)
		if (i < 2 || i > 3)
			virtual_end(seat[i % 2].carrier, thread[i]);
	look_after_stop(&watch);
	/* The carriers end, both with a guest: that changes nothing any more. Nor does another stop. */
	for (int i = 0; i < 2; i++)
		trace_thread_end(*state, seat[i].carrier, NULL);
	look_after_stop(&watch);
	trace_stop(*state);
	look_after_stop(&watch);
}

/* A thread's time ends when it ends: what was seen of it by then stays. */
static void test_end(void **state)
{
	struct watch watch = {.trace = *state};
	struct test_seat seat[2] = {
		test_seat(*state, "carrier 1"), test_seat(*state, "carrier 2")};
	struct virtual_thread *thread;

	for (int i = 0; i < 4; i++) {
		assert_true(test_seat_begin(&seat[0], "guest"));
		if (i % 2)
			enter(seat[0].lane, A);
		thread = test_seat_unmount(&seat[0]);
		pass(2 * MS);
		look(&watch);
		virtual_end(seat[i / 2].carrier, thread);
		look(&watch);
	}
	assert_true(watch.guests >= 8 * MS);
	trace_stop(*state);
	look_after_stop(&watch);
}

/* A prune on a lane where others are parked: nothing is known by node any more, and nothing is
 * lost. */
static void prune_in(struct thread_context *lane, uint32_t method)
{
	for (uint32_t n = 0; lane->tree.pruned == 0; n++) {
		uint32_t path[3] = {n / 2209 % 47, n / 47 % 47, n % 47};

		for (int i = 0; i < 3; i++)
			enter(lane, method + path[i]);
		for (int i = 3; i-- > 0;)
			leave(lane, method + path[i]);
	}
}

static void test_prune(void **state)
{
	struct trace *trace = trace_create(&set, 2 << 20);
	struct watch watch = {.trace = trace};
	struct test_seat seat[2] = {
		test_seat(trace, "carrier 1"), test_seat(trace, "carrier 2")};
	struct virtual_thread *thread[20];

	for (uint32_t i = 0; i < 20; i++) {
		assert_true(test_seat_begin(&seat[i % 2], "guest"));
		for (uint32_t k = 0; k < 100; k++)
			enter(seat[i % 2].lane, A + 1000 * i + k);
		thread[i] = test_seat_unmount(&seat[i % 2]);
	}
	pass(MS);
	look(&watch);
	assert_true(test_seat_begin(&seat[0], "guest"));
	prune_in(seat[0].lane, A + 100000);
	look(&watch);
	pass(MS);
	assert_true(look(&watch)->thread.total[0] >= 20 * 2 * MS);
	for (uint32_t i = 0; i < 10; i++) {
		assert_true(test_seat_mount(&seat[1], thread[i]));
		for (uint32_t k = 100; k-- > 0;)
			leave(seat[1].lane, A + 1000 * i + k);
		test_seat_end(&seat[1]);
		look(&watch);
	}
	trace_stop(trace);
	look_after_stop(&watch);
	trace_destroy(trace);
}

/* The nodes where they were parked are gone, or others', and the stop comes right after that. */
static void test_prune_and_stop(void **state)
{
	enum { OLD = 6000, PARKED = 50 };
	struct trace *trace = trace_create(&set, 3 << 20);
	struct watch watch = {.trace = trace};
	struct test_seat seat = test_seat(trace, "carrier");
	const struct test_row *row;

	assert_true(test_seat_begin(&seat, "guest"));
	for (uint32_t i = 0; i < OLD; i++) {
		enter(seat.lane, C + i);
		leave(seat.lane, C + i);
	}
	assert_int_equal(seat.lane->tree.pruned, 0);
	test_seat_end(&seat);
	for (uint32_t i = 0; i < PARKED; i++) {
		assert_true(test_seat_begin(&seat, "guest"));
		enter(seat.lane, C + OLD + i);
		test_seat_unmount(&seat);
	}
	pass(5 * MS);
	assert_true(test_seat_begin(&seat, "guest"));
	prune_in(seat.lane, C + OLD + PARKED);
	row = look(&watch);
	assert_true(wall_in(row, METHOD_FOLDED) >= PARKED * 5 * MS);
	trace_stop(trace);
	look_after_stop(&watch);
	assert_true(watch.guests >= PARKED * 5 * MS);
	trace_destroy(trace);
}

/* A stack that grows as the frames are put into it is the thread's own cost, once. */
static void test_deep(void **state)
{
	struct watch watch = {.trace = *state};
	struct test_seat one = test_seat(*state, "carrier"), two = test_seat(*state, "carrier");
	struct virtual_thread *thread;
	uint64_t parked;

	assert_true(test_seat_begin(&one, "guest"));
	for (int i = 0; i < 20000; i++)
		enter(one.lane, A);
	thread = test_seat_unmount(&one);
	parked = thread->wall;
	assert_true(test_seat_mount(&two, thread));
	context_settle(two.lane);
	/* All the time since it was unmounted; and none besides. */
	assert_int_equal(context_used(two.lane, 0), two.lane->last[0] - parked);
	test_seat_unmount(&two);
	trace_stop(*state);
	look_after_stop(&watch);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_regrouped),
		TEST(test_parked),
		TEST(test_carrier),
		TEST(test_stop),
		TEST(test_end),
		cmocka_unit_test(test_prune),
		cmocka_unit_test(test_prune_and_stop),
		TEST(test_deep),
	};
	int result = cmocka_run_group_tests(tests, setup_set, NULL);

	return result != 0 ? result : lock_violations() != 0;
}
