/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Records: what is put is what is read; replacing, dropping, rolling back; the views. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "fixture.h"

static struct profile *read_profile(const char *path)
{
	struct profile *profile = NULL;
	struct error error = {0};

	profile_open(&profile, path, &error);
	assert_string_equal(error.text, "");
	assert_non_null(profile);
	return profile;
}

static void close_writer(struct profile_writer *writer)
{
	struct error error = {0};

	profile_close(writer, &error);
	assert_string_equal(error.text, "");
}

static void round_trip(void **state)
{
	const char *path = fixture_path("round.jprof");
	uint64_t round;

	fixture_profile(path, 5, 700);
	struct profile *profile = read_profile(path);
	assert_true(fixture_is_whole(profile, 5, 700, &round));
	assert_int_equal(profile->thread_first[5], 3500);
	assert_int_equal(profile->metric_count, FIXTURE_METRICS);
	assert_string_equal(profile->metric[2].name, "odd \"name\"");
	assert_string_equal(profile->metric[1].unit, "ns");
	assert_string_equal(profile->metric[1].how, "clock_gettime");
	assert_int_equal(profile_metric_find(profile, "cpu"), 1);
	assert_int_equal(profile_metric_find(profile, "none"), -1);

	assert_int_equal(profile->method_count, 10);
	assert_null(profile->method[METHOD_ROOT].name);
	assert_string_equal(profile->method[METHOD_FOLDED].name, "(folded: memory)");
	assert_string_equal(profile->method[5].name, "m3");
	assert_string_equal(profile->method[5].class_name, "com.acme.Foo$Bar");
	assert_string_equal(profile->method[5].signature, "(I)I");
	assert_int_equal(profile->method[5].id, 5);
	assert_true(profile->method[5].is_native && !profile->method[5].is_static);
	assert_true(profile->method[6].is_static && !profile->method[6].is_native);

	const struct profile_thread *thread = &profile->thread[1];
	assert_int_equal(thread->id, 2);
	assert_int_equal(thread->java_id, 102);
	assert_int_equal(thread->os_id, 202);
	assert_string_equal(thread->name, "worker");
	assert_true(thread->is_virtual && !thread->alive);
	assert_int_equal(thread->folded, 2);
	assert_int_equal(thread->unwound, 10);
	assert_int_equal(thread->repaired, 11);
	assert_int_equal(thread->unmatched, 12);
	assert_int_equal(thread->lost, 13);
	assert_int_equal(thread->pruned, 14);
	assert_int_equal(thread->mounts, 100);
	assert_int_equal(thread->carrier_ns, (uint64_t)1 << 40);
	assert_int_equal(thread->waited_ns, 500);
	assert_int_equal(thread[-1].mounts + thread[-1].carrier_ns, 0);
	assert_int_equal(thread->started, 15);
	assert_int_equal(thread->ended, 16);
	assert_int_equal(thread->total[1], 18);
	assert_int_equal(profile->thread[0].ended, 0);
	profile_free(profile);
}

static void no_metrics_no_rows(void **state)
{
	const char *path = fixture_path("none.jprof");
	struct profile_writer *writer;
	struct error error = {0};

	assert_int_equal(profile_create(&writer, path, NULL, 0, NULL, &error), 0);
	close_writer(writer);
	struct profile *profile = read_profile(path);
	assert_int_equal(profile->metric_count, 0);
	assert_int_equal(profile->node_count, 0);
	assert_int_equal(profile->thread_first[0], 0);
	assert_int_equal(profile->method_count, 2);
	profile_free(profile);

	struct profile_metric many[PROFILE_METRIC_MAX + 1] = {0};
	assert_int_equal(
		profile_create(&writer, path, many, PROFILE_METRIC_MAX + 1, NULL, &error),
		-ERROR_VALUE);
	assert_null(writer);
}

static void meta(void **state)
{
	const char *path = fixture_path("meta.jprof");
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct error error = {0};

	assert_int_equal(profile_begin(writer, &error), 0);
	assert_int_equal(profile_put_meta(writer, "jvm", "17", &error), 0);
	assert_int_equal(profile_put_meta(writer, "jvm", "25 \xc3\xa9 \xff", &error), 0);
	assert_int_equal(profile_put_meta(writer, "empty", "", &error), 0);
	assert_int_equal(profile_commit(writer, &error), 0);
	close_writer(writer);
	struct profile *profile = read_profile(path);
	assert_int_equal(profile->meta_count, 2);
	/* Texts that are not UTF-8 are made so. */
	assert_string_equal(profile_meta_get(profile, "jvm"), "25 \xc3\xa9 ?");
	assert_string_equal(profile_meta_get(profile, "empty"), "");
	assert_null(profile_meta_get(profile, "none"));
	profile_free(profile);
}

