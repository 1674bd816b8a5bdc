/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Numbers as users write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "options/number.h"

static void test_whole(void **state)
{
	static const char *const refused[] = {
		"", "-1", "+1", " 1", "1 ", "1.5", "x", "18446744073709551616"};
	uint64_t number;

	assert_true(number_read("0", &number));
	assert_int_equal(number, 0);
	assert_true(number_read("18446744073709551615", &number));
	assert_true(number == UINT64_MAX);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (number_read(refused[i], &number))
			fail_msg("'%s' is taken", refused[i]);
}

static void test_percent(void **state)
{
	static const char *const refused[] = {
		"", "%", "-1%", ".5%", "5%%", "5 %", "5x", "nan", "inf", "1e999"};
	double part;

	assert_true(number_read_percent("5%", &part));
	assert_true(part == 0.05);
	assert_true(number_read_percent("0.5", &part));
	assert_true(part == 0.005);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (number_read_percent(refused[i], &part))
			fail_msg("'%s' is taken", refused[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
