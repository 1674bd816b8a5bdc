/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Virtual threads come onto carriers, leave them, and are shown: every use is where it belongs, and
 * a group's row is the sum of what its threads did, path by path. One thread moves all carriers.
 */
#include "agent/trace/trace_rows.h"
#include "mount_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A = METHOD_FIRST, B, C, D };

static int setup(void **state)
{
	static struct metric_set set;

	set = test_set(2);
	*state = trace_create(&set, 64 << 20);
	return *state == NULL;
}

static int teardown(void **state)
{
	trace_destroy(*state);
	return 0;
}

static void enter(struct thread_context *context, uint32_t method)
{
	context_enter(SHAPE_ANY, context, method, STATE_JITTED, false);
}

static void leave(struct thread_context *context, uint32_t method)
{
	context_exit(SHAPE_ANY, context, method, false);
}

/* ---- whose use it is ---- */

/* All that the counters counted is the carrier's or the virtual thread's, and what lies between the
 * switch and the first instruction of either is marked as spent. */
static void test_each_its_own(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	struct test_seat seat = test_seat(trace, "carrier");
	struct thread_identity identity = {.name = "guest-1", .is_virtual = true};
	const struct test_row *row;
	uint64_t now[METRIC_MAX];

	enter(seat.carrier, A);
	test_use(seat.carrier, 5, 50);
	carrier_give_way(seat.carrier);
	test_use(seat.carrier, 1, 10); /* before its first event */
	carrier_read(seat.carrier, now);
	seat.lane = virtual_begin(seat.carrier, &identity, false, now, &seat.thread);
	enter(seat.lane, B);
	test_use(seat.carrier, 7, 70);
	leave(seat.lane, B);
	test_use(seat.carrier, 2, 20);
	assert_int_equal(virtual_used(seat.lane, seat.thread, 0), 8);
	virtual_unmount(seat.carrier, seat.lane, seat.thread);
	test_use(seat.carrier, 3, 30);
	carrier_resume(seat.carrier, false);
	test_use(seat.carrier, 4, 40);
	leave(seat.carrier, A);
	test_visit(trace, &picture);

	assert_int_equal(picture.count, 2);
	row = test_row_named(&picture, "carrier");
	assert_int_equal(row->thread.total[0], 12);
	assert_int_equal(row->thread.total[1], 120);
	assert_int_equal(row->sums.spent[0], 3);
	assert_int_equal(row->sums.calls, 1);
	assert_int_equal(row->thread.mounts, 0);
	row = test_row_named(&picture, "guest-*");
	assert_true(row->identity.is_virtual);
	assert_true(row->thread.alive);
	assert_int_equal(row->thread.total[0], 10);
	assert_int_equal(row->thread.total[1], 100);
	assert_int_equal(row->sums.spent[0], 0);
	assert_int_equal(row->sums.calls, 1);
	assert_int_equal(row->thread.events, 2);
	assert_int_equal(row->thread.mounts, 1);
	assert_int_equal(row->thread.folded, 1);
	test_same_totals(trace, &picture);

	virtual_end(seat.carrier, seat.thread);
	test_visit(trace, &picture);
	row = test_row_named(&picture, "guest-*");
	assert_false(row->thread.alive);
	assert_int_equal(row->thread.total[0], 10);
	test_same_totals(trace, &picture);
	test_picture_fini(&picture);
}

/* Threads without a recorded call share a row, and have no calls in it; what nobody used is in
 * none. */
