/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* nearest: distances, and the best of many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "metric/nearest.h"

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
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (nearest_distance(rows[i].a, rows[i].b) != rows[i].distance)
			fail_msg("line %d: %zu", rows[i].line,
				nearest_distance(rows[i].a, rows[i].b));
}

static void long_names_are_cut(void **state)
{
	(void)state;
	char a[200], b[200];

	memset(a, 'a', sizeof(a) - 1);
	memset(b, 'b', sizeof(b) - 1);
	a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
	assert_int_equal(nearest_distance(a, b), NEAREST_NAME - 1);
}

static void keeps_the_best(void **state)
{
	(void)state;
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
	assert_string_equal(
		text, "'instructions', 'interruptions', 'branch-instructions'");
	nearest_text(&nearest, cut, sizeof(cut));
	assert_string_equal(cut, "'instructio");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(keeps_the_best),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