static void replace(void **state)
{
	const char *path = fixture_path("replace.jprof");
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct error error = {0};
	uint64_t round;

	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(fixture_fill(writer, 3, 100, i, &error), 0);
	close_writer(writer);
	struct profile *profile = read_profile(path);
	assert_true(fixture_is_whole(profile, 3, 100, &round));
	assert_int_equal(round, 3);
	profile_free(profile);
}

static void drop(void **state)
{
	const char *path = fixture_path("drop.jprof");
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct error error = {0};

	assert_int_equal(fixture_fill(writer, 4, 50, 0, &error), 0);
	assert_int_equal(profile_begin(writer, &error), 0);
	assert_int_equal(profile_drop_node(writer, 2, 49, &error), 0);
	assert_int_equal(profile_drop_thread(writer, 3, &error), 0);
	assert_int_equal(profile_commit(writer, &error), 0);
	close_writer(writer);
	struct profile *profile = read_profile(path);
	assert_int_equal(profile->thread_count, 3);
	assert_int_equal(profile->node_count, 149);
	assert_int_equal(profile->thread[1].id, 2);
	assert_int_equal(profile->thread[2].id, 4);
	assert_int_equal(profile->thread_first[1], 50);
	assert_int_equal(profile->thread_first[2], 99);
	assert_int_equal(profile->thread_first[3], 149);
	assert_int_equal(profile->node[99].thread, 2);
	profile_free(profile);
}

static void roll_back(void **state)
{
	const char *path = fixture_path("rollback.jprof");
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct error error = {0};
	uint64_t round;

	assert_int_equal(fixture_fill(writer, 1, 10, 0, &error), 0);
	assert_int_equal(profile_begin(writer, &error), 0);
	assert_int_equal(profile_drop_thread(writer, 1, &error), 0);
	profile_rollback(writer);
	profile_rollback(writer);
	/* Outside a transaction nothing is put. */
	assert_int_equal(profile_put_meta(writer, "a", "b", &error), -ERROR_IO);
	error = (struct error){0};
	assert_int_equal(profile_commit(writer, &error), -ERROR_IO);
	/* An open one is undone by closing. */
	error = (struct error){0};
	assert_int_equal(profile_begin(writer, &error), 0);
	assert_int_equal(profile_drop_node(writer, 1, 1, &error), 0);
	close_writer(writer);
	struct profile *profile = read_profile(path);
	assert_true(fixture_is_whole(profile, 1, 10, &round));
	assert_int_equal(profile->meta_count, 0);
	profile_free(profile);
}

/* A method that only nodes mention is not an error: its row may come with the next flush.
 */
static void method_gap(void **state)
{
	const char *path = fixture_path("gap.jprof");

	fixture_profile(path, 1, 20);
	fixture_sql(path, "DELETE FROM method WHERE id = 4", NULL, 0);
	struct profile *profile = read_profile(path);
	assert_string_equal(profile->method[4].name, "(unknown method)");
	assert_null(profile->method[4].class_name);
	assert_int_equal(profile->method[4].id, 4);
	profile_free(profile);
}

/* Numbers use all 64 bits. */
static void large_numbers(void **state)
{
	const char *path = fixture_path("large.jprof");
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct error error = {0};
	uint64_t base[FIXTURE_METRICS] = {UINT64_MAX, INT64_MAX, (uint64_t)1 << 63};
	struct profile_thread thread = {.id = INT32_MAX, .name = "t", .folded = 1};
	struct profile_node node = {.thread = INT32_MAX, .calls = UINT64_MAX, .base = base};

	assert_int_equal(profile_begin(writer, &error), 0);
	assert_int_equal(profile_put(writer, &thread, &error), 0);
	assert_int_equal(profile_put(writer, &node, &error), 0);
	assert_int_equal(profile_commit(writer, &error), 0);
	close_writer(writer);
	struct profile *profile = read_profile(path);
	assert_int_equal(profile->thread[0].id, INT32_MAX);
	assert_true(profile->node[0].calls == UINT64_MAX);
	assert_memory_equal(profile->node[0].base, base, sizeof base);
	profile_free(profile);
}

