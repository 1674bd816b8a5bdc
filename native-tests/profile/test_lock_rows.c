/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Who waited for whom, and what threads did, of intervals: between snapshots and between times. Waits that were under way at
 * an interval's end; the longest of an interval; threads that did nothing but wait.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#define MS     UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

enum { WAITER = 1, HOLDER, PARTS = 3 };

/* By second: how often, how long, timed out; the longest so far and its begin; what a thread had run. */
static const struct {
	uint64_t count, ns, failures, longest, began, seen, ran;
} parts[PARTS] = {
	{10, 300 * MS, 1, 100 * MS, 500 * MS, 900 * MS, 400 * MS},
	/* The longest before is longer. */
	{4, 60 * MS, 0, 100 * MS, 500 * MS, 1000 * MS, 0},
	{1, 950 * MS, 1, 950 * MS, 2040 * MS, 1000 * MS, 1000 * MS},
};

static void put_part(struct profile_writer *writer, unsigned part, struct error *error)
{
	uint64_t total[PROFILE_METRIC_MAX] = {0};
	struct profile_contention row = {.id = 1,
		.node = profile_node_id(WAITER, 0),
		.holder = profile_node_id(HOLDER, 0),
		.lock = 7,
		.kind = LOCKS_PARK,
		.longest = parts[part].longest,
		.began = parts[part].began};
	struct profile_contention once = {.id = 2, .kind = LOCKS_BLOCK, .count = 1, .ns = 5};
	struct profile_thread_state ran = {
		.id = 1, .os_id = 11, .name = "main", .from = 50 * MS};

	for (uint32_t t = WAITER; t <= HOLDER; t++) {
		const struct profile_thread thread = {
			.id = t, .name = t == WAITER ? "waiter" : "holder", .folded = 1};
		const struct profile_node root = {
			.thread = t, .method = METHOD_ROOT, .base = total, .spent = total};

		profile_put(writer, &thread, error);
		profile_put(writer, &root, error);
	}
	for (unsigned i = 0; i <= part; i++) {
		row.count += parts[i].count;
		row.ns += parts[i].ns;
		row.failures += parts[i].failures;
		ran.ns += parts[i].seen;
		ran.running += parts[i].ran;
		ran.voluntary += i + 1;
	}
	ran.to = (part + 1) * SECOND;
	profile_put(writer, &((struct profile_lock){7, "acme.Lock", 7}), error);
	profile_put(writer, &row, error);
	profile_put(writer, &ran, error);
	if (part == 0)
		profile_put(writer, &once, error);
	if (part == 0)
		profile_put(writer,
			&((struct profile_thread_state){
				.id = 2, .os_id = 12, .name = "short", .ns = 5, .ended = true}),
			error);
}

static void put_wait(struct profile_writer *writer, uint32_t id, uint64_t begin, uint64_t ns,
	struct error *error)
{
	profile_put(writer,
		&((struct profile_wait){.id = id,
			.contention = 1,
			.begin = begin,
			.ns = ns,
			.node = profile_node_id(WAITER, 0),
			.holder = profile_node_id(HOLDER, 0),
			.lock = 7,
			.kind = LOCKS_PARK}),
		error);
}

/* Three seconds: snapshots a and b at the ends of the first two; a wait from 1.9 s to 2.1 s, and one that is under way since
 * 1.5 s. */
static void make(const char *path, bool slices)
{
	struct error error = {0};
	struct profile_writer *writer;
	struct profile_snapshot snapshot = {.id = 1, .label = "a"};
	struct profile_wait hangs = {.id = 1,
		.begin = 1500 * MS,
		.ns = 1500 * MS,
		.node = profile_node_id(HOLDER, 0),
		.kind = LOCKS_BLOCK};

	profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error);
	if (slices)
		assert_int_equal(profile_keep_slices(writer, SECOND, &error), 0);
	for (unsigned part = 0; part < PARTS; part++) {
		profile_begin(writer, &error);
		profile_begin_slice(writer, (part + 1) * SECOND, &error);
		put_part(writer, part, &error);
		if (part == 0)
			put_wait(writer, 1, 500 * MS, 100 * MS, &error);
		if (part == 1)
			put_wait(writer, 2, 1100 * MS, 30 * MS, &error);
		if (part == 2) {
			put_wait(writer, 3, 1900 * MS, 200 * MS, &error);
			profile_put_row(writer, TABLE_UNFINISHED_WAIT, &hangs, &error);
		}
		profile_end_slice(writer, &error);
		snapshot.at = (part + 1) * SECOND;
		if (part < 2)
			profile_put_snapshot(writer, &snapshot, &error);
		snapshot.id++;
		snapshot.label = "b";
		assert_int_equal(profile_commit(writer, &error), 0);
	}
	assert_int_equal(profile_close(writer, &error), 0);
	assert_string_equal(error.text, "");
}

static struct profile *open(const char *path, const char *interval)
{
	const struct profile_wanted wanted = {.interval = interval, .thread_states = true};
	struct error error = {0};
	struct profile *profile;

	profile_open_wanted(&profile, path, &wanted, &error);
	assert_string_equal(error.text, "");
	assert_int_equal(profile->interval.clamped, 0);
	return profile;
}