static void test_unknown(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2, .keep_nodes = true};
	struct test_seat seat = test_seat(trace, "carrier");
	const struct test_row *row;

	for (int i = 0; i < 3; i++) {
		test_use(seat.carrier, 1, 0);
		carrier_give_way(seat.carrier);
		test_use(seat.carrier, 6, 60);
		virtual_unknown(seat.carrier);
		test_use(seat.carrier, 2, 0);
		carrier_resume(seat.carrier, false);
		virtual_end(seat.carrier, NULL);
	}
	carrier_give_way(seat.carrier);
	test_use(seat.carrier, 1000, 1000);
	carrier_resume(seat.carrier, true);
	test_use(seat.carrier, 20, 0);
	context_settle(seat.carrier);
	test_visit(trace, &picture);
	assert_int_equal(picture.count, 2);
	row = test_row_named(&picture, "carrier");
	assert_int_equal(row->thread.total[0], 29);
	assert_int_equal(row->sums.spent[0], 6);
	row = test_row_named(&picture, VIRTUAL_UNKNOWN_NAME);
	assert_int_equal(row->thread.total[0], 18);
	assert_int_equal(row->thread.total[1], 180);
	assert_int_equal(row->nodes[0].base[0], 18);
	assert_int_equal(row->thread.events, 0);
	assert_int_equal(row->thread.mounts, 3);
	assert_int_equal(row->thread.folded, 3);
	test_same_totals(trace, &picture);
	test_picture_fini(&picture);
}

/* Of a carrier that is not recorded nothing is shown but what it carried. */
static void test_unlisted(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	struct thread_identity identity = {.name = "unlisted"};
	struct test_seat seat = {.trace = trace};
	struct trace_state counts;

	seat.carrier = trace_carrier_begin(trace, &identity, (struct alloc_source){0});
	test_visit(trace, &picture);
	assert_int_equal(picture.count, 0);
	test_use(seat.carrier, 100, 0);
	assert_true(test_seat_begin(&seat, "guest"));
	enter(seat.lane, A);
	test_use(seat.lane, 5, 0);
	test_seat_unmount(&seat);
	test_use(seat.carrier, 100, 0);
	assert_true(test_seat_mount(&seat, seat.thread));
	test_use(seat.lane, 6, 0);
	leave(seat.lane, A);
	test_seat_end(&seat);
	test_use(seat.carrier, 100, 0);
	trace_thread_end(trace, seat.carrier, NULL);
	test_visit(trace, &picture);
	assert_int_equal(picture.count, 1);
	assert_int_equal(picture.row[0].thread.total[0], 11);
	assert_int_equal(picture.row[0].thread.mounts, 2);
	test_same_totals(trace, &picture);
	trace_get_state(trace, &counts);
	assert_int_equal(counts.threads, 1);
	test_picture_fini(&picture);
}

/* What a virtual thread uses outside the session's scope is nobody's, wherever it is mounted. */
static void test_scope(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	struct test_seat one = test_seat(trace, "carrier 1"),
			 two = test_seat(trace, "carrier 2");
	const struct test_row *row;

	test_use(two.carrier, 77777, 0);
	context_settle(two.carrier);
	assert_true(test_seat_begin(&one, "guest"));
	context_go_out(one.lane);
	test_use(one.lane, 1000, 0);
	assert_true(test_seat_mount(&two, test_seat_unmount(&one)));
	test_use(two.lane, 1000, 0);
	context_enter_scope(two.lane, A, STATE_JITTED, false);
	test_use(two.lane, 5, 0);
	assert_true(test_seat_mount(&one, test_seat_unmount(&two)));
	test_use(one.lane, 6, 0);
	leave(one.lane, A);
	context_go_out(one.lane);
	test_use(one.lane, 1000, 0);
	test_seat_end(&one);
	test_visit(trace, &picture);
	row = test_row_named(&picture, "guest");
	assert_int_equal(row->thread.total[0], 11);
	assert_int_equal(row->sums.calls, 1);
	assert_int_equal(row->thread.unmatched, 0);
	test_same_totals(trace, &picture);
	test_picture_fini(&picture);
}

/* Nor if the carrier ends meanwhile. */
static void test_scope_to_the_end(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	struct test_seat seat = test_seat(trace, "carrier");

	assert_true(test_seat_begin(&seat, "guest"));
	test_use(seat.lane, 7, 0);
	context_settle(seat.lane);
	context_go_out(seat.lane);
	test_use(seat.lane, 1000, 0);
	trace_thread_end(trace, seat.carrier, NULL);
	test_visit(trace, &picture);
	assert_int_equal(test_row_named(&picture, "guest")->thread.total[0], 7);
	test_same_totals(trace, &picture);
	test_picture_fini(&picture);
}

