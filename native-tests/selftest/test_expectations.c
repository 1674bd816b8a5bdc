/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* The lines of the program with known shares: taken, passed over, refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "cli/selftest/verdict.h"

static struct expectations expectations;

static int take(const char *line)
{
	struct error error = {0};
	int code = expectations_take(&expectations, line, &error);

	assert_int_equal(code != 0, error.text[0] != '\0');
	return code;
}

static int clear(void **state)
{
	memset(&expectations, 0, sizeof(expectations));
	return 0;
}

static void methods_are_taken(void **state)
{
	assert_int_equal(
		take("{\"method\":\"own20\",\"share\":20,\"calls\":7,\"bytes\":15.9999,"
		     "\"before\":{\"wall\":1.5,\"cpu\":-2E0},"
		     "\"after\":{\"cpu\":4,\"wall\":3,\"more\":1}}"),
		0);
	assert_int_equal(expectations.count, 1);
	assert_int_equal(expectations.metric_count, 2);
	assert_int_equal(expectations_metric(&expectations, "cpu"), 1);
	assert_int_equal(expectations_metric(&expectations, "more"), -1);
	assert_string_equal(expectations.method[0].name, "own20");
	assert_true(expectations.method[0].share == 20);
	assert_int_equal(expectations.method[0].calls, 7);
	assert_int_equal(expectations.method[0].bytes, 16);
	assert_true(expectations.method[0].before[1] == -2);
	assert_true(expectations.method[0].after[0] == 3);
}

static void other_lines_are_passed_over(void **state)
{
	static const char *const lines[] = {"", "{", "[]", "7", "{}", "{\"rounds\":3}",
		"{\"method\":7}", "{\"method\":null}"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_int_equal(take(lines[i]), 0);
	assert_int_equal(expectations.count, 0);
}

#define METHOD "\"method\":\"m\",\"share\":1,"

static void what_is_wrong_is_refused(void **state)
{
	static const char *const lines[] = {
		"{" METHOD "\"bytes\":0,\"before\":{\"cpu\":1},\"after\":{\"cpu\":1}}",
		"{" METHOD
		"\"calls\":\"2\",\"bytes\":0,\"before\":{\"cpu\":1},\"after\":{\"cpu\":1}}",
		"{" METHOD
		"\"calls\":-1,\"bytes\":0,\"before\":{\"cpu\":1},\"after\":{\"cpu\":1}}",
		"{" METHOD
		"\"calls\":1e30,\"bytes\":0,\"before\":{\"cpu\":1},\"after\":{\"cpu\":1}}",
		"{" METHOD "\"calls\":1,\"before\":{\"cpu\":1},\"after\":{\"cpu\":1}}",
		"{" METHOD "\"calls\":1,\"bytes\":0,\"before\":{},\"after\":{\"cpu\":1}}",
		"{" METHOD "\"calls\":1,\"bytes\":0,\"after\":{\"cpu\":1}}",
		"{" METHOD "\"calls\":1,\"bytes\":0,\"before\":{\"cpu\":1},\"after\":{}}",
		"{" METHOD
		"\"calls\":1,\"bytes\":0,\"before\":{\"cpu\":\"1\"},\"after\":{\"cpu\":1}}",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		clear(state);
		assert_int_equal(take(lines[i]), -ERROR_FORMAT);
		assert_int_equal(expectations.count, 0);
	}
}

static void too_much_is_refused(void **state)
{
	char line[4096] = "{" METHOD "\"calls\":1,\"bytes\":0,\"before\":{";
	char name[EXPECTATION_NAME + 1];

	for (int i = 0; i <= PROFILE_METRIC_MAX; i++)
		sprintf(line + strlen(line), "%s\"m%d\":1", i ? "," : "", i);
	strcat(line, "}}");
	assert_int_equal(take(line), -ERROR_FORMAT);
	clear(state);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(line, sizeof(line),
		"{\"method\":\"%s\",\"calls\":1,\"bytes\":0,\"before\":{\"cpu\":1},\"after\":{"
		"\"cpu\":1}}",
		name);
	assert_int_equal(take(line), -ERROR_FORMAT);
	for (int i = 0; i <= EXPECTATIONS_MAX; i++)
		assert_int_equal(
			take("{" METHOD "\"calls\":1,\"bytes\":0,\"before\":{\"cpu\":1},"
			     "\"after\":{\"cpu\":1}}"),
			i < EXPECTATIONS_MAX ? 0 : -ERROR_FORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(methods_are_taken, clear),
		cmocka_unit_test_setup(other_lines_are_passed_over, clear),
		cmocka_unit_test_setup(what_is_wrong_is_refused, clear),
		cmocka_unit_test_setup(too_much_is_refused, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
