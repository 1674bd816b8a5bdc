/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Virtual threads with deep stacks, and where memory is short: whatever fails, detail is lost and
 * nothing else. The n-th mapping or block of memory fails, n = 1, 2, 3...: alone, or with all after
 * it.
 */
#include "mount_test.h"
#include "no_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A = METHOD_FIRST };

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

/* The frames of virtual threads: nothing else here is so long, and asks for it when it may fail. */
void *__wrap_malloc(size_t bytes)
{
	if (no_memory_at == 0 || !no_memory())
		return __real_malloc(bytes);
	errno = ENOMEM;
	return NULL;
}

/* ---- what was done, and what is shown of it ---- */

struct truth {
	uint64_t entries, events, used;
};

static void enter(struct test_seat *seat, uint32_t method, struct truth *truth)
{
	test_use(seat->carrier, 1, 2);
	if (!seat->lane)
		return;
	context_enter(SHAPE_ANY, seat->lane, method, STATE_JITTED, false);
	truth->used++;
	truth->entries++;
	truth->events++;
}

static void leave(struct test_seat *seat, uint32_t method, bool unwound, struct truth *truth)
{
	test_use(seat->carrier, 1, 2);
	if (!seat->lane)
		return;
	assert_true(context_exit(SHAPE_ANY, seat->lane, method, unwound));
	truth->used++;
	truth->events++;
}

struct shown {
	uint64_t calls, events, used, lost, repaired, unmatched, unwound, pruned, virtual_rows;
};

static struct shown shown_in(const struct test_picture *picture)
{
	struct shown shown = {0};

	for (size_t i = 0; i < picture->count; i++) {
		const struct test_row *row = &picture->row[i];

		if (!row->identity.is_virtual)
			continue;
		shown.virtual_rows++;
		shown.calls += row->sums.calls;
		shown.events += row->thread.events;
		shown.used += row->thread.total[0];
		shown.lost += row->thread.lost;
		shown.repaired += row->thread.repaired;
		shown.unmatched += row->thread.unmatched;
		shown.unwound += row->thread.unwound;
		shown.pruned += row->thread.pruned;
	}
	return shown;
}

/* Every event and every use is there. A call is, too, unless it is lost; frames that were lost when
 * they were to be kept had been called before. */
static void check(struct trace *trace, const struct truth *truth, struct shown *shown)
{
	struct test_picture picture = {.metrics = 2};
	struct trace_state state;

	test_visit(trace, &picture);
	test_same_totals(trace, &picture);
	trace_get_state(trace, &state);
	/* Threads cannot do with less than 1.1 MB here; beyond the limit are pages of theirs. */
	assert_true(state.memory_peak <= state.memory_limit + (64 << 10) ||
		    state.memory_peak <= 1100 << 10);
	*shown = shown_in(&picture);
	assert_int_equal(shown->events, truth->events);
	assert_int_equal(shown->used, truth->used);
	assert_true(shown->calls <= truth->entries);
	assert_true(shown->calls + shown->lost >= truth->entries);
	assert_int_equal(shown->repaired, 0);
	assert_int_equal(shown->unmatched, 0);
	test_picture_fini(&picture);
}

/* ---- deep stacks ---- */

enum { DEEP = 5000 };

static void go_down(struct test_seat *seat, uint32_t from, uint32_t to, struct truth *truth)
{
	for (uint32_t i = from; i < to; i++)
		enter(seat, A + i % 700, truth);
}

static void go_up(struct test_seat *seat, uint32_t from, uint32_t to, struct truth *truth)
{
	for (uint32_t i = from; i-- > to;)
		leave(seat, A + i % 700, false, truth);
}