/* The last row is for all whose names come too late. */
static void test_many_names(void **state)
{
	enum { NAMES_MANY = TRACE_FOLDS_MAX + 44, LATE = NAMES_MANY - (TRACE_FOLDS_MAX - 1) };
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	struct test_seat seat = test_seat(trace, "carrier");
	struct trace_state counts;

	for (int i = 0; i < 2 * NAMES_MANY; i++) {
		char name[] = {(char)('a' + i % NAMES_MANY / 26),
			(char)('a' + i % NAMES_MANY % 26), '\0'};

		assert_true(test_seat_begin(&seat, name));
		test_use(seat.lane, 1, 0);
		test_seat_end(&seat);
	}
	test_visit(trace, &picture);
	assert_int_equal(picture.count, 1 + TRACE_FOLDS_MAX);
	assert_int_equal(test_row_named(&picture, "aa")->thread.folded, 2);
	assert_int_equal(test_row_named(&picture, "*")->thread.folded, 2 * LATE);
	assert_int_equal(test_row_named(&picture, "*")->thread.total[0], 2 * LATE);
	trace_get_state(trace, &counts);
	assert_int_equal(counts.lost_threads, 0);
	test_same_totals(trace, &picture);
	test_picture_fini(&picture);
}

/* ---- from carrier to carrier ---- */

static void test_moves(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2, .keep_nodes = true};
	struct test_seat seat[2] = {
		test_seat(trace, "carrier 1"), test_seat(trace, "carrier 2")};
	struct virtual_thread *thread;
	struct model model, all;
	uint32_t method[] = {A, B, C, B, D};

	model_init(&model);
	/* The other one has a tree already, in which the nodes have other numbers. */
	assert_true(test_seat_begin(&seat[1], "guest-2"));
	model_enter(&model, D, STATE_JITTED, false);
	enter(seat[1].lane, D);
	model_exit(&model, D, false);
	leave(seat[1].lane, D);
	test_seat_end(&seat[1]);
	model_settle(&model);
	model_init(&all);
	model_add(&all, &model);
	model_fini(&model);

	model_init(&model);
	assert_true(test_seat_begin(&seat[0], "guest-1"));
	thread = seat[0].thread;
	for (uint32_t i = 0; i < 10; i++) {
		struct test_seat *here = &seat[i % 2];

		if (i > 0)
			assert_true(test_seat_mount(here, thread));
		model_use(&model, i, 1);
		test_use(here->lane, i, 1);
		if (i < 5) {
			model_enter(&model, method[i], STATE_JITTED, false);
			enter(here->lane, method[i]);
		} else {
			model_exit(&model, method[9 - i], i == 7);
			context_exit(SHAPE_ANY, here->lane, method[9 - i], i == 7);
		}
		model_use(&model, 100, 2);
		test_use(here->lane, 100, 2);
		test_seat_unmount(here);
		model_settle(&model);
	}
	model_add(&all, &model);
	test_visit(trace, &picture);
	test_same_row(test_row_named(&picture, "guest-*"), &all);
	sequence_model_check(all.sequences, trace);
	test_same_totals(trace, &picture);
	assert_int_equal(model.unmatched + model.repaired, 0);
	assert_int_equal(thread->used[0], 1045);
	virtual_end(seat[1].carrier, thread);
	model_fini(&model);
	model_fini(&all);
	test_picture_fini(&picture);
}

