/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* nearest: distances, and the best of many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "options/nearest.h"

struct row {
	int line;
	const char *a, *b;
	size_t distance;
};

static const struct row rows[] = {
	{__LINE__, "", "", 0},
	{__LINE__, "", "abc", 3},
	{__LINE__, "abc", "", 3},
	{__LINE__, "cycles", "CYCLES", 0},
	{__LINE__, "cycels", "cycles", 2},
	{__LINE__, "cycle", "cycles", 1},
	{__LINE__, "kitten", "sitting", 3},
	{__LINE__, "wall", "cpu", 4},
};

static void distances(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (nearest_distance(rows[i].a, rows[i].b, false) != rows[i].distance)
			fail_msg("line %d: %zu", rows[i].line,
				nearest_distance(rows[i].a, rows[i].b, false));
}

static const struct row reach_rows[] = {
	{__LINE__, "", "", 0},
	{__LINE__, "", "abc", 3},
	{__LINE__, "abc", "", 6},
	{__LINE__, "abc", "ABC", 0},
	/* A letter that the pattern lacks costs 1, one that the name lacks 2, another
	   one 2. */
	{__LINE__, "abc", "xabcyz", 3},
	{__LINE__, "abcd", "abc", 2},
	{__LINE__, "abc", "axc", 2},
	{__LINE__, "*", "", 0},
	{__LINE__, "*", "com.acme.Shop.buy", 0},
	{__LINE__, "com.*.buy", "com.acme.Shop.buy", 0},
	{__LINE__, "com.*.buy", "com.buy", 2},
	{__LINE__, "**.b*y", "com.acme.Shop.buy", 0},
	{__LINE__, "Shop.buy", "com.acme.Shop.buy", 9},
	{__LINE__, "Shpo.buy", "com.acme.Shop.buy", 12},
	/* "com." is made of "Shop.", and '*' is the rest. */
	{__LINE__, "Shop.*", "com.acme.Shop.buy", 6},
	{__LINE__, "http-exec-*", "http-nio-8080-exec-1", 8},
	{__LINE__, "a*", "b", 2},
	{__LINE__, "*a", "aab", 1},
};

static void reach_of_patterns(void **state)
{
	for (size_t i = 0; i < sizeof(reach_rows) / sizeof(*reach_rows); i++)
		if (nearest_distance(reach_rows[i].a, reach_rows[i].b, true) !=
			reach_rows[i].distance)
			fail_msg("line %d: %zu", reach_rows[i].line,
				nearest_distance(reach_rows[i].a, reach_rows[i].b, true));
}

/* Of pattern and name the first letters count. */
static void long_patterns_are_cut(void **state)
{
	char pattern[200], name[200];

	memset(pattern, 'a', sizeof(pattern) - 1);
	memset(name, 'a', sizeof(name) - 1);
	pattern[sizeof(pattern) - 1] = name[sizeof(name) - 1] = '\0';
	name[NEAREST_NAME] = 'b';
	assert_int_equal(nearest_distance(pattern, name, true), 0);
	pattern[0] = '*';
	assert_int_equal(nearest_distance(pattern, "b", true), 2 * (NEAREST_NAME - 2));
}

static void long_names_are_cut(void **state)
{
	char a[200], b[200];

	memset(a, 'a', sizeof(a) - 1);
	memset(b, 'b', sizeof(b) - 1);
	a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
	assert_int_equal(nearest_distance(a, b, false), NEAREST_NAME - 1);
}

static void keeps_the_best(void **state)
{
	struct nearest nearest = {.wanted = "instructoins"};
	char text[100], cut[12];

	nearest_text(&nearest, text, sizeof(text));
	assert_string_equal(text, "");
	nearest_offer(&nearest, "wall");
	nearest_offer(&nearest, "branch-instructions");
	nearest_offer(&nearest, "cpu");
	nearest_offer(&nearest, "instructions");
	nearest_offer(&nearest, "interruptions");
	nearest_offer(&nearest, "instructions");
	nearest_text(&nearest, text, sizeof(text));
	assert_string_equal(text, "'instructions', 'interruptions', 'branch-instructions'");
	nearest_text(&nearest, cut, sizeof(cut));
	assert_string_equal(cut, "'instructio");
}

static void keeps_the_nearest_to_a_pattern(void **state)
{
	struct nearest nearest = {.wanted = "Entry.s*vice", .is_pattern = true};
	char text[100];

	nearest_offer(&nearest, "agent.Other.run");
	nearest_offer(&nearest, "agent.Entry.start");
	nearest_offer(&nearest, "Entry.service");
	nearest_offer(&nearest, "agent.Entry.service");
	nearest_text(&nearest, text, sizeof(text));
	assert_string_equal(
		text, "'Entry.service', 'agent.Entry.service', 'agent.Entry.start'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances),
		cmocka_unit_test(reach_of_patterns),
		cmocka_unit_test(long_patterns_are_cut),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(keeps_the_best),
		cmocka_unit_test(keeps_the_nearest_to_a_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