/* What there is in the parts first to last. */
static void check_sums(const struct profile *profile, unsigned first, unsigned last)
{
	const struct profile_contention *row = profile->contention;
	const struct profile_thread_state *state = profile->thread_state;
	uint64_t count = 0, ns = 0, failures = 0, seen = 0, ran = 0, left = 0;

	for (unsigned i = first; i <= last; i++) {
		count += parts[i].count;
		ns += parts[i].ns;
		failures += parts[i].failures;
		seen += parts[i].seen;
		ran += parts[i].ran;
		left += i + 1;
	}
	assert_int_equal(profile->contention_count, first == 0 ? 2 : 1);
	assert_int_equal(row->count, count);
	assert_int_equal(row->ns, ns);
	assert_int_equal(row->failures, failures);
	assert_int_equal(row->thread, WAITER);
	assert_int_equal(row->holder_thread, HOLDER);
	assert_int_equal(profile->thread_state_count, first == 0 ? 2 : 1);
	assert_int_equal(state->ns, seen);
	assert_int_equal(state->running, ran);
	assert_int_equal(state->voluntary, left);
	assert_int_equal(state->from, first == 0 ? 50 * MS : first * SECOND);
	assert_int_equal(state->to, (last + 1) * SECOND);
	/* Whoever waits or is waited for has a name. */
	assert_int_equal(profile->thread_count, 2);
	assert_string_equal(profile->thread[0].name, "waiter");
}

static void check(const char *path, const char *interval, unsigned first, unsigned last,
	uint64_t longest, unsigned waits, unsigned unfinished, uint64_t hung)
{
	struct profile *profile = open(path, interval);

	check_sums(profile, first, last);
	assert_int_equal(profile->contention[0].longest, longest);
	assert_int_equal(profile->long_wait_count, waits);
	assert_int_equal(profile->unfinished_wait_count, unfinished);
	if (unfinished > 0) {
		assert_int_equal(profile->unfinished_wait[0].thread, HOLDER);
		assert_int_equal(profile->unfinished_wait[0].begin, 1500 * MS);
		assert_int_equal(profile->unfinished_wait[0].ns, hung);
	}
	if (unfinished > 1) {
		assert_int_equal(profile->unfinished_wait[1].begin, 1900 * MS);
		assert_int_equal(profile->unfinished_wait[1].ns, 100 * MS);
	}
	profile_free(profile);
}

static void between_snapshots(void **state)
{
	char *path = fixture_path("snapshots.jprof");

	make(path, false);
	check(path, "..", 0, 2, 950 * MS, 3, 1, 1500 * MS);
	check(path, "..a", 0, 0, 100 * MS, 1, 0, 0);
	/* The row's longest was before: the longest that is known by itself. */
	check(path, "a..b", 1, 1, 30 * MS, 1, 2, 500 * MS);
	check(path, "..b", 0, 1, 100 * MS, 2, 2, 500 * MS);
	check(path, "b..", 2, 2, 950 * MS, 1, 1, 1500 * MS);
	check(path, "a..", 1, 2, 950 * MS, 2, 1, 1500 * MS);
}

static void between_times(void **state)
{
	char *path = fixture_path("slices.jprof");

	make(path, true);
	check(path, "@0s..@3s", 0, 2, 950 * MS, 3, 1, 1500 * MS);
	check(path, "..@1s", 0, 0, 100 * MS, 1, 0, 0);
	check(path, "@1s..@2s", 1, 1, 30 * MS, 1, 2, 500 * MS);
	check(path, "@2s..", 2, 2, 950 * MS, 1, 1, 1500 * MS);
	check(path, "a..b", 1, 1, 30 * MS, 1, 2, 500 * MS);
}

/* What is unfinished is of the last transaction alone. */
static void unfinished_ones_go(void **state)
{
	char *path = fixture_path("gone.jprof");
	struct error error = {0};
	struct profile_writer *writer;
	struct profile *profile;

	profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error);
	for (uint32_t round = 0; round < 2; round++) {
		profile_begin(writer, &error);
		assert_int_equal(profile_drop_unfinished(writer, &error), 0);
		for (uint32_t id = 1; id <= 3 - round; id++)
			profile_put_row(writer, TABLE_UNFINISHED_WAIT,
				&((struct profile_wait){.id = id, .kind = LOCKS_PARK}), &error);
		profile_commit(writer, &error);
	}
	assert_true(profile_drop_unfinished(writer, &error) < 0);
	profile_close(writer, &error);
	profile = open(path, NULL);
	assert_int_equal(profile->unfinished_wait_count, 2);
	profile_free(profile);
}

static void damaged(void **state)
{
	char *path = fixture_path("damaged.jprof");
	struct error error = {0};
	struct profile *profile;

	make(path, false);
	fixture_sql(path, "UPDATE unfinished_wait SET ns = -1", NULL, 0);
	assert_int_equal(profile_open(&profile, path, &error), -ERROR_FORMAT);
	assert_non_null(strstr(error.text, "wait 1 is impossible"));
	/* Counts that become less are none. */
	make(path, false);
	fixture_sql(path, "UPDATE contention SET count = 0, ns = 0", NULL, 0);
	profile_open_wanted(&profile, path,
		&(struct profile_wanted){.interval = "b..", .thread_states = true}, &error);
	assert_int_equal(profile->contention_count, 0);
	assert_true(profile->interval.clamped > 0);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_snapshots),
		cmocka_unit_test(between_times),
		cmocka_unit_test(unfinished_ones_go),
		cmocka_unit_test(damaged),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	fixture_clean();
	return failed;
}
