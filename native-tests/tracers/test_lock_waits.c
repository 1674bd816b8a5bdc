/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * lock_waits: waits become rows whichever of their two ends comes first; what is dropped or forgotten leaves nothing; answers
 * that come too late are none; sums stay exact when there is no more room; and threads may do all of that at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "agent/tracers/lock_waits.h"
#include "native-tests/profile/fixture.h"
#include "profile/profile_read.h"

enum { LARGE = 1 << 22, SMALL = 1 << 16, WAITERS = 4, TURNS = 10000, CUT = 256 };
#define SECOND UINT64_C(1000000000)

static uint64_t holds, hold_ns;

static void hold(uint32_t place, uint32_t lock, uint64_t ns)
{
	holds++;
	hold_ns += ns;
}

static uint64_t idle, idle_ns, idle_failures;

static void add(uint32_t place, enum account_kind kind, uint32_t lock, uint64_t count,
	uint64_t failures, uint64_t ns)
{
	idle += count;
	idle_failures += failures;
	idle_ns += ns;
}

/* Places are nodes of a thread each. */
static uint64_t node(uint32_t place)
{
	return profile_node_id(place, 1);
}

static const struct waits_tree tree = {hold, add, node};

static void begin(uint64_t bytes)
{
	holds = hold_ns = 0;
	assert_int_equal(waits_open(bytes, &tree), 0);
}

static wait_ref begin_held(int64_t thread, uint32_t lock, uint64_t at)
{
	wait_ref wait = waits_begin(thread, 0, LOCKS_BLOCK, lock, at);

	assert_true(wait != 0);
	waits_held(wait, HOLDER_ASKED, thread + 1);
	return wait;
}

/* What a profile says of them, put at that time. */
static struct profile *written_at(uint64_t now)
{
	struct error error = {0};
	struct profile_writer *writer;
	struct profile *profile;

	profile_create(&writer, fixture_path("waits.jprof"), fixture_metrics, FIXTURE_METRICS,
		NULL, &error);
	profile_begin(writer, &error);
	for (uint32_t i = 1; i <= 3; i++)
		profile_put(writer, &((struct profile_lock){i, "acme.Lock", i}), &error);
	assert_int_equal(waits_put(writer, 1000, now, &error), 0);
	profile_commit(writer, &error);
	waits_put_done(true);
	assert_int_equal(profile_close(writer, &error), 0);
	assert_int_equal(profile_open(&profile, fixture_path("waits.jprof"), &error), 0);
	return profile;
}

static struct profile *written(void)
{
	return written_at(9000);
}

/* ---- both ends ---- */

static void either_end_comes_first(void **state)
{
	struct profile *profile;
	wait_ref first, second;

	begin(LARGE);
	first = begin_held(7, 1, 1500);
	second = begin_held(8, 1, 1600);
	waits_answered(first, 30);
	assert_int_equal(waits_end(7, 1700, false).ns, 200);
	waits_placed(first, 20);
	assert_int_equal(waits_state().ended, 1);
	assert_int_equal(waits_end(8, 1900, false).wait, second);
	waits_placed(second, 20);
	assert_int_equal(waits_state().ended, 1);
	waits_answered(second, 30);
	assert_int_equal(waits_state().ended, 2);
	assert_int_equal(holds, 2);
	assert_int_equal(hold_ns, 500);

	profile = written();
	assert_int_equal(profile->contention_count, 1);
	assert_int_equal(profile->contention[0].thread, 20);
	assert_int_equal(profile->contention[0].holder_thread, 30);
	assert_int_equal(profile->contention[0].lock, 1);
	assert_int_equal(profile->contention[0].kind, LOCKS_BLOCK);
	assert_int_equal(profile->contention[0].count, 2);
	assert_int_equal(profile->contention[0].ns, 500);
	assert_int_equal(profile->contention[0].longest, 300);
	assert_int_equal(profile->contention[0].began, 600);
	assert_int_equal(profile->long_wait_count, 2);
	assert_int_equal(profile->long_wait[0].begin, 500);
	profile_free(profile);
	waits_close();
}

/* A recording without the trace, behind one with it, asks all the same: there is nothing to put, and to tell. */
static void nothing_is_left_when_closed(void **state)
{
	struct profile *profile;
	wait_ref wait;

	begin(LARGE);
	wait = begin_held(7, 1, 1500);
	waits_answered(wait, 30);
	waits_end(7, 1700, false);
	waits_placed(wait, 20);
	assert_int_equal(waits_state().held, 1);
	waits_close();
	assert_int_equal(waits_state().ended, 0);
	assert_int_equal(waits_state().held, 0);
	profile = written();
	assert_int_equal(profile->contention_count, 0);
	assert_int_equal(profile->long_wait_count, 0);
	profile_free(profile);
}

