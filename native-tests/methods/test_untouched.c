/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * test_untouched: what was to get probes and could not is listed up to a number, and each
 * counted once, however often it is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/methods/untouched.h"

struct told {
	long count, lines;
	char first[64];
};

static void put(void *argument, const char *key, const char *value)
{
	struct told *told = argument;

	if (strcmp(key, "untouched") == 0)
		told->count = atol(value);
	else if (told->lines++ == 0)
		snprintf(told->first, sizeof(told->first), "%s", value);
}

static struct told facts(void)
{
	struct told told = {0};

	untouched_facts(put, &told);
	return told;
}

static void tell(int methods)
{
	char name[32];

	for (int i = 0; i < methods; i++) {
		snprintf(name, sizeof(name), "method%d", i);
		untouched_add("a.Class", name, "because");
	}
}

static void each_is_counted_once(void **state)
{
	static const int numbers[] = {1, 200, 201, 5000};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct told told;

		untouched_forget();
		assert_int_equal(facts().count, 0);
		tell(numbers[i]);
		tell(numbers[i]);
		told = facts();
		assert_int_equal(told.count, numbers[i]);
		assert_int_equal(told.lines, numbers[i] < 200 ? numbers[i] : 200);
		assert_string_equal(told.first, "a.Class.method0: because");
	}
	untouched_add("a.Class", NULL, "because");
	untouched_add("a.Class", NULL, "of something else");
	assert_int_equal(facts().count, 5002);
	untouched_forget();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_counted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
