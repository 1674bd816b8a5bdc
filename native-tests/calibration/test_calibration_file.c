/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Calibrations as texts and files: what is read, what is refused and how it is called; the cache. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calibration/cache.h"
#include "calibration/calibration_file.h"
#include "calibration/own_folder.h"
#include "native-tests/calibration/fixture.h"
#include "native-tests/test_folder.h"

static char folder[PATH_MAX];

static struct calibration *parse(const char *text)
{
	struct calibration *calibration;
	struct error error = {0};

	if (calibration_parse(&calibration, text, strlen(text), "x", &error) != 0)
		fail_msg("%s", error.text);
	return calibration;
}

static void everything_is_read(void **state)
{
	struct calibration *calibration = parse(fixture_text);
	const struct calibration_row *row = calibration_row(calibration,
		fixture_code("jitted", "entry", "jitted static", "exit", "jitted"));
	const struct calibration_row *unwind = calibration_row(
		calibration, fixture_code(NULL, NULL, "jitted", "unwind", NULL));

	assert_string_equal(calibration->made, "2026-11-21T20:00:00Z");
	assert_true(calibration->seconds == 12.5);
	assert_string_equal(calibration->identity.field[IDENTITY_JVM], "OpenJDK 25");
	assert_string_equal(calibration->identity.field[IDENTITY_AGENT], "abcdef");
	assert_string_equal(calibration->identity.field[IDENTITY_METRICS], "wall+alloc");
	assert_int_equal(calibration->metric_count, 2);
	assert_string_equal(calibration->metric[0].unit, "ns");
	assert_true(calibration->metric[0].relative == 0.01);
	assert_true(calibration->metric[0].interpreted == 0.125);
	assert_true(calibration->metric[1].interpreted == 0);
	assert_int_equal(calibration->row_count, 2);
	assert_int_equal(row->count, 200000);
	assert_memory_equal(&row->cost[0],
		&((struct calibration_cost){17.25, 10, 1.125, 15, 9, 21, 2, 11, 0.5}),
		sizeof(row->cost[0]));
	assert_int_equal(unwind->count, 7);
	assert_memory_equal(&unwind->cost[1],
		&((struct calibration_cost){1, 2, 3, 4, 4, 4, 4, 4, 6}), sizeof(row->cost[0]));
	calibration_destroy(calibration);
}

/* What is written is read as the same. */
static void texts_come_back(void **state)
{
	struct calibration *one = parse(fixture_text);
	char *text = calibration_text(one), *again;
	struct calibration *two;

	assert_non_null(text);
	two = parse(text);
	again = calibration_text(two);
	assert_string_equal(text, again);
	assert_int_equal(one->row_count, two->row_count);
	assert_memory_equal(one->row, two->row, one->row_count * sizeof(*one->row));
	assert_memory_equal(&one->identity, &two->identity, sizeof(one->identity));
	assert_int_equal(one->metric[0].tree_count, 2);
	assert_memory_equal(one->metric, two->metric, 2 * sizeof(*one->metric));
	free(text);
	free(again);
	calibration_destroy(one);
	calibration_destroy(two);
}