static void without_a_holder(void **state)
{
	struct profile *profile;
	wait_ref wait;

	begin(LARGE);
	wait = waits_begin(7, 0, LOCKS_WAIT, 2, 2000);
	waits_held(wait, HOLDER_NONE, 0);
	assert_true(waits_is(7, LOCKS_WAIT));
	assert_false(waits_is(7, LOCKS_PARK));
	assert_int_equal(waits_end(7, 2500, true).kind, LOCKS_WAIT);
	assert_false(waits_is(7, LOCKS_WAIT));
	waits_placed(wait, 20);
	profile = written();
	assert_int_equal(profile->contention[0].failures, 1);
	assert_int_equal(profile->contention[0].holder_thread, 0);
	assert_int_equal(holds, 0);
	profile_free(profile);
	waits_close();
}

static void sums_of_idle_ones(void **state)
{
	struct profile *profile;
	wait_ref wait;

	begin(LARGE);
	for (uint32_t i = 0; i < TURNS; i++) {
		wait = waits_begin(7, 0, LOCKS_PARK, 2, 2000);
		waits_held(wait, HOLDER_NONE, 0);
		assert_true(waits_end(7, 2000 + i, i % 2).idle);
		assert_true(waits_add(wait, 20 + i % 2));
		if (i % 1000 == 0)
			waits_sweep(0, false);
	}
	waits_sweep(0, false);
	wait = begin_held(7, 1, 1500);
	assert_false(waits_end(7, 1700, false).idle);
	assert_false(waits_add(wait, 20));
	waits_drop(wait);
	waits_answered(wait, 0);
	assert_int_equal(idle, TURNS);
	assert_int_equal(idle_ns, (uint64_t)TURNS * (TURNS - 1) / 2);
	assert_int_equal(idle_failures, TURNS / 2);
	assert_int_equal(waits_state().ended, TURNS);
	profile = written();
	assert_int_equal(profile->contention_count, 2);
	assert_int_equal(profile->contention[0].count, TURNS / 2);
	assert_int_equal(profile->contention[0].ns + profile->contention[1].ns, idle_ns);
	assert_int_equal(profile->contention[1].longest, TURNS - 1);
	assert_int_equal(profile->contention[1].kind, LOCKS_PARK);
	assert_int_equal(profile->contention[1].lock, 2);
	assert_int_equal(profile->long_wait_count, 0);
	profile_free(profile);
	waits_close();
}

/* ---- what leaves nothing ---- */

static void dropped_and_cut(void **state)
{
	wait_ref wait, before;
	uint64_t lost = 0;

	begin(SMALL);
	/* Many more than there is room for at a time. */
	for (int i = 0; i < TURNS; i++) {
		wait = begin_held(7, 1, 2000);
		waits_answered(wait, 30);
		waits_end(7, 2001, false);
		waits_drop(wait);
		wait = begin_held(7, 1, 2000);
		if (i % 2)
			waits_answered(wait, 30);
		lost += waits_cut(2001);
		if (i % 2 == 0)
			waits_answered(wait, 30);
		assert_int_equal(waits_end(7, 2001, false).wait, 0);
		/* A thread that never ended to wait. */
		before = begin_held(7, 1, 2000);
		wait = waits_begin(7, 0, LOCKS_PARK, 1, 2000);
		waits_held(wait, HOLDER_UNKNOWN, 0);
		assert_int_equal(waits_end(7, 2002, false).kind, LOCKS_PARK);
		waits_drop(wait);
		waits_answered(before, 30);
	}
	assert_int_equal(lost, TURNS - CUT);
	assert_int_equal(waits_state().lost, 0);
	assert_int_equal(waits_state().ended, 0);
	assert_int_equal(holds, 0);
	waits_close();
}

static void late_answers(void **state)
{
	wait_ref wait, other;

	begin(LARGE);
	wait = begin_held(7, 1, 2000);
	waits_end(7, 3000, false);
	waits_placed(wait, 20);
	waits_sweep(3000, false);
	assert_int_equal(waits_state().ended, 0);
	waits_sweep(UINT64_C(5000000000), false);
	assert_int_equal(waits_state().ended, 1);
	assert_int_equal(waits_state().answered, 0);
	/* Its place may be another's by now. */
	waits_answered(wait, 30);
	other = begin_held(7, 1, 4000);
	waits_answered(wait, 30);
	waits_end(7, 5000, false);
	waits_placed(other, 20);
	assert_int_equal(holds, 0);
	waits_answered(other, 30);
	assert_int_equal(holds, 1);
	assert_int_equal(waits_state().ended, 2);
	waits_close();
}

/* ---- unfinished ones ---- */

