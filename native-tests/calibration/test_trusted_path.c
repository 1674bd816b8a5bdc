/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Whose programs may be run: every way in which others could change one is refused. */
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
#include <unistd.h>

#include "calibration/trusted_path.h"
#include "native-tests/test_folder.h"

static char folder[] = "/tmp/jprof-trust-XXXXXX", bin[64], java[80], other[64];
static char whole[PATH_MAX];

enum { NOBODY = 65534 };

static void ours(void **state)
{
	assert_true(trusted_path(java, whole));
	assert_string_equal(whole, java);
	assert_true(trusted_path("/usr/bin/env", whole));
	assert_false(trusted_path("/nowhere/java", whole));
	assert_string_equal(whole, "");
	assert_true(trusted_path("/", whole));
	assert_string_equal(whole, "/");
	assert_true(trusted_path("//usr/./bin/../bin//env", whole));
	assert_string_equal(strrchr(whole, '/'), "/env");
}

static void modes(void **state)
{
	static const struct {
		const char *path;
		mode_t mode;
		bool trusted;
	} rows[] = {{java, 0775, false}, {java, 0757, false}, {java, 01757, false},
		{java, 0755, true}, {bin, 0775, false}, {bin, 0757, false}, {bin, 01777, true},
		{bin, 0755, true}, {folder, 0777, false}, {folder, 0700, true}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(chmod(rows[i].path, rows[i].mode), 0);
		if (trusted_path(java, whole) != rows[i].trusted)
			fail_msg("%s with mode %o", rows[i].path, rows[i].mode);
	}
}

/* What a link leads to counts, and is what is to be run. */
static void links(void **state)
{
	assert_int_equal(symlink(bin, other), 0);
	snprintf(other + sizeof("/tmp/jprof-trust-XXXXXX/other") - 1, 8, "/java");
	assert_true(trusted_path(other, whole));
	assert_string_equal(whole, java);
	chmod(bin, 0777);
	assert_false(trusted_path(other, whole));
	chmod(bin, 0755);
}

/* Whoever owns a link on the way can make it lead elsewhere, also in a folder like /tmp. */
static void links_of_others(void **state)
{
	char link[64], through[80];

	if (geteuid() != 0)
		skip();
	snprintf(link, sizeof(link), "%s/alias", folder);
	snprintf(through, sizeof(through), "%s/java", link);
	assert_int_equal(chmod(folder, 01777) | symlink("bin", link), 0);
	assert_true(trusted_path(through, whole));
	assert_string_equal(whole, java);
	assert_int_equal(lchown(link, NOBODY, NOBODY), 0);
	assert_false(trusted_path(through, whole));
	assert_int_equal(unlink(link) | symlink("alias", link), 0);
	assert_false(trusted_path(through, whole)); /* without end */
	assert_int_equal(chmod(folder, 0700) | unlink(link), 0);
}

static void owners(void **state)
{
	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(bin, NOBODY, NOBODY), 0);
	assert_false(trusted_path(java, whole));
	assert_int_equal(chown(bin, 0, 0) | chown(java, NOBODY, NOBODY), 0);
	assert_false(trusted_path(java, whole));
	assert_int_equal(seteuid(NOBODY), 0);
	assert_false(trusted_path(java, whole)); /* the folder is shut for it */
	assert_int_equal(seteuid(0) | chmod(folder, 0755) | seteuid(NOBODY), 0);
	assert_true(trusted_path(java, whole));
	assert_int_equal(seteuid(0) | chown(java, 0, 0), 0);
}

static int prepare(void **state)
{
	int file;

	if (test_folder_make(folder) != 0)
		return -1;
	snprintf(bin, sizeof(bin), "%s/bin", folder);
	snprintf(java, sizeof(java), "%s/java", bin);
	snprintf(other, sizeof(other), "%s/other", folder);
	file = mkdir(bin, 0755) == 0 ? open(java, O_CREAT | O_WRONLY, 0755) : -1;
	return file < 0 ? -1 : close(file) | chmod(java, 0755) | chmod(bin, 0755);
}

static int clean(void **state)
{
	return test_folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ours),
		cmocka_unit_test(modes),
		cmocka_unit_test(links),
		cmocka_unit_test(links_of_others),
		cmocka_unit_test(owners),
	};

	return cmocka_run_group_tests(tests, prepare, clean);
}