/* Carriers come and go: the lanes of those that are gone serve the next. */
static void test_carriers_change(void **state)
{
	enum { CARRIERS = 300 };
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	struct virtual_thread *thread = NULL;
	struct trace_state before, after;
	const struct test_row *row;

	for (int i = 0; i < CARRIERS; i++) {
		struct test_seat seat = test_seat(trace, "carrier");

		test_use(seat.carrier, 1000 * (uint64_t)((i * 7) % 11), 0);
		assert_true(i == 0 ? test_seat_begin(&seat, "guest")
				   : test_seat_mount(&seat, thread));
		test_use(seat.lane, 1, 2);
		if (i % 2 == 0)
			enter(seat.lane, A);
		else
			leave(seat.lane, A);
		test_use(seat.lane, 1, 2);
		thread = test_seat_unmount(&seat);
		trace_thread_end(trace, seat.carrier, NULL);
		if (i == 0)
			trace_get_state(trace, &before);
	}
	test_visit(trace, &picture);
	row = test_row_named(&picture, "guest");
	assert_int_equal(row->thread.total[0], 2 * CARRIERS);
	assert_int_equal(row->thread.total[1], 4 * CARRIERS);
	assert_int_equal(row->sums.calls, CARRIERS / 2);
	assert_int_equal(row->thread.unmatched, 0);
	assert_int_equal(row->thread.mounts, CARRIERS);
	assert_int_equal(thread->used[1], 4 * CARRIERS);
	test_same_totals(trace, &picture);
	trace_get_state(trace, &after);
	/* A row, a tree and a short stack for each carrier that ended, and no lane. */
	assert_true(after.memory_used - before.memory_used < CARRIERS * 4 * arena_page());
	test_picture_fini(&picture);
}

/* ---- a random walk ---- */

enum { SEATS = 5, THREADS = 60, NAMES = 3, STEPS = 60000 };

struct guest {
	struct virtual_thread *thread; /* NULL: it has ended, or not begun */
	struct model model;
	uint64_t mounts;
	int seat; /* -1: it is parked */
	bool begun;
	char name[32], pattern[32];
};

struct crowd {
	struct trace *trace;
	struct test_seat seat[SEATS];
	struct guest *guest[SEATS]; /* that is mounted, NULL: none */
	struct guest all[THREADS];
	uint64_t carried[SEATS]; /* what was used on the carriers by themselves */
	struct test_walk walk;
};

static struct crowd *crowd_create(struct trace *trace, uint32_t methods, uint32_t depth)
{
	static const char *const name[NAMES] = {"alpha-%d", "beta-%d-x", "gamma%d.7"};
	static const char *const pattern[NAMES] = {"alpha-*", "beta-*-x", "gamma*.*"};
	struct crowd *crowd = calloc(1, sizeof(*crowd));

	crowd->trace = trace;
	crowd->walk = (struct test_walk){
		.random = {42}, .methods = methods, .depth = depth, .faults = true};
	for (int i = 0; i < SEATS; i++)
		crowd->seat[i] = test_seat(trace, "carrier");
	for (int i = 0; i < THREADS; i++) {
		struct guest *guest = &crowd->all[i];

		model_init(&guest->model);
		guest->seat = -1;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(guest->name, sizeof(guest->name), name[i % NAMES], i);
#pragma GCC diagnostic pop
		strcpy(guest->pattern, pattern[i % NAMES]);
	}
	return crowd;
}

static void crowd_destroy(struct crowd *crowd)
{
	for (int i = 0; i < THREADS; i++)
		model_fini(&crowd->all[i].model);
	free(crowd);
}

static void unseat(struct crowd *crowd, int seat)
{
	struct guest *guest = crowd->guest[seat];

	test_seat_unmount(&crowd->seat[seat]);
	model_settle(&guest->model);
	guest->seat = -1;
	crowd->guest[seat] = NULL;
}

/* Some thread that is not mounted, and has not ended, gets the seat. */
static void seat_some(struct crowd *crowd, int seat)
{
	struct guest *guest = &crowd->all[test_random(&crowd->walk.random, THREADS)];

	if (guest->seat >= 0 || (guest->begun && !guest->thread))
		return;
	if (guest->begun)
		assert_true(test_seat_mount(&crowd->seat[seat], guest->thread));
	else
		assert_true(test_seat_begin(&crowd->seat[seat], guest->name));
	guest->thread = crowd->seat[seat].thread;
	guest->begun = true;
	guest->mounts++;
	guest->seat = seat;
	crowd->guest[seat] = guest;
}

