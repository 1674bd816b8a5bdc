/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Rows wait for a flush, stay until one has kept them, and are in the profile once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "agent/tracers/waiting_rows.h"
#include "native-tests/profile/fixture.h"

static void since(void *record, uint64_t began)
{
	((struct profile_safepoint *)record)->began -= (int64_t)began;
}

static struct waiting_rows rows = {.table = TABLE_SAFEPOINT,
	.size = sizeof(struct profile_safepoint),
	.text = {offsetof(struct profile_safepoint, operation)},
	.texts = 1,
	.since = since,
	.lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_WAITING}};

static bool add(uint32_t id, const char *operation)
{
	struct profile_safepoint row = {.id = id, .operation = operation, .began = 1000 + id};

	return waiting_rows_add(&rows, &row);
}

static void flush(struct profile_writer *profile, bool kept)
{
	struct error error = {0};

	assert_int_equal(profile_begin(profile, &error), 0);
	assert_int_equal(waiting_rows_put(&rows, profile, 1000, &error), 0);
	if (kept)
		assert_int_equal(profile_commit(profile, &error), 0);
	else
		profile_rollback(profile);
	waiting_rows_done(&rows, kept);
}

static void kept_once(void **state)
{
	struct profile_writer *profile;
	struct error error = {0};
	char name[] = "operation", answer[100];
	const char *path = fixture_path("waiting.jprof");

	assert_int_equal(
		profile_create(&profile, path, fixture_metrics, FIXTURE_METRICS, NULL, &error),
		0);
	assert_true(add(1, name));
	/* What was added is a copy. */
	name[0] = 'X';
	flush(profile, false);
	assert_true(add(2, NULL));
	flush(profile, false);
	flush(profile, true);
	assert_true(add(3, "third"));
	flush(profile, true);
	flush(profile, true);
	assert_int_equal(profile_close(profile, &error), 0);
	fixture_sql(path,
		"SELECT group_concat(id || ':' || coalesce(operation, '-') || ':' || began) "
		"FROM safepoint",
		answer, sizeof(answer));
	assert_string_equal(answer, "1:operation:1,2:-:2,3:third:3");
	waiting_rows_forget(&rows);
}

/* What no flush has kept counts, too. */
static void bounded_while_nothing_is_kept(void **state)
{
	struct profile_writer *profile;
	struct error error = {0};

	assert_int_equal(profile_create(&profile, fixture_path("unkept.jprof"), fixture_metrics,
				 FIXTURE_METRICS, NULL, &error),
		0);
	for (uint32_t i = 1; i <= WAITING_ROWS_MAX; i++) {
		assert_true(add(i, NULL));
		if (i % (WAITING_ROWS_MAX / 3) == 0)
			flush(profile, false);
	}
	assert_false(add(0, NULL));
	flush(profile, false);
	assert_false(add(0, NULL));
	flush(profile, true);
	assert_true(add(WAITING_ROWS_MAX + 1, NULL));
	assert_int_equal(waiting_rows_lost(&rows), 2);
	assert_int_equal(profile_close(profile, &error), 0);
	waiting_rows_forget(&rows);
}

static void bounded(void **state)
{
	for (uint32_t i = 0; i < WAITING_ROWS_MAX; i++)
		assert_true(add(i, "x"));
	assert_false(add(0, "x"));
	assert_false(add(0, NULL));
	assert_int_equal(waiting_rows_lost(&rows), 2);
	waiting_rows_forget(&rows);
	assert_int_equal(waiting_rows_lost(&rows), 0);
}

/* What a flush has not kept, on a full disk say, counts, too. */
static void bounded_without_flushes(void **state)
{
	struct profile_writer *profile;
	struct error error = {0};

	assert_int_equal(profile_create(&profile, fixture_path("full.jprof"), fixture_metrics,
				 FIXTURE_METRICS, NULL, &error),
		0);
	for (uint32_t i = 1; i <= WAITING_ROWS_MAX; i++)
		assert_true(add(i, "x"));
	flush(profile, false);
	assert_false(add(0, "x"));
	flush(profile, false);
	assert_false(add(0, "x"));
	assert_int_equal(waiting_rows_lost(&rows), 2);
	flush(profile, true);
	assert_true(add(0, "x"));
	waiting_rows_forget(&rows);
	assert_int_equal(profile_close(profile, &error), 0);
}

enum { MANY = 20000 };

static void *add_many(void *unused)
{
	for (uint32_t i = 1; i <= MANY; i++)
		add(i, "added");
	return NULL;
}

/* While one thread adds another one puts. */
static void at_once(void **state)
{
	struct profile_writer *profile;
	struct error error = {0};
	char answer[100], wanted[100];
	const char *path = fixture_path("at-once.jprof");
	pthread_t thread;

	assert_int_equal(
		profile_create(&profile, path, fixture_metrics, FIXTURE_METRICS, NULL, &error),
		0);
	assert_int_equal(pthread_create(&thread, NULL, add_many, NULL), 0);
	for (int i = 0; i < 20; i++)
		flush(profile, i % 3 != 0);
	pthread_join(thread, NULL);
	flush(profile, true);
	assert_int_equal(profile_close(profile, &error), 0);
	fixture_sql(path, "SELECT count(*) || ' ' || max(id) FROM safepoint", answer,
		sizeof(answer));
	snprintf(wanted, sizeof(wanted), "%d %d", MANY, MANY);
	assert_string_equal(answer, wanted);
	waiting_rows_forget(&rows);
}

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_once),
		cmocka_unit_test(bounded),
		cmocka_unit_test(bounded_without_flushes),
		cmocka_unit_test(bounded_while_nothing_is_kept),
		cmocka_unit_test(at_once),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}