/* The carriers' lanes are as deep as the first that was mounted there needs, and grow. */
static void test_deep(void **state)
{
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 64 << 20);
	struct test_seat one = test_seat(trace, "carrier"), two = test_seat(trace, "carrier");
	struct virtual_thread *thread;
	struct truth truth = {0};
	struct shown shown;

	assert_true(test_seat_begin(&one, "deep"));
	go_down(&one, 0, DEEP, &truth);
	thread = test_seat_unmount(&one);
	assert_int_equal(thread->frames, DEEP);
	for (int i = 0; i < 3; i++) {
		assert_true(test_seat_mount(&two, thread));
		go_up(&two, DEEP, DEEP / 2, &truth);
		test_seat_unmount(&two);
		assert_true(test_seat_mount(&one, thread));
		go_down(&one, DEEP / 2, DEEP, &truth);
		test_seat_unmount(&one);
	}
	/* Others are not concerned. */
	assert_true(test_seat_begin(&one, "deep"));
	assert_true(context_at_root(one.lane));
	test_seat_end(&one);
	assert_true(test_seat_mount(&two, thread));
	go_up(&two, DEEP, 0, &truth);
	assert_true(context_at_root(two.lane));
	test_seat_end(&two);
	check(trace, &truth, &shown);
	assert_int_equal(shown.calls, truth.entries);
	assert_int_equal(shown.lost, 0);
	assert_int_equal(shown.pruned, 0);
	trace_destroy(trace);
}

/* Many deep ones at once, which are still parked when all is given back. */
static void test_parked_at_the_end(void **state)
{
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 64 << 20);
	struct test_seat seat = test_seat(trace, "carrier");
	struct trace_state before, after;
	struct truth truth = {0};
	struct shown shown;

	for (int i = 0; i < 3000; i++) {
		assert_true(test_seat_begin(&seat, "parked"));
		go_down(&seat, 0, 100, &truth);
		if (i == 1)
			trace_get_state(trace, &before);
		test_seat_unmount(&seat);
	}
	trace_get_state(trace, &after);
	assert_true(after.memory_used - before.memory_used >= 2998 * 100 * 12);
	assert_true(test_seat_mount(&seat, virtual_of(trace, seat.thread->number)));
	go_down(&seat, 100, DEEP, &truth);
	trace_stop(trace);
	check(trace, &truth, &shown);
	assert_int_equal(shown.calls, truth.entries);
	trace_destroy(trace);
}

/* ---- without memory ---- */

/* Three threads on two carriers, in turns, deep and wide. */
static void turns(struct test_seat *seat, struct truth *truth)
{
	struct virtual_thread *thread[3];
	uint32_t depth[3] = {0};

	for (int t = 0; t < 3; t++) {
		thread[t] = NULL;
		if (test_seat_begin(&seat[t % 2], "thread-1"))
			thread[t] = test_seat_unmount(&seat[t % 2]);
	}
	for (uint32_t turn = 0; turn < 60; turn++) {
		uint32_t t = turn % 3, goal = turn < 30 ? 30 * turn : 30 * (60 - turn);
		struct test_seat *here = &seat[turn / 2 % 2];

		if (!thread[t] || !test_seat_mount(here, thread[t]))
			continue;
		for (; depth[t] < goal; depth[t]++)
			enter(here, A + depth[t] % 70, truth);
		for (uint32_t i = 0; i < 20; i++) {
			enter(here, A + 100 * turn + i, truth);
			leave(here, A + 100 * turn + i, i % 2, truth);
		}
		for (; depth[t] > goal; depth[t]--)
			leave(here, A + (depth[t] - 1) % 70, false, truth);
		test_seat_unmount(here);
	}
	for (int t = 0; t < 3; t++) {
		if (!thread[t])
			continue;
		if (!test_seat_mount(&seat[0], thread[t])) {
			virtual_end(seat[0].carrier, thread[t]);
			continue;
		}
		for (; depth[t] > 0; depth[t]--)
			leave(&seat[0], A + (depth[t] - 1) % 70, false, truth);
		assert_true(context_at_root(seat[0].lane));
		test_seat_end(&seat[0]);
	}
}

