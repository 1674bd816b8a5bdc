/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* A program with JPROF_OPTIONAL: where there is no agent, and when one is loaded, which here
 * finds no JVM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define JPROF_OPTIONAL
#include "include/jprof.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Every function that answers by a code. */
static void all_answer(int code)
{
	uint64_t value = 77;

	assert_int_equal(jprof_start(), code);
	assert_int_equal(jprof_start_with("metrics=wall"), code);
	assert_int_equal(jprof_stop(), code);
	assert_int_equal(jprof_snapshot("label"), code);
	assert_int_equal(jprof_reset(), code);
	assert_int_equal(jprof_mark("mark"), code);
	assert_int_equal(jprof_mark(NULL), code);
	assert_int_equal(jprof_thread_value("wall", &value), code);
	assert_int_equal(jprof_total_value("wall", &value), code);
	assert_int_equal(jprof_thread_value_of(1, "wall", &value), code);
	assert_int_equal(jprof_thread_value(NULL, &value), code);
	assert_int_equal(value, 77);
	assert_int_equal(jprof_tag_set("user", "alice"), code);
	assert_int_equal(jprof_tag_set(NULL, NULL), code);
	assert_int_equal(jprof_tags(), code);
	assert_int_equal(jprof_tags_use(1), code);
	assert_int_equal(jprof_is_recording(), 0);
}

static void test_absent(void **state)
{
	errno = 1234;
	all_answer(JPROF_ABSENT);
	assert_null(jprof_version());
	assert_int_equal(errno, 1234);
}

/* Found as soon as the second is over in which it was missed. */
static void test_loaded_later(void **state)
{
	void *agent = dlopen(AGENT, RTLD_NOW | RTLD_LOCAL);

	assert_non_null(agent);
	for (int waits = 0; !jprof_version() && waits < 300; waits++)
		usleep(10000);
	assert_string_equal(jprof_version(), JPROF_VERSION);
	usleep(1100000);
	all_answer(-1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_loaded_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
