/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What is kept beside calibrations: who measures, and what failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "calibration/cache.h"
#include "native-tests/test_folder.h"

static char folder[] = "/tmp/jprof-cache-XXXXXX";
static struct identity one, other;

static void lock(void **state)
{
	struct error error = {0};
	bool is_taken;
	int first = cache_lock(&is_taken, &error), second;

	assert_true(first >= 0);
	assert_false(is_taken);
	second = cache_lock(&is_taken, &error);
	assert_true(second < 0);
	assert_true(is_taken);
	assert_string_equal(error.text, "");
	close(first);
	second = cache_lock(&is_taken, &error);
	assert_true(second >= 0);
	close(second);
}

/* Nothing is kept below a file; and there is nothing there, which is no failure. */
static void no_folder(void **state)
{
	struct calibration *calibration;
	struct error error = {0}, missing = {0};
	bool is_taken;

	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	assert_true(cache_lock(&is_taken, &error) < 0);
	assert_false(is_taken);
	assert_string_equal(
		error.text, "cannot make the folder '/dev/null/jprof': Not a directory");
	assert_int_equal(cache_read(&calibration, NULL, &one, &missing), -ERROR_MISSING);
	cache_note_failure(&one, "x");
	setenv("XDG_CACHE_HOME", folder, 1);
}

static void age(const char *path, time_t seconds)
{
	const struct timespec then = {.tv_sec = time(NULL) - seconds};
	const struct timespec times[2] = {then, then};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void failure(void **state)
{
	char why[64], path[4096], *kept = cache_path(&one);

	assert_false(cache_failed(&one, why, sizeof(why)));
	cache_note_failure(&one, "the machine is busy");
	assert_true(cache_failed(&one, why, sizeof(why)));
	assert_string_equal(why, "the machine is busy");
	assert_false(cache_failed(&other, why, sizeof(why)));

	snprintf(path, sizeof(path), "%.*s.failed", (int)(strstr(kept, ".json") - kept), kept);
	age(path, 3500);
	assert_true(cache_failed(&one, why, sizeof(why)));
	age(path, 3700);
	assert_false(cache_failed(&one, why, sizeof(why)));
	free(kept);
}

/* Where a second ends, clocks that differ by little differ by a second. */
static void failure_at_a_second(void **state)
{
	enum { BEFORE = 995000000, BEHIND = 10000000 };
	struct timespec now;
	char why[64];

	do
		clock_gettime(CLOCK_REALTIME, &now);
	while (now.tv_nsec < BEFORE);
	do {
		cache_note_failure(&one, "the machine is busy");
		assert_true(cache_failed(&one, why, sizeof(why)));
		clock_gettime(CLOCK_REALTIME, &now);
	} while (now.tv_nsec >= BEFORE || now.tv_nsec < BEHIND);
}

static void success_forgets(void **state)
{
	struct calibration *calibration = calibration_create();
	struct error error = {0};
	char why[64];

	calibration->identity = one;
	calibration->identity.field[IDENTITY_METRICS][0] = '\0';
	calibration_add_metric(calibration, "wall", "ns", 0);
	cache_note_failure(&one, "the machine is busy");
	cache_write(calibration, &error);
	assert_string_equal(error.text, "");
	assert_false(cache_failed(&one, why, sizeof(why)));
	calibration_destroy(calibration);
}

static int prepare(void **state)
{
	snprintf(one.field[IDENTITY_JVM], IDENTITY_TEXT, "A JVM");
	snprintf(one.field[IDENTITY_METRICS], IDENTITY_TEXT, "wall");
	other = one;
	snprintf(other.field[IDENTITY_JVM], IDENTITY_TEXT, "Another JVM");
	if (test_folder_make(folder) != 0)
		return -1;
	return setenv("XDG_CACHE_HOME", folder, 1);
}

static int clean(void **state)
{
	return test_folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lock),
		cmocka_unit_test(no_folder),
		cmocka_unit_test(failure),
		cmocka_unit_test(failure_at_a_second),
		cmocka_unit_test(success_forgets),
	};

	return cmocka_run_group_tests(tests, prepare, clean);
}
