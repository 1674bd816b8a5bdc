/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof's own folder: made where only this user writes, and used only there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calibration/own_folder.h"
#include "native-tests/test_folder.h"

enum { NOBODY = 65534 };

static char folder[] = "/tmp/jprof-own-XXXXXX", home[64], cache[80], own[96];

static int find(bool make)
{
	struct error error = {0};
	char path[PATH_MAX];
	int failed = own_folder(path, make, &error);

	assert_int_equal(failed == 0, error.text[0] == '\0');
	if (failed == 0)
		assert_string_equal(path, own);
	return failed;
}

static void made_for_us_alone(void **state)
{
	struct stat status;

	assert_int_equal(find(false), -ERROR_MISSING);
	assert_int_equal(find(true), 0);
	assert_int_equal(find(false), 0);
	assert_int_equal(stat(own, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
}

static void shared(void **state)
{
	static const struct {
		const char *path;
		mode_t mode;
		int found;
	} rows[] = {{own, 0755, 0}, {own, 0775, -ERROR_DENIED}, {own, 01777, -ERROR_DENIED},
		{own, 0700, 0}, {cache, 0777, -ERROR_DENIED}, {cache, 01777, 0},
		{cache, 0755, 0}, {home, 0775, -ERROR_DENIED}, {home, 0755, 0}};

	assert_int_equal(find(true), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(chmod(rows[i].path, rows[i].mode), 0);
		if (find(false) != rows[i].found || find(true) != rows[i].found)
			fail_msg("%s with mode %o", rows[i].path, rows[i].mode);
	}
}

/* Root with the HOME of another user: nothing is made there, nor where that user's links lead. */
static void of_another_user(void **state)
{
	if (geteuid() != 0)
		skip();
	assert_int_equal(find(true), 0);
	assert_int_equal(chown(own, NOBODY, NOBODY), 0);
	assert_int_equal(find(true), -ERROR_DENIED);
	assert_int_equal(rmdir(own) | chown(cache, NOBODY, NOBODY), 0);
	assert_int_equal(find(true), -ERROR_DENIED);
	assert_int_equal(access(own, F_OK), -1);
	assert_int_equal(rmdir(cache) | symlink("/", cache), 0);
	assert_int_equal(lchown(cache, NOBODY, NOBODY), 0);
	assert_int_equal(find(true), -ERROR_DENIED);
	assert_int_equal(access("/jprof", F_OK), -1);
	assert_int_equal(unlink(cache), 0);
}

static void no_home(void **state)
{
	unsetenv("HOME");
	assert_int_equal(find(true), -ERROR_MISSING);
	setenv("HOME", "relative", 1);
	assert_int_equal(find(true), -ERROR_MISSING);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	assert_int_equal(find(true), -ERROR_IO);
}

static int prepare(void **state)
{
	if (test_folder_make(folder) != 0)
		return -1;
	snprintf(home, sizeof(home), "%s/home", folder);
	snprintf(cache, sizeof(cache), "%s/.cache", home);
	snprintf(own, sizeof(own), "%s/jprof", cache);
	return mkdir(home, 0755) | chmod(home, 0755) | setenv("HOME", home, 1) |
	       unsetenv("XDG_CACHE_HOME");
}

static int clean(void **state)
{
	return test_folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(made_for_us_alone, prepare, clean),
		cmocka_unit_test_setup_teardown(shared, prepare, clean),
		cmocka_unit_test_setup_teardown(of_another_user, prepare, clean),
		cmocka_unit_test_setup_teardown(no_home, prepare, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