/* One thing is changed, and called by its name. */
static void the_impossible_is_named(void **state)
{
	static const struct {
		int line;
		const char *what, *instead, *text;
	} rows[] = {
		{__LINE__, "\"low\": 9", "\"low\": 22",
			"sequences[0].metrics.wall.low is above high"},
		{__LINE__, "\"low\": 9", "\"low\": 16",
			"sequences[0].metrics.wall.cost is below low"},
		{__LINE__, "\"high\": 21", "\"high\": 14",
			"sequences[0].metrics.wall.cost is above high"},
		{__LINE__, "\"work_low\": 2", "\"work_low\": 12",
			"sequences[0].metrics.wall.work_low is above work_high"},
		{__LINE__, "\"work_low\": 2,", "",
			"sequences[0].metrics.wall.work_low is missing"},
		{__LINE__, "\"spread\": 3", "\"spread\": -3",
			"sequences[1].metrics.wall.spread is negative"},
		{__LINE__, "\"spread\": 0.5", "\"spread\": 1.1e9",
			"sequences[0].metrics.wall.spread is beyond 1e9"},
		{__LINE__, "\"minimum\": 10", "\"minimum\": -2000000000",
			"sequences[0].metrics.wall.minimum is beyond 1e9"},
		{__LINE__, "\"observed\": 900", "\"observed\": \"900\"",
			"sequences[1].metrics.wall.observed is no number"},
		{__LINE__, "\"cost\": 801,", "", "sequences[1].metrics.wall.cost is missing"},
		{__LINE__, "\"count\": 7", "\"count\": -7", "sequences[1].count is negative"},
		{__LINE__, "\"count\": 7", "\"count\": 7.5",
			"sequences[1].count is no whole number"},
		{__LINE__, "\"count\": 7,", "", "sequences[1].count is missing"},
		{__LINE__, "\"relative\": 0.01", "\"relative\": 1.5",
			"metrics[0].relative is not within 0 and 1"},
		{__LINE__, "\"relative\": 0.01", "\"relative\": -0.1",
			"metrics[0].relative is not within 0 and 1"},
		{__LINE__, "\"interpreted\": 0.125", "\"interpreted\": 2",
			"metrics[0].interpreted is not within 0 and 1"},
		{__LINE__, "\"interpreted\": 0.125", "\"interpreted\": \"x\"",
			"metrics[0].interpreted is no number"},
		{__LINE__, ", \"reach\": 0.25", "", "metrics[0].reach is missing"},
		{__LINE__, "\"reach\": 0.25", "\"reach\": 1.01",
			"metrics[0].reach is not within 0 and 1"},
		{__LINE__, "\"reach\": 0.25", "\"reach\": -0.25",
			"metrics[0].reach is not within 0 and 1"},
		{__LINE__, ", \"trees\": []", "", "metrics[1].trees is missing"},
		{__LINE__, "\"trees\": []", "\"trees\": 3", "metrics[1].trees is no list"},
		{__LINE__, "\"trees\": []", "\"trees\": [3]",
			"metrics[1].trees[0] is no object"},
		{__LINE__, "\"trees\": []", "\"trees\": [1,2,3,4,5,6,7,8,9]",
			"metrics[1].trees are too many"},
		{__LINE__, "\"nodes\": 1600", "\"nodes\": 100",
			"metrics[0].trees[1].nodes are not more than those before"},
		{__LINE__, "\"nodes\": 100,", "\"nodes\": 0,",
			"metrics[0].trees[0].nodes are not more than those before"},
		{__LINE__, "\"nodes\": 1600", "\"nodes\": 5000000000",
			"metrics[0].trees[1].nodes are not more than those before"},
		{__LINE__, "\"more\": 8.5", "\"more\": -8.5",
			"metrics[0].trees[1].more is negative"},
		{__LINE__, "\"more\": 8.5", "\"less\": 8.5",
			"metrics[0].trees[1].more is missing"},
		{__LINE__, "\"name\": \"alloc\"", "\"name\": \"wall\"",
			"metrics[1] is there twice"},
		{__LINE__, "\"name\": \"alloc\"", "\"name\": \"cpu\"",
			"sequences[0].metrics.cpu is missing"},
		{__LINE__,
			",\n  {\"name\": \"alloc\", \"unit\": \"bytes\", \"relative\": 0, "
			"\"reach\": 0.25, \"trees\": []}",
			"", "sequences[0].metrics has other metrics than the file"},
		{__LINE__, "\"first\": \"jitted\"", "\"first\": \"jittered\"",
			"sequences[0] has words that are no sequence"},
		{__LINE__, "\"first\": \"jitted\"", "\"first\": null",
			"sequences[0] has words that are no sequence"},
		{__LINE__, "\"first\": \"jitted\"", "\"first\": 1",
			"sequences[0].first is no text"},
		{__LINE__, "\"end\": \"exit\"", "\"end\": \"unwind\"",
			"sequences[0] has words that are no sequence"},
		{__LINE__, "\"second\": \"jitted\", \"end\": \"unwind\"",
			"\"first\": \"jitted\", \"begin\": \"entry\", \"second\": \"jitted "
			"static\","
			"\"end\": \"exit\", \"third\": \"jitted\"",
			"sequences[1] is there twice"},
		{__LINE__, "\"cpu\": \"A processor\", ", "", "for.cpu is missing"},
		{__LINE__, "\"cpu\": \"A processor\"", "\"cpu\": []", "for.cpu is no text"},
		{__LINE__, "\"for\": {", "\"for\": 3, \"other\": {", "for is no object"},
		{__LINE__, "\"sequences\": [", "\"sequences\": {}, \"other\": [",
			"sequences is no list"},
		{__LINE__, "\"sequences\": [", "\"sequences\": [7, ",
			"sequences[0] is no object"},
		{__LINE__, "\"seconds\": 12.5", "\"seconds\": -1", "seconds is negative"},
		{__LINE__, "\"seconds\": 12.5", "\"seconds\": 1e400",
			"not JSON in line 1: real number overflow near '1e400'"},
		{__LINE__, "\"made\": ", "\"made\": \"a\", \"made\": ",
			"not JSON in line 1: duplicate object key near '\"made\"'"},
		{__LINE__, "\"jprof_calibration\": 1, ", "",
			"it is no calibration: there is no 'jprof_calibration'"},
		{__LINE__, "\"jprof_calibration\": 1", "\"jprof_calibration\": 0",
			"it is no calibration: there is no 'jprof_calibration'"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = fixture_with(rows[i].what, rows[i].instead);
		struct calibration *calibration;
		struct error error = {0};
		int failed = calibration_parse(&calibration, text, strlen(text), "x", &error);

		if (failed != -ERROR_FORMAT || strncmp(error.text, "x: ", 3) != 0 ||
			strcmp(error.text + 3, rows[i].text) != 0)
			fail_msg("line %d: %d '%s', not '%s'", rows[i].line, failed, error.text,
				rows[i].text);
		assert_null(calibration);
		free(text);
	}
}

static void a_newer_one_is_told(void **state)
{
	char *text = fixture_with("\"jprof_calibration\": 1", "\"jprof_calibration\": 2");
	struct calibration *calibration;
	struct error error = {0};

	assert_int_equal(calibration_parse(&calibration, text, strlen(text), "x", &error),
		-ERROR_VERSION);
	assert_string_equal(error.text, "x was written by a newer jprof");
	free(text);
}

/* Cut anywhere, it is refused; the last character is a line break. */
static void the_cut_is_refused(void **state)
{
	for (size_t size = 0; size + 1 < strlen(fixture_text); size++) {
		struct calibration *calibration;

		assert_int_equal(calibration_parse(&calibration, fixture_text, size, "x", NULL),
			-ERROR_FORMAT);
	}
}

/* ---- files ---- */

static const char *path_of(const char *name)
{
	static char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *path, const char *text, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void refuse_file(const char *path, int code, const char *reason)
{
	struct calibration *calibration;
	struct error error = {0};
	char *text;

	assert_int_equal(calibration_load(&calibration, &text, path, &error), -code);
	assert_null(calibration);
	assert_null(text);
	if (!strstr(error.text, reason) || !strstr(error.text, "calibration file '"))
		fail_msg("'%s', not '%s'", error.text, reason);
}

static void files_are_read_whole(void **state)
{
	struct calibration *calibration;
	char *text;

	write_file(path_of("good.json"), fixture_text, strlen(fixture_text));
	assert_int_equal(calibration_load(&calibration, &text, path_of("good.json"), NULL), 0);
	assert_string_equal(text, fixture_text);
	free(text);
	calibration_destroy(calibration);
	assert_int_equal(calibration_load(&calibration, NULL, path_of("good.json"), NULL), 0);
	calibration_destroy(calibration);
}

static void other_files_are_refused(void **state)
{
	size_t size = CALIBRATION_FILE_MAX + 1;
	char *large = malloc(size);

	assert_non_null(large);
	memset(large, ' ', size);
	refuse_file(path_of("none"), ERROR_MISSING, "No such file");
	refuse_file(folder, ERROR_FORMAT, "no regular file");
	refuse_file("/dev/zero", ERROR_FORMAT, "no regular file");
	/* Opening a FIFO would wait for who writes it. */
	assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
	refuse_file(path_of("fifo"), ERROR_FORMAT, "no regular file");
	write_file(path_of("large"), large, size);
	refuse_file(path_of("large"), ERROR_FORMAT, "larger than 4 MB");
	write_file(path_of("zero"), fixture_text, strlen(fixture_text) + 1);
	refuse_file(path_of("zero"), ERROR_FORMAT, "not JSON");
	free(large);
}

static void saving_replaces(void **state)
{
	struct calibration *calibration = parse(fixture_text), *read;
	struct error error = {0};

	write_file(path_of("saved.json"), "old", 3);
	assert_int_equal(calibration_save(calibration, path_of("saved.json"), NULL), 0);
	assert_int_equal(calibration_load(&read, NULL, path_of("saved.json"), NULL), 0);
	assert_memory_equal(read->row, calibration->row, 2 * sizeof(*read->row));
	calibration_destroy(read);
	assert_int_equal(calibration_save(calibration, path_of("no/such"), &error), -ERROR_IO);
	assert_non_null(strstr(error.text, "cannot write calibration file"));
	calibration_destroy(calibration);
}

/* ---- the cache ---- */

static void cache_keeps(void **state)
{
	struct calibration *calibration = parse(fixture_text), *read;
	struct identity other = calibration->identity;
	struct stat status;
	char *text, *path;

	setenv("XDG_CACHE_HOME", path_of("a/b"), 1);
	assert_int_equal(
		cache_read(&read, &text, &calibration->identity, NULL), -ERROR_MISSING);
	assert_int_equal(cache_write(calibration, NULL), 0);
	assert_int_equal(stat(path_of("a/b/jprof"), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	assert_int_equal(cache_read(&read, &text, &calibration->identity, NULL), 0);
	assert_memory_equal(&read->identity, &calibration->identity, sizeof(read->identity));
	assert_non_null(strstr(text, "jprof_calibration"));
	free(text);
	calibration_destroy(read);

	identity_add_metric(&other, "cpu");
	assert_int_equal(cache_read(&read, &text, &other, NULL), -ERROR_MISSING);
	/* Under the name of another identity it is no answer, either. */
	path = cache_path(&other);
	assert_int_equal(calibration_save(calibration, path, NULL), 0);
	assert_int_equal(cache_read(&read, &text, &other, NULL), -ERROR_MISSING);
	assert_null(read);
	assert_null(text);
	free(path);
	calibration_destroy(calibration);
}

static void cache_has_a_place(void **state)
{
	struct identity identity = {0};
	char expected[PATH_MAX + 64], own[PATH_MAX], *path;

	setenv("HOME", folder, 1);
	setenv("XDG_CACHE_HOME", "relative", 1);
	assert_null(cache_path(&identity));
	assert_int_equal(own_folder(own, true, NULL), 0);
	path = cache_path(&identity);
	snprintf(expected, sizeof(expected), "%s/.cache/jprof/calibration-", folder);
	assert_int_equal(strncmp(path, expected, strlen(expected)), 0);
	free(path);
	unsetenv("HOME");
	assert_null(cache_path(&identity));
}

static int make_folder(void **state)
{
	const char *place = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/jprof-calibration-XXXXXX", place ? place : "/tmp");
	return test_folder_make(folder);
}

static int remove_folder(void **state)
{
	return test_folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_read),
		cmocka_unit_test(texts_come_back),
		cmocka_unit_test(the_impossible_is_named),
		cmocka_unit_test(a_newer_one_is_told),
		cmocka_unit_test(the_cut_is_refused),
		cmocka_unit_test(files_are_read_whole),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(saving_replaces),
		cmocka_unit_test(cache_keeps),
		cmocka_unit_test(cache_has_a_place),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
