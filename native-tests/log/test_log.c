/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* log: one line, whatever the names in it hold; cut where it is too long; errno stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/log/log.h"

static char said[8192];

/* What one line of that name comes to, in said. */
static void say_name(const char *name)
{
	FILE *file = tmpfile();
	int before = dup(STDERR_FILENO);
	size_t length;

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	errno = EXDEV;
	log_line(LOG_WARN, "class '%s'", name);
	assert_int_equal(errno, EXDEV);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(file);
	length = fread(said, 1, sizeof(said) - 1, file);
	said[length] = '\0';
	fclose(file);
}

static void names_are_harmless(void **state)
{
	say_name("com.acme.Gr\xc3\xbc\xc3\x9f");
	assert_string_equal(said, "jprof: class 'com.acme.Gr\xc3\xbc\xc3\x9f'\n");
	say_name("a\n\x1b[2J\x7f\xc2\x9b"
		 "1m\x9b\xe2\x80\xae\xe2\x80\x8b");
	assert_string_equal(said, "jprof: class 'a\\u000a\\u001b[2J\\u007f\\u009b1m\\x9b\\u202e"
				  "\\u200b'\n");
}

static void long_lines_are_cut(void **state)
{
	char name[5000];

	memset(name, '\x9b', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	say_name(name);
	assert_true(strlen(said) < 1300 && strlen(said) > 1200);
	assert_string_equal(said + strlen(said) - strlen("\\x9b\n"), "\\x9b\n");
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_harmless),
		cmocka_unit_test(long_lines_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
