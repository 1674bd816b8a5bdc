/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Metrics that come to a file later: what was there has 0 of them, what is put from then on all, also in snapshots and slices; and
 * whoever is killed meanwhile leaves the one or the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "profile/schema.h"

enum { THREADS = 3, NODES = 50, KILLS = 24, SECOND = 1000000000 };

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

/* As a flush at that second. */
static void fill(struct profile_writer *writer, uint64_t round, const char *snapshot)
{
	const struct profile_snapshot row = {.id = (uint32_t)round,
		.label = snapshot,
		.at = round * SECOND,
		.kind = SNAPSHOT_NAMED};
	struct error error = {0};

	profile_begin(writer, &error);
	profile_begin_slice(writer, round * SECOND, &error);
	fixture_put(writer, THREADS, NODES, round, &error);
	for (uint32_t code = 0; code < 3; code++) {
		uint64_t sum[FIXTURE_METRICS] = {round, 2 * round, 3 * round};
		uint64_t min[FIXTURE_METRICS] = {1, 2, 3};
		const struct profile_sequence sequence = {
			.code = code, .count = round, .sum = sum, .min = min};

		profile_put(writer, &sequence, &error);
	}
	profile_end_slice(writer, &error);
	if (snapshot)
		profile_put_snapshot(writer, &row, &error);
	profile_commit(writer, &error);
	assert_string_equal(error.text, "");
}

static void widen(struct profile_writer *writer, unsigned metrics)
{
	struct error error = {0};

	profile_widen(writer, fixture_metrics, metrics, &error);
	assert_string_equal(error.text, "");
}

static struct profile *open_interval(const char *path, const char *interval)
{
	const struct profile_wanted wanted = {.interval = interval};
	struct profile *profile = NULL;
	struct error error = {0};

	profile_open_wanted(&profile, path, &wanted, &error);
	assert_string_equal(error.text, "");
	return profile;
}

/* A round with as many of the metrics as there were; of others 0. Round 0: nothing at all. */
struct put {
	uint64_t round;
	unsigned metrics;
};

static void add_put(uint64_t *figure, const uint64_t *values, struct put put, bool sign)
{
	for (unsigned m = 0; m < put.metrics && put.round > 0; m++)
		figure[m] += sign ? values[m] : -values[m];
}

/* What each node has of each metric is what was put in the one round, less what was in the other. */
static void check_nodes(const struct profile *profile, struct put to, struct put from)
{
	assert_int_equal(profile->node_count, THREADS * NODES);
	for (uint32_t t = 0; t < THREADS; t++)
		for (uint32_t i = 0; i < NODES; i++) {
			const struct profile_node *node = &profile->node[t * NODES + i];
			uint64_t base[FIXTURE_METRICS] = {0}, spent[FIXTURE_METRICS] = {0};
			struct profile_node put = fixture_node(t + 1, i, to.round);

			add_put(base, put.base, to, true);
			add_put(spent, put.spent, to, true);
			put = fixture_node(t + 1, i, from.round);
			add_put(base, put.base, from, false);
			add_put(spent, put.spent, from, false);
			for (unsigned m = 0; m < profile->metric_count; m++) {
				assert_int_equal(node->base[m], base[m]);
				assert_int_equal(node->spent[m], spent[m]);
			}
		}
}

static const struct put nothing;

static void check_sql(const char *path, const char *sql, const char *expected)
{
	char answer[512];

	fixture_sql(path, sql, answer, sizeof(answer));
	assert_string_equal(answer, expected);
}

static void check_steps(const unsigned *metrics, unsigned steps)
{
	const char *path = fixture_path("steps.jprof");
	struct profile_writer *writer = fixture_create(path, metrics[0]);
	struct error error = {0};
	struct profile *profile;
	uint64_t round = 1;
	char label[16];

	profile_keep_slices(writer, SECOND, &error);
	for (unsigned s = 0; s < steps; s++) {
		if (s > 0)
			widen(writer, metrics[s]);
		/* As it was when it was narrower. */
		profile = open_interval(path, NULL);
		assert_int_equal(profile->metric_count, metrics[s]);
		for (size_t i = 0; i < profile->node_count; i++)
			for (unsigned m = s > 0 ? metrics[s - 1] : 0; m < metrics[s]; m++)
				assert_int_equal(
					profile->node[i].base[m] + profile->node[i].spent[m],
					0);
		profile_free(profile);
		snprintf(label, sizeof(label), "s%u", s);
		fill(writer, round, label);
		fill(writer, round + 1, NULL);
		profile = open_interval(path, NULL);
		check_nodes(profile, (struct put){round + 1, metrics[s]}, nothing);
		for (uint32_t c = 0; c < profile->sequence_count; c++)
			for (unsigned m = 0; m < metrics[s]; m++) {
				assert_int_equal(
					profile->sequence[c].sum[m], (m + 1) * (round + 1));
				assert_int_equal(profile->sequence[c].min[m], m + 1);
			}
		profile_free(profile);
		round += 2;
	}
	profile_close(writer, &error);
	assert_string_equal(error.text, "");
	check_sql(path, "PRAGMA integrity_check", "ok");
	for (unsigned s = 0; s < steps; s++) {
		char interval[16];

		snprintf(interval, sizeof(interval), "s%u..", s);
		profile = open_interval(path, interval);
		check_nodes(profile, (struct put){round - 1, metrics[steps - 1]},
			(struct put){2 * s + 1, metrics[s]});
		profile_free(profile);
	}
	check_sql(path,
		"SELECT count(*) FROM slice_node WHERE base_0 IS NULL OR spent_2 IS NULL", "0");
	/* All slices together have what the nodes have. */
	check_sql(path,
		"SELECT (SELECT sum(base_2) FROM node) = (SELECT sum(base_2) FROM slice_node) "
		"AND "
		"(SELECT sum(spent_0) FROM node) = (SELECT sum(spent_0) FROM slice_node)",
		"1");
	/* Nothing of a metric is in a slice of before. */
	check_sql(path,
		"SELECT count(*) FROM slice_node JOIN slice ON slice.id = slice "
		"WHERE ended <= 2000000000 AND base_2 <> 0",
		"0");
	check_sql(path, "SELECT sum(\"odd \"\"name\"\"\") > 0 FROM methods", "1");
	check_sql(path, "SELECT max(\"cpu\") FROM threads", "18");
	check_sql(path, "SELECT group_concat(name) FROM metric", "wall,cpu,odd \"name\"");
	unlink(path);
}