static void end_guest(struct crowd *crowd, int seat)
{
	struct guest *guest = crowd->guest[seat];

	unseat(crowd, seat);
	virtual_end(crowd->seat[seat].carrier, guest->thread);
	guest->thread = NULL;
}

static void change_carrier(struct crowd *crowd, int seat)
{
	trace_thread_end(crowd->trace, crowd->seat[seat].carrier, NULL);
	crowd->seat[seat] = test_seat(crowd->trace, "carrier");
}

static void crowd_step(struct crowd *crowd)
{
	struct test_random *random = &crowd->walk.random;
	int seat = (int)test_random(random, SEATS);
	struct guest *guest = crowd->guest[seat];

	if (!guest) {
		test_use(crowd->seat[seat].carrier, 3, 0);
		crowd->carried[seat] += 3;
		if (test_random(random, 500) == 0)
			change_carrier(crowd, seat);
		seat_some(crowd, seat);
		return;
	}
	crowd->walk.model = &guest->model;
	crowd->walk.context = crowd->seat[seat].lane;
	test_step(&crowd->walk);
	if (test_random(random, 6) == 0)
		unseat(crowd, seat);
	else if (test_random(random, 3000) == 0)
		end_guest(crowd, seat);
}

static void crowd_walk(struct crowd *crowd, int steps)
{
	for (int i = 0; i < steps; i++)
		crowd_step(crowd);
	for (int i = 0; i < SEATS; i++) {
		if (crowd->guest[i])
			unseat(crowd, i);
		context_settle(crowd->seat[i].carrier);
	}
}

/* The threads of one pattern together; NULL: of all. */
static struct guest merged(const struct crowd *crowd, const char *pattern, uint64_t *threads)
{
	struct guest all = {0};

	*threads = 0;
	model_init(&all.model);
	for (int i = 0; i < THREADS; i++) {
		const struct guest *guest = &crowd->all[i];

		if (!guest->begun || (pattern && strcmp(guest->pattern, pattern) != 0))
			continue;
		model_add(&all.model, &guest->model);
		all.mounts += guest->mounts;
		++*threads;
	}
	return all;
}

static void check_sequences(const struct crowd *crowd)
{
	uint64_t threads;
	struct guest all = merged(crowd, NULL, &threads);

	sequence_model_check(all.model.sequences, crowd->trace);
	model_fini(&all.model);
}

static void check_group(
	const struct crowd *crowd, const struct test_picture *picture, const char *pattern)
{
	const struct test_row *row = test_row_named(picture, pattern);
	uint64_t threads;
	struct guest all = merged(crowd, pattern, &threads);

	test_same_row(row, &all.model);
	assert_int_equal(row->thread.mounts, all.mounts);
	assert_int_equal(row->thread.folded, threads);
	model_fini(&all.model);
}

static void check_carriers(const struct crowd *crowd, const struct test_picture *picture)
{
	uint64_t carried = 0, shown = 0;

	for (int i = 0; i < SEATS; i++)
		carried += crowd->carried[i];
	for (size_t i = 0; i < picture->count; i++)
		if (strcmp(picture->row[i].identity.name, "carrier") == 0)
			shown += picture->row[i].thread.total[0];
	assert_int_equal(shown, carried);
}

static void test_random_walk(void **state)
{
	struct test_picture picture = {.metrics = 2, .keep_nodes = true};
	struct crowd *crowd = crowd_create(*state, 6, 6);

	for (int i = 0; i < 3; i++) {
		crowd_walk(crowd, STEPS / 3);
		test_visit(*state, &picture);
		check_group(crowd, &picture, "alpha-*");
		check_group(crowd, &picture, "beta-*-x");
		check_group(crowd, &picture, "gamma*.*");
		check_carriers(crowd, &picture);
		check_sequences(crowd);
		test_same_totals(*state, &picture);
	}
	test_picture_fini(&picture);
	crowd_destroy(crowd);
}

