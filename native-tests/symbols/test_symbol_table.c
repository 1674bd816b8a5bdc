/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Which of several symbols an address belongs to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "symbols/symbol_table.h"

#define F SYMBOL_FUNCTION_GLOBAL

static void put(struct symbol_table *table, uint64_t start, uint64_t size, uint64_t limit,
	enum symbol_rank rank, const char *name)
{
	assert_true(symbol_table_add(table, start, size, limit, rank, name, strlen(name)));
}

static const char *find(const struct symbol_table *table, uint64_t address)
{
	struct symbol_found found;

	return symbol_table_find(table, address, &found) ? found.name : "-";
}

static void test_empty(void **state)
{
	struct symbol_table table = {0};
	uint64_t address;

	symbol_table_sort(&table);
	assert_string_equal(find(&table, 0), "-");
	assert_string_equal(find(&table, UINT64_MAX), "-");
	assert_false(symbol_table_address(&table, "", &address));
	symbol_table_fini(&table);
}

static void test_ends(void **state)
{
	struct symbol_table table = {0};

	put(&table, 100, 10, 999, F, "sized");
	put(&table, 200, 0, 50, F, "to the limit");
	put(&table, 300, 0, 50, F, "to the next");
	put(&table, 310, 4, 50, F, "next");
	put(&table, UINT64_MAX - 1, 0, 2, F, "last");
	put(&table, 0, 1, 0, F, "first");
	symbol_table_sort(&table);
	assert_string_equal(find(&table, 0), "first");
	assert_string_equal(find(&table, 1), "-");
	assert_string_equal(find(&table, 99), "-");
	assert_string_equal(find(&table, 100), "sized");
	assert_string_equal(find(&table, 109), "sized");
	assert_string_equal(find(&table, 110), "-");
	assert_string_equal(find(&table, 249), "to the limit");
	assert_string_equal(find(&table, 250), "-");
	assert_string_equal(find(&table, 309), "to the next");
	assert_string_equal(find(&table, 313), "next");
	assert_string_equal(find(&table, 314), "-");
	assert_string_equal(find(&table, UINT64_MAX - 1), "last");
	assert_string_equal(find(&table, UINT64_MAX), "last");
	symbol_table_fini(&table);
}

static void test_ranks(void **state)
{
	struct symbol_table table = {0};
	uint64_t address;

	put(&table, 10, 0, 9, SYMBOL_LABEL_GLOBAL, "label");
	put(&table, 10, 4, 9, SYMBOL_FUNCTION_LOCAL, "local");
	put(&table, 10, 4, 9, SYMBOL_FUNCTION_GLOBAL, "global");
	put(&table, 10, 4, 9, SYMBOL_FUNCTION_WEAK, "weak");
	put(&table, 20, 0, 9, SYMBOL_LABEL_LOCAL, "b");
	put(&table, 20, 0, 9, SYMBOL_LABEL_LOCAL, "a");
	put(&table, 20, 0, 9, SYMBOL_LABEL_LOCAL, "a");
	symbol_table_sort(&table);
	assert_int_equal(table.count, 6);
	assert_string_equal(find(&table, 12), "global");
	assert_string_equal(find(&table, 25), "a");
	assert_true(symbol_table_address(&table, "weak", &address));
	assert_int_equal(address, 10);
	assert_true(symbol_table_address(&table, "b", &address));
	assert_int_equal(address, 20);
	assert_false(symbol_table_address(&table, "c", &address));
	symbol_table_fini(&table);
}

/* A label within a function is no name of its rest; a function within a function is. */
static void test_nested(void **state)
{
	struct symbol_table table = {0};

	put(&table, 100, 100, 100, F, "outer");
	put(&table, 120, 0, 80, SYMBOL_LABEL_LOCAL, "label");
	put(&table, 140, 10, 80, SYMBOL_FUNCTION_LOCAL, "inner");
	put(&table, 145, 0, 80, SYMBOL_LABEL_LOCAL, "label");
	symbol_table_sort(&table);
	assert_string_equal(find(&table, 130), "outer");
	assert_string_equal(find(&table, 140), "inner");
	assert_string_equal(find(&table, 149), "inner");
	assert_string_equal(find(&table, 150), "outer");
	assert_string_equal(find(&table, 200), "-");
	symbol_table_fini(&table);
}

static void test_many(void **state)
{
	enum { COUNT = 100000 };
	struct symbol_table table = {0};
	char name[32], expected[32];

	for (uint64_t i = 0; i < COUNT; i++) {
		uint64_t place = i * 48271 % COUNT;

		snprintf(name, sizeof(name), "f%ju", (uintmax_t)place);
		put(&table, place * 16, 16, 0, F, name);
	}
	symbol_table_sort(&table);
	for (uint64_t i = 0; i < COUNT; i++) {
		snprintf(expected, sizeof(expected), "f%ju", (uintmax_t)i);
		assert_string_equal(find(&table, i * 16 + i % 16), expected);
	}
	assert_true(symbol_table_bytes(&table) < COUNT * 32);
	symbol_table_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