static void test_columns(void **state)
{
	for (int i = 0; i < TABLE_COUNT; i++)
		assert_in_range(schema_columns(&schema_tables[i], PROFILE_METRIC_MAX), 1,
			SCHEMA_COLUMNS_MOST);
}

static void test_steps(void **state)
{
	check_steps((unsigned[]){1, 3}, 2);
	check_steps((unsigned[]){1, 2, 3}, 3);
	check_steps((unsigned[]){2, 3}, 2);
}

/* A reader is in the way for long: the file stays as it was, and so does what is put. */
static void test_busy(void **state)
{
	const char *path = fixture_path("busy.jprof");
	struct profile_writer *writer = fixture_create(path, 2);
	struct error error = {0};
	struct profile *profile;
	sqlite3 *db;

	profile_keep_slices(writer, SECOND, &error);
	fill(writer, 1, "a");
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT count(*) FROM node", NULL, NULL, NULL),
		SQLITE_OK);
	assert_true(profile_widen(writer, fixture_metrics, 3, &error) < 0);
	assert_non_null(strstr(error.text, path));
	sqlite3_close(db);
	fill(writer, 2, "b");
	profile = open_interval(path, NULL);
	assert_int_equal(profile->metric_count, 2);
	check_nodes(profile, (struct put){2, 2}, nothing);
	profile_free(profile);
	widen(writer, 3);
	fill(writer, 3, NULL);
	profile = open_interval(path, NULL);
	check_nodes(profile, (struct put){3, 3}, nothing);
	profile_free(profile);
	memset(&error, 0, sizeof(error));
	profile_close(writer, &error);
	assert_string_equal(error.text, "");
}

/* In the middle of it nothing can be done: a table is in the way. All is as it was. */
static void test_failure(void **state)
{
	const char *path = fixture_path("failure.jprof");
	struct profile_writer *writer = fixture_create(path, 2);
	struct error error = {0};
	struct profile *profile;

	fill(writer, 1, "a");
	fixture_sql(path, "ALTER TABLE snapshot_sequence ADD COLUMN min_2", NULL, 0);
	assert_true(profile_widen(writer, fixture_metrics, 3, &error) < 0);
	fixture_sql(path, "ALTER TABLE snapshot_sequence DROP COLUMN min_2", NULL, 0);
	fill(writer, 2, "b");
	widen(writer, 3);
	fill(writer, 3, "c");
	profile = open_interval(path, "b..c");
	check_nodes(profile, (struct put){3, 3}, (struct put){2, 2});
	profile_free(profile);
	memset(&error, 0, sizeof(error));
	profile_close(writer, &error);
	assert_string_equal(error.text, "");
}

/* ---- killed ---- */

/* Rounds that are in the file for certain; shared with the writing child. */
static volatile uint64_t *committed;

static void write_and_widen(const char *path)
{
	struct profile_writer *writer = fixture_create(path, 1);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (uint64_t round = 1;; round++) {
		char label[16];

		snprintf(label, sizeof(label), "r%lu", (unsigned long)round);
		fill(writer, round, round < 6 ? label : NULL);
		*committed = round;
		if (round < 3)
			widen(writer, (unsigned)round + 1);
	}
}

static void test_killed(void **state)
{
	unsigned seed = (unsigned)time(NULL), widths[FIXTURE_METRICS + 1] = {0};

	print_message("seed %u\n", seed);
	srandom(seed);
	committed = mmap(NULL, sizeof *committed, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < KILLS; i++) {
		const struct timespec pause = {0, random() % 3000000};
		const char *path = fixture_path("killed.jprof");
		struct profile *profile;
		uint64_t round;
		unsigned put;
		pid_t child;

		unlink(path);
		*committed = 0;
		fflush(NULL);
		child = fork();
		if (child == 0)
			write_and_widen(path);
		while (*committed < (uint64_t)i % 3 + 1)
			;
		nanosleep(&pause, NULL);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		profile = open_interval(path, NULL);
		round = profile->thread[0].events;
		put = round < FIXTURE_METRICS ? (unsigned)round : FIXTURE_METRICS;
		assert_true(round >= *committed);
		assert_in_range(profile->metric_count, put, put + 1);
		check_nodes(profile, (struct put){round, put}, nothing);
		widths[profile->metric_count]++;
		profile_free(profile);
		check_sql(path, "PRAGMA integrity_check", "ok");
	}
	print_message("%u narrow, %u between, %u wide\n", widths[1], widths[2], widths[3]);
	assert_true(widths[3] > 0 && widths[3] < KILLS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_failure),
		cmocka_unit_test(test_killed),
	};
	return cmocka_run_group_tests(tests, NULL, clean);
}