static void under_way(void **state)
{
	struct wait_asked asked[WAITS_ASKED];
	struct profile *profile;
	wait_ref wait, idle_one;

	begin(LARGE);
	wait = begin_held(7, 1, 2000);
	idle_one = waits_begin(8, 99, LOCKS_PARK, 2, 1000);
	waits_held(idle_one, HOLDER_NONE, 0);
	waits_answered(wait, 30);
	assert_int_equal(waits_to_ask(2000 + SECOND - 1, asked), 1);
	assert_int_equal(waits_to_ask(2000 + SECOND, asked), 1);
	assert_int_equal(asked[0].wait, wait);
	assert_int_equal(waits_to_ask(2000 + SECOND, asked), 0);
	/* Where the other one is is not known yet. */
	waits_seen(wait, 20);
	profile = written_at(2000 + 2 * SECOND);
	assert_int_equal(profile->contention_count, 0);
	assert_int_equal(profile->unfinished_wait_count, 1);
	assert_int_equal(profile->unfinished_wait[0].begin, 1000);
	assert_int_equal(profile->unfinished_wait[0].ns, 2 * SECOND);
	assert_int_equal(profile->unfinished_wait[0].thread, 20);
	assert_int_equal(profile->unfinished_wait[0].holder_thread, 30);
	assert_int_equal(profile->unfinished_wait[0].lock, 1);
	profile_free(profile);
	/* They end; what is said of them then is too late. */
	waits_end(7, 3000, false);
	waits_placed(wait, 20);
	waits_end(8, 3000, false);
	waits_drop(idle_one);
	wait = begin_held(9, 1, 4000);
	waits_seen(idle_one, 40);
	profile = written_at(2000 + 3 * SECOND);
	assert_int_equal(profile->unfinished_wait_count, 0);
	assert_int_equal(profile->contention[0].count, 1);
	profile_free(profile);
	waits_close();
}

static void cut_ones_stay(void **state)
{
	struct wait_asked asked[WAITS_ASKED];
	struct profile *profile;
	unsigned count, all = 0;

	begin(LARGE);
	for (int64_t i = 0; i < 2 * CUT; i++) {
		/* Half of them contended, the earliest last. */
		wait_ref wait = waits_begin(i, (uintptr_t)i, LOCKS_PARK, 1, 8000 - (uint64_t)i);

		waits_held(wait, i % 2 ? HOLDER_ASKED : HOLDER_NONE, 5);
		if (i % 2)
			waits_answered(wait, 30);
	}
	assert_int_equal(waits_cut(9000), CUT);
	assert_int_equal(waits_end(1, 9500, false).wait, 0);
	while ((count = waits_to_ask(9001, asked)) > 0) {
		for (unsigned i = 0; i < count; i++) {
			assert_int_equal(asked[i].thread % 2, 1);
			assert_int_equal(asked[i].java, asked[i].thread);
			waits_seen(asked[i].wait, 20);
		}
		all += count;
	}
	assert_int_equal(all, CUT);
	/* The trace goes on: what is cut then is longer, or not. */
	waits_held(waits_begin(1, 0, LOCKS_BLOCK, 1, 10000), HOLDER_UNKNOWN, 0);
	waits_held(waits_begin(2, 0, LOCKS_BLOCK, 2, 10), HOLDER_UNKNOWN, 0);
	assert_int_equal(waits_cut(11000), 2);
	profile = written_at(UINT64_MAX);
	assert_int_equal(profile->unfinished_wait_count, CUT);
	count = 0;
	for (unsigned i = 0; i < CUT; i++) {
		const struct profile_wait *wait = &profile->unfinished_wait[i];

		if (wait->lock == 2) {
			count++;
			assert_int_equal(wait->ns, 10990);
			continue;
		}
		assert_int_equal(wait->begin + wait->ns, 8000);
		assert_int_equal(wait->thread, 20);
		assert_int_equal(wait->holder_thread, 30);
	}
	assert_int_equal(count, 1);
	assert_int_equal(profile->contention_count, 0);
	assert_int_equal(holds, 0);
	profile_free(profile);
	waits_close();
}

/* Behind a snapshot there are as many anew. */
static void snapshots_close_the_longest(void **state)
{
	struct error error = {0};
	struct profile_writer *writer;
	struct profile *profile;

	begin(LARGE);
	profile_create(&writer, fixture_path("closed.jprof"), fixture_metrics, FIXTURE_METRICS,
		NULL, &error);
	for (unsigned part = 0; part < 2; part++) {
		for (uint32_t i = 0; i < 300; i++) {
			wait_ref wait = begin_held(i, 1, 2000);

			waits_end(i, 2001 + i, false);
			waits_answered(wait, 30);
			waits_placed(wait, 20);
		}
		profile_begin(writer, &error);
		assert_int_equal(waits_put(writer, 1000, 9000, &error), 0);
		profile_commit(writer, &error);
		waits_put_done(true);
		waits_close_longest();
	}
	profile_close(writer, &error);
	assert_int_equal(profile_open(&profile, fixture_path("closed.jprof"), &error), 0);
	assert_int_equal(profile->contention_count, 1);
	assert_int_equal(profile->long_wait_count, 512);
	for (unsigned i = 0; i < 512; i++) {
		assert_int_equal(profile->long_wait[i].id, i + 1);
		assert_int_equal(profile->long_wait[i].contention, 1);
		assert_true(profile->long_wait[i].ns > 300 - 256);
	}
	profile_free(profile);
	waits_close();
}