/* Frames with labels that find no memory when they are to be kept: each has one exit. */
static void test_labels_lost(void **state)
{
	enum { FRAMES = 2 * VIRTUAL_FRAMES };
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 64 << 20);
	struct test_seat seat = test_seat(trace, "carrier");
	struct virtual_thread *thread;
	struct truth truth = {0};
	struct shown shown;

	assert_true(test_seat_begin(&seat, "labels"));
	for (uint32_t i = 0; i < FRAMES; i++) {
		enter(&seat, A + i, &truth);
		context_reach(seat.lane, node_label(A + i, LABEL_LINE, 7));
	}
	no_memory_asked = 0;
	no_memory_at = 1;
	no_memory_on = true;
	thread = test_seat_unmount(&seat);
	no_memory_at = 0;
	assert_int_equal(thread->frames, 0);
	assert_int_equal(thread->overflow, FRAMES);
	assert_true(test_seat_mount(&seat, thread));
	assert_false(context_at_root(seat.lane));
	for (uint32_t i = FRAMES; i-- > 0;)
		leave(&seat, A + i, false, &truth);
	assert_true(context_at_root(seat.lane));
	test_seat_end(&seat);
	check(trace, &truth, &shown);
	assert_int_equal(shown.lost, FRAMES);
	trace_destroy(trace);
}

static void run(struct metric_set *set, uint64_t limit, bool apart)
{
	struct trace *trace = trace_create(set, limit);
	struct truth truth = {0};
	struct test_seat seat[2];
	struct shown shown;

	if (!trace)
		return;
	if (apart)
		trace_keep_virtual_apart(trace);
	for (int i = 0; i < 2; i++)
		seat[i] = test_seat(trace, "carrier");
	if (seat[0].carrier && seat[1].carrier)
		turns(seat, &truth);
	check(trace, &truth, &shown);
	/* Too small a budget loses nothing. */
	if (no_memory_at == 0) {
		assert_int_equal(shown.calls, truth.entries);
		assert_int_equal(shown.lost, 0);
	}
	trace_destroy(trace);
}

static void run_all(uint64_t limit, bool apart)
{
	struct metric_set set = test_set(2);
	long most;

	no_memory_at = no_memory_asked = 0;
	run(&set, limit, apart);
	most = no_memory_asked;
	assert_true(most > 20);
	for (int on = 0; on < 2; on++) {
		no_memory_on = on;
		for (long i = 1; i <= most; i++) {
			no_memory_at = i;
			no_memory_asked = 0;
			run(&set, limit, apart);
		}
	}
	no_memory_at = 0;
	print_message("%ld mappings\n", most);
}

static void test_no_memory(void **state)
{
	run_all(16 << 20, false);
}

static void test_no_memory_apart(void **state)
{
	run_all(16 << 20, true);
}

/* The budget is far too small, and paths are folded while threads are parked. */
static void test_short(void **state)
{
	struct metric_set set = test_set(2);

	for (uint64_t limit = 300 << 10; limit < 2 << 20; limit += 50 << 10)
		for (int apart = 0; apart < 2; apart++)
			run(&set, limit, apart);
}

/* Very many paths, on both carriers, and all of the threads parked in the middle of theirs. */
static void test_prune(void **state)
{
	enum { THREADS = 50, ROUNDS = 40, DEPTH = 6 };
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 4 << 20);
	struct test_seat seat[2] = {test_seat(trace, "carrier"), test_seat(trace, "carrier")};
	struct virtual_thread *thread[THREADS];
	struct truth truth = {0};
	struct shown shown;

	for (int t = 0; t < THREADS; t++) {
		assert_true(test_seat_begin(&seat[t % 2], "wide-1"));
		thread[t] = test_seat_unmount(&seat[t % 2]);
	}
	for (uint32_t round = 0; round < ROUNDS; round++)
		for (uint32_t t = 0; t < THREADS; t++) {
			struct test_seat *here = &seat[(round + t) % 3 % 2];
			uint32_t mine = A + 1000 * t + round / 2 % 4 * 100;

			assert_true(test_seat_mount(here, thread[t]));
			for (uint32_t i = 0; i < DEPTH; i++)
				if (round % 2 == 0)
					enter(here, mine + i, &truth);
				else
					leave(here, mine + DEPTH - 1 - i, i % 2, &truth);
			for (uint32_t i = 0; i < 50; i++) {
				uint32_t leaf = A + 60000 + (round * 50 + t * 20 + i) % 300;

				enter(here, leaf, &truth);
				leave(here, leaf, false, &truth);
			}
			test_seat_unmount(here);
			if (t == 0)
				check(trace, &truth, &shown);
		}
	check(trace, &truth, &shown);
	assert_int_equal(shown.calls, truth.entries);
	assert_true(shown.pruned > 1000);
	for (int t = 0; t < THREADS; t++) {
		assert_true(test_seat_mount(&seat[0], thread[t]));
		assert_true(context_at_root(seat[0].lane));
		test_check_tree(&seat[0].lane->tree);
		test_seat_end(&seat[0]);
	}
	trace_destroy(trace);
}