/* Each code once; what is put again replaces it. */
static void sequences(void **state)
{
	const char *path = fixture_path("sequences.jprof");
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct error error = {0};
	uint64_t sum[FIXTURE_METRICS] = {10, 20, 30}, min[FIXTURE_METRICS] = {1, 2, 0};
	struct profile_sequence row = {.code = 2055,
		.second = "outside",
		.end = "unwind",
		.count = 1,
		.sum = sum,
		.min = min};
	char answer[64];

	assert_int_equal(profile_begin(writer, &error), 0);
	assert_int_equal(profile_put(writer, &row, &error), 0);
	row = (struct profile_sequence){.code = 695,
		.first = "jitted static",
		.begin = "entry",
		.second = "jitted static",
		.end = "exit",
		.third = "jitted",
		.sum = sum,
		.min = min};
	for (row.count = 6; row.count < 8; row.count++)
		assert_int_equal(profile_put(writer, &row, &error), 0);
	assert_int_equal(profile_commit(writer, &error), 0);
	close_writer(writer);

	struct profile *profile = read_profile(path);
	assert_int_equal(profile->sequence_count, 2);
	assert_int_equal(profile->sequence[0].code, 695);
	assert_int_equal(profile->sequence[0].count, 7);
	assert_memory_equal(profile->sequence[1].sum, sum, sizeof sum);
	assert_memory_equal(profile->sequence[1].min, min, sizeof min);
	profile_free(profile);
	fixture_sql(path,
		"SELECT first || begin || second || end || third || count || sum_2 || min_1"
		" FROM sequence WHERE first NOT NULL",
		answer, sizeof answer);
	assert_string_equal(answer, "jitted staticentryjitted staticexitjitted7302");
	fixture_sql(path, "SELECT id FROM sequence WHERE first IS NULL AND third IS NULL",
		answer, sizeof answer);
	assert_string_equal(answer, "2055");
}

static void views(void **state)
{
	const char *path = fixture_path("views.jprof");
	/* Answers of the views over 2 threads of 7 nodes. Thread t's node i has
	 * wall = t * 2^32 + 1000 i. */
	static const struct {
		int line;
		const char *sql, *answer;
	} rows[] = {
		{__LINE__, "SELECT count(*) FROM threads", "2"},
		{__LINE__, "SELECT \"odd \"\"name\"\"\" FROM threads WHERE id = 2", "0"},
		{__LINE__, "SELECT mounts - carrier_ns FROM threads WHERE id = 2",
			"-1099511627676"},
		{__LINE__, "SELECT count(*) FROM methods", "7"},
		{__LINE__, "SELECT wall FROM methods WHERE method = 'm1'", "12884903888"},
		{__LINE__, "SELECT sum(wall) FROM methods WHERE class IS NULL", "12884901888"},
		{__LINE__, "SELECT sum(calls) = (SELECT sum(calls) FROM node) FROM methods",
			"1"},
		{__LINE__, "SELECT group_concat(id & 15) FROM tree",
			"0,1,3,4,2,5,6,0,1,3,4,2,5,6"},
		{__LINE__, "SELECT group_concat(level) FROM tree",
			"0,1,2,2,1,2,2,0,1,2,2,1,2,2"},
		{__LINE__, "SELECT cpu FROM tree WHERE id = 4294967299", "8589940592"},
		{__LINE__, "PRAGMA integrity_check", "ok"},
		{__LINE__, "PRAGMA journal_mode", "delete"},
	};
	char answer[256];

	fixture_profile(path, 2, 7);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		fixture_sql(path, rows[i].sql, answer, sizeof answer);
		if (strcmp(answer, rows[i].answer) != 0)
			fail_msg("row of line %d: %s", rows[i].line, answer);
	}
}

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(no_metrics_no_rows),
		cmocka_unit_test(meta),
		cmocka_unit_test(replace),
		cmocka_unit_test(drop),
		cmocka_unit_test(roll_back),
		cmocka_unit_test(method_gap),
		cmocka_unit_test(large_numbers),
		cmocka_unit_test(sequences),
		cmocka_unit_test(views),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}