/* ---- no room ---- */

static void sums_stay_exact(void **state)
{
	struct profile *profile;
	uint64_t count = 0, ns = 0;

	begin(SMALL);
	for (uint32_t i = 0; i < TURNS; i++) {
		wait_ref wait = begin_held(i, 1 + i % 3, 2000);

		waits_end(i, 2000 + i, false);
		waits_answered(wait, 1 + i);
		waits_placed(wait, 1 + i);
	}
	assert_true(waits_state().folded > 0);
	assert_int_equal(waits_state().ended, TURNS);
	assert_int_equal(holds, TURNS);
	profile = written();
	for (size_t i = 0; i < profile->contention_count; i++) {
		count += profile->contention[i].count;
		ns += profile->contention[i].ns;
	}
	assert_int_equal(count, TURNS);
	assert_int_equal(ns, hold_ns);
	/* The longest ones are those of the last. */
	assert_int_equal(profile->long_wait_count, 256);
	for (size_t i = 0; i < profile->long_wait_count; i++)
		assert_true(profile->long_wait[i].ns >= TURNS - 256);
	profile_free(profile);
	waits_close();
}

static void too_many_at_once(void **state)
{
	uint64_t begun = 0;

	begin(SMALL);
	for (int64_t i = 0; i < TURNS; i++) {
		wait_ref wait = waits_begin(i, 0, LOCKS_PARK, 1, 2000);

		if (wait)
			waits_held(wait, HOLDER_NONE, 0);
		begun += wait != 0;
	}
	assert_in_range(begun, 1, TURNS - 1);
	assert_int_equal(waits_state().lost, TURNS - begun);
	assert_int_equal(waits_cut(2001), begun - CUT);
	waits_close();
}

/* ---- at once ---- */

/* On their way to the writer: a slot a waiter. */
static _Atomic wait_ref placed[WAITERS], asked[WAITERS];
static _Atomic uint64_t begun, dropped;
static _Atomic int running;

static void *wait_again_and_again(void *own)
{
	int i = *(int *)own;

	for (int turn = 0; turn < TURNS; turn++) {
		wait_ref wait = waits_begin(i, 0, LOCKS_BLOCK, 1, 2000);
		struct wait_end end;

		atomic_fetch_add(&begun, 1);
		while (atomic_load(&asked[i]))
			sched_yield();
		waits_held(wait, HOLDER_ASKED, 9);
		atomic_store(&asked[i], wait);
		end = waits_end(i, 2001, false);
		/* It was forgotten. */
		if (!end.wait) {
			atomic_fetch_add(&dropped, 1);
			continue;
		}
		while (atomic_load(&placed[i]))
			sched_yield();
		atomic_store(&placed[i], end.wait);
	}
	atomic_fetch_sub(&running, 1);
	return NULL;
}

static void all_at_once(void **state)
{
	pthread_t thread[WAITERS];
	int own[WAITERS], turn = 0;
	bool left = true;

	begin(LARGE);
	atomic_store(&running, WAITERS);
	for (int i = 0; i < WAITERS; i++) {
		own[i] = i;
		pthread_create(&thread[i], NULL, wait_again_and_again, &own[i]);
	}
	while (left) {
		left = atomic_load(&running) > 0;
		for (int i = 0; i < WAITERS; i++) {
			wait_ref wait = atomic_exchange(&asked[i], 0);

			if (wait)
				waits_answered(wait, 30);
			wait = atomic_exchange(&placed[i], 0);
			if (wait)
				waits_placed(wait, 20);
		}
		if (++turn % 16 == 0)
			waits_cut(2001);
		sched_yield();
	}
	for (int i = 0; i < WAITERS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(waits_state().ended, begun - dropped);
	assert_int_equal(holds, begun - dropped);
	waits_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(either_end_comes_first),
		cmocka_unit_test(nothing_is_left_when_closed),
		cmocka_unit_test(without_a_holder),
		cmocka_unit_test(sums_of_idle_ones),
		cmocka_unit_test(dropped_and_cut),
		cmocka_unit_test(late_answers),
		cmocka_unit_test(under_way),
		cmocka_unit_test(cut_ones_stay),
		cmocka_unit_test(snapshots_close_the_longest),
		cmocka_unit_test(sums_stay_exact),
		cmocka_unit_test(too_many_at_once),
		cmocka_unit_test(all_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