/* Rows of their own, as long as there is memory for them; what is folded is in the sums. */
static void test_apart_short(void **state)
{
	enum { THREADS = 4000 };
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 8 << 20);
	struct test_seat seat[2] = {test_seat(trace, "carrier"), test_seat(trace, "carrier")};
	struct test_picture picture = {.metrics = 2};
	struct truth truth = {0};
	struct trace_state counts;
	struct shown shown;
	uint64_t threads = 0;
	char name[32];

	trace_keep_virtual_apart(trace);
	for (int t = 0; t < THREADS; t++) {
		struct virtual_thread *thread;

		snprintf(name, sizeof(name), "apart-%d", t);
		assert_true(test_seat_begin(&seat[0], name));
		go_down(&seat[0], 0, 10, &truth);
		thread = test_seat_unmount(&seat[0]);
		assert_true(test_seat_mount(&seat[1], thread));
		go_up(&seat[1], 10, 0, &truth);
		test_seat_end(&seat[1]);
	}
	check(trace, &truth, &shown);
	assert_int_equal(shown.calls, truth.entries);
	assert_true(shown.virtual_rows > 100 && shown.virtual_rows < THREADS);
	test_visit(trace, &picture);
	for (size_t i = 0; i < picture.count; i++)
		threads += picture.row[i].thread.folded;
	trace_get_state(trace, &counts);
	assert_int_equal(threads, THREADS + 2);
	assert_int_equal(counts.threads, threads);
	assert_int_equal(counts.lost_threads, 0);
	test_picture_fini(&picture);
	trace_destroy(trace);
}

/* So many live at once that there is no memory for a row each: the others share one, and no row is
 * left behind by those that found half of what they need. */
static void test_apart_many(void **state)
{
	enum { THREADS = 1500 };
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 8 << 20);
	struct test_seat seat = test_seat(trace, "carrier");
	struct virtual_thread *thread[THREADS];
	struct test_picture picture = {.metrics = 2};
	struct truth truth = {0};
	struct trace_state counts;
	struct shown shown;
	uint64_t threads = 0;
	char name[32];

	trace_keep_virtual_apart(trace);
	for (int t = 0; t < THREADS; t++) {
		snprintf(name, sizeof(name), "apart-%d", t);
		assert_true(test_seat_begin(&seat, name));
		go_down(&seat, 0, 3, &truth);
		thread[t] = test_seat_unmount(&seat);
	}
	for (int t = 0; t < THREADS; t++) {
		assert_true(test_seat_mount(&seat, thread[t]));
		go_up(&seat, 3, 0, &truth);
		test_seat_end(&seat);
	}
	check(trace, &truth, &shown);
	assert_int_equal(shown.calls, truth.entries);
	test_visit(trace, &picture);
	for (size_t i = 0; i < picture.count; i++)
		threads += picture.row[i].thread.folded;
	trace_get_state(trace, &counts);
	assert_int_equal(threads, THREADS + 1);
	assert_int_equal(counts.lost_threads, 0);
	print_message("%lu rows\n", (unsigned long)picture.count);
	test_picture_fini(&picture);
	trace_destroy(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_parked_at_the_end),
		cmocka_unit_test(test_labels_lost),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_no_memory_apart),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_prune),
		cmocka_unit_test(test_apart_short),
		cmocka_unit_test(test_apart_many),
	};
	int result = cmocka_run_group_tests(tests, NULL, NULL);

	return result != 0 ? result : lock_violations() != 0;
}
