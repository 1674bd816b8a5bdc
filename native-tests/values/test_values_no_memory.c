/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * The n-th allocation fails, alone or with all after it, n = 0, 1, 2... until all succeed: values are "(others)" then, sets
 * have others' tags or none, what there is stays right, and all is given back. The linker's --wrap puts calloc here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/values/tag_sets.h"
#include "agent/values/values.h"

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

static long until_failure = -1; /* allocations that succeed still; below 0: all */
static bool all_after, refused;

void *__wrap_calloc(size_t count, size_t size)
{
	if (until_failure == 0) {
		refused = true;
		if (!all_after)
			until_failure = -1;
		errno = ENOMEM;
		return NULL;
	}
	if (until_failure > 0)
		until_failure--;
	return __real_calloc(count, size);
}

enum { TEXTS = 2000 };

static size_t text_of(uint32_t i, char text[64])
{
	return (size_t)snprintf(text, 64, "a text that is a bit longer, number %u", i);
}

/* Values and sets of a parameter, if there is one; then, with memory, the same again. */
static void use(uint32_t user)
{
	static uint32_t value[TEXTS];
	uint32_t others = value_others(user);
	char text[64];

	for (uint32_t i = 0; i < TEXTS; i++) {
		uint32_t set, has;

		value[i] = value_of(user, text, text_of(i, text));
		set = tag_set_with(0, value[i]);
		has = tag_set_value(set, user);
		assert_true(set == 0 || has == value[i] || has == others);
	}
	until_failure = -1;
	for (uint32_t i = 0; i < TEXTS; i++) {
		size_t length = text_of(i, text);
		uint32_t again = value_of(user, text, length);
		struct value is = value_get(again);
		uint32_t set;

		assert_true(value[i] == again || value[i] == others);
		if (again != others) {
			assert_int_equal(is.length, length);
			assert_memory_equal(is.text, text, length);
		}
		set = tag_set_with(0, again);
		assert_true(tag_set_value(set, user) == again ||
			    tag_set_value(set, user) == others);
	}
}

static void fail_each(bool after)
{
	long n = 0;

	all_after = after;
	do {
		uint32_t user;

		refused = false;
		until_failure = n++;
		errno = 4711;
		user = parameter_make("user", true, KEEP_PLAIN, 1000000);
		if (user)
			use(user);
		assert_int_equal(errno, 4711);
		until_failure = -1;
		/* After a failure, too. */
		assert_int_not_equal(parameter_make("user", true, KEEP_PLAIN, 1000000), 0);
		tag_sets_forget();
		values_forget();
		assert_int_equal(values_bytes(), 0);
	} while (refused);
	/* Blocks of texts and rows, tables; of sets the same. */
	assert_true(n > 15);
}

static void test_one(void **state)
{
	fail_each(false);
}

static void test_all_after(void **state)
{
	fail_each(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_all_after),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
