/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* The budget counts what arenas hold, its reserve is for small claims, and arenas keep
 * their bytes. */
#include "trace_test.h"

#include <string.h>

static void test_budget(void **state)
{
	struct memory_budget budget;

	memory_budget_init(&budget, 800);
	assert_true(memory_take(&budget, 700, MEMORY_ORDINARY));
	assert_false(memory_take(&budget, 1, MEMORY_ORDINARY));
	assert_true(memory_take(&budget, 100, MEMORY_SMALL));
	assert_false(memory_take(&budget, 1, MEMORY_SMALL));
	assert_false(memory_take(&budget, UINT64_MAX, MEMORY_SMALL));
	memory_give(&budget, 800);
	assert_int_equal(atomic_load(&budget.used), 0);
	assert_int_equal(atomic_load(&budget.peak), 800);
	assert_true(memory_take(&budget, 1, MEMORY_ORDINARY));
}

static void test_guarantee(void **state)
{
	struct memory_budget budget;
	uint64_t all;

	memory_budget_init(&budget, 1 << 30);
	for (uint32_t n = 1; n <= 1000; n *= 10) {
		atomic_store(&budget.claimants, n);
		assert_int_equal(memory_claim_of(&budget, (1u << 30) / (10 * n)), MEMORY_SMALL);
		/* All of them together fit into the reserve. */
		all = n * (memory_share(&budget) / 8);
		assert_true(all <= budget.reserve);
	}
}

static void test_resize(void **state)
{
	struct memory_budget budget;
	struct arena arena = {0};
	size_t page = arena_page();

	memory_budget_init(&budget, 100 * page);
	assert_int_equal(arena_resize(&arena, &budget, 1, MEMORY_ORDINARY), 0);
	assert_int_equal(arena.bytes, page);
	memset(arena.base, 7, page);
	assert_int_equal(arena_resize(&arena, &budget, 50 * page - 1, MEMORY_ORDINARY), 0);
	assert_int_equal(atomic_load(&budget.used), 50 * page);
	assert_int_equal(((char *)arena.base)[page - 1], 7);
	assert_int_equal(((char *)arena.base)[page], 0);
	assert_int_equal(((char *)arena.base)[50 * page - 1], 0);

	assert_int_equal(arena_resize(&arena, &budget, 101 * page, MEMORY_SMALL), -1);
	assert_int_equal(arena_resize(&arena, &budget, SIZE_MAX, MEMORY_SMALL), -1);
	assert_int_equal(arena.bytes, 50 * page);
	assert_int_equal(((char *)arena.base)[0], 7);

	assert_int_equal(arena_resize(&arena, &budget, 2 * page, MEMORY_ORDINARY), 0);
	assert_int_equal(atomic_load(&budget.used), 2 * page);
	/* What was given up and taken again is zero. */
	assert_int_equal(arena_resize(&arena, &budget, 3 * page, MEMORY_ORDINARY), 0);
	assert_int_equal(((char *)arena.base)[2 * page], 0);
	arena_fini(&arena, &budget);
	assert_int_equal(atomic_load(&budget.used), 0);
	assert_null(arena.base);
	arena_fini(&arena, &budget);
}

/* What the system refuses is not counted. */
static void test_refused(void **state)
{
	struct memory_budget budget;
	struct arena arena = {0};

	memory_budget_init(&budget, UINT64_MAX);
	assert_int_equal(arena_resize(&arena, &budget, 1ul << 60, MEMORY_SMALL), -1);
	assert_int_equal(atomic_load(&budget.used), 0);
	assert_int_equal(arena_resize(&arena, &budget, 1, MEMORY_SMALL), 0);
	assert_int_equal(arena_resize(&arena, &budget, 1ul << 60, MEMORY_SMALL), -1);
	assert_int_equal(atomic_load(&budget.used), arena_page());
	arena_fini(&arena, &budget);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_guarantee),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