/* A row each, as long as it lives and after. */
static void test_apart(void **state)
{
	struct test_picture picture = {.metrics = 2, .keep_nodes = true};
	struct crowd *crowd = crowd_create(*state, 6, 6);
	struct trace_state counts;
	uint64_t begun = 0;

	trace_keep_virtual_apart(*state);
	for (int i = 0; i < 3; i++) {
		crowd_walk(crowd, STEPS / 3);
		test_visit(*state, &picture);
		for (int k = 0; k < THREADS; k++) {
			const struct guest *guest = &crowd->all[k];
			const struct test_row *row;

			if (!guest->begun)
				continue;
			row = test_row_named(&picture, guest->name);
			test_same_row(row, &guest->model);
			assert_int_equal(row->thread.mounts, guest->mounts);
			assert_int_equal(row->thread.alive, guest->thread != NULL);
			assert_int_equal(row->thread.folded, 1);
			assert_int_equal(row->thread.ended > 0, guest->thread == NULL);
		}
		check_carriers(crowd, &picture);
		check_sequences(crowd);
		test_same_totals(*state, &picture);
	}
	for (int k = 0; k < THREADS; k++)
		begun += crowd->all[k].begun;
	trace_get_state(*state, &counts);
	for (size_t i = 0; i < picture.count; i++)
		begun += strcmp(picture.row[i].identity.name, "carrier") == 0;
	assert_int_equal(counts.threads, begun);
	test_picture_fini(&picture);
	crowd_destroy(crowd);
}

/* Of very many that have ended an eighth is folded at once where memory is wanted;
 * nothing is lost. */
static void test_apart_crowd(void **state)
{
	enum { ALL = 4 * TRACE_KEPT_ENDED };
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	struct test_seat seat;

	trace_keep_virtual_apart(trace);
	seat = test_seat(trace, "carrier");
	for (int i = 0; i < ALL; i++) {
		char name[16];

		snprintf(name, sizeof(name), "guest-%d", i);
		assert_true(test_seat_begin(&seat, name));
		test_use(seat.lane, 1, 0);
		test_seat_end(&seat);
	}
	assert_true(trace_relieve(trace, 0));
	test_visit(trace, &picture);
	assert_in_range(picture.count, ALL - ALL / 8 - 300, ALL - ALL / 8 + 2);
	assert_int_equal(test_row_named(&picture, "guest-*")->thread.total[0],
		test_row_named(&picture, "guest-*")->thread.folded);
	test_same_totals(trace, &picture);
	test_picture_fini(&picture);
}

/* One that is a group by itself stays where it is, whoever wants it: the group is for other sessions then. */
static void test_apart_stays(void **state)
{
	const struct thread_identity wanted = {
		.name = "guest-1", .is_virtual = true, .wanted = 4};
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	struct test_seat seat;

	trace_keep_virtual_apart(trace);
	seat = test_seat(trace, "carrier");
	assert_true(test_seat_begin(&seat, "guest-1"));
	enter(seat.lane, A);
	assert_ptr_equal(
		virtual_regroup(seat.carrier, seat.lane, seat.thread, &wanted), seat.lane);
	leave(seat.lane, A);
	test_seat_end(&seat);
	test_visit(trace, &picture);
	assert_int_equal(picture.count, 2);
	assert_int_equal(test_row_named(&picture, "guest-1")->identity.wanted, 4);
	assert_int_equal(test_row_named(&picture, "guest-1")->sums.calls, 1);
	test_picture_fini(&picture);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_its_own),
		TEST(test_unknown),
		TEST(test_apart_stays),
		TEST(test_unlisted),
		TEST(test_scope),
		TEST(test_scope_to_the_end),
		TEST(test_many_names),
		TEST(test_moves),
		TEST(test_carriers_change),
		TEST(test_random_walk),
		TEST(test_apart),
		TEST(test_apart_crowd),
	};
	int result = cmocka_run_group_tests(tests, NULL, NULL);

	return result != 0 ? result : lock_violations() != 0;
}
