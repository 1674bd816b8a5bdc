/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* The shadow stack grows, finds frames, and counts what it has no room for. */
#include "trace_test.h"

enum { DEEP = 300000 };

static void push(struct shadow_stack *stack, struct memory_budget *budget, uint32_t method)
{
	if (stack->top >= stack->limit)
		assert_int_equal(shadow_grow(stack, budget), 0);
	*++stack->top = (struct shadow_frame){method, method, 0};
}

static void test_deep(void **state)
{
	struct memory_budget budget;
	struct shadow_stack stack;

	memory_budget_init(&budget, 16 << 20);
	assert_int_equal(shadow_init(&stack, &budget, MEMORY_SMALL), 0);
	assert_int_equal(shadow_depth(&stack), 1);
	for (uint32_t i = 1; i < DEEP; i++)
		push(&stack, &budget, i);
	assert_int_equal(shadow_depth(&stack), DEEP);
	for (uint32_t i = 0; i < DEEP; i++)
		assert_int_equal(shadow_base(&stack)[i].node, i);
	assert_ptr_equal(shadow_find(&stack, 5), shadow_base(&stack) + 5);
	assert_ptr_equal(shadow_find(&stack, DEEP - 1), stack.top);
	assert_null(shadow_find(&stack, DEEP));
	assert_null(shadow_find(&stack, METHOD_ROOT));
	shadow_fini(&stack, &budget);
	assert_int_equal(atomic_load(&budget.used), 0);
}

static void test_overflow(void **state)
{
	struct memory_budget budget;
	struct shadow_stack stack;
	struct shadow_frame *full;

	memory_budget_init(&budget, arena_page());
	assert_int_equal(shadow_init(&stack, &budget, MEMORY_SMALL), 0);
	for (uint32_t i = 1; stack.top < stack.limit; i++)
		push(&stack, &budget, i);
	full = stack.top;
	for (int i = 0; i < 3; i++) {
		shadow_overflow_push(&stack);
		assert_true(stack.top >= stack.limit);
		assert_int_equal(stack.top->method, SHADOW_SENTINEL);
		assert_int_equal(stack.top->node, full->node);
	}
	/* The sentinel is still within the mapping. */
	assert_true((char *)(stack.top + 1) <= (char *)stack.arena.base + stack.arena.bytes);
	for (int i = 0; i < 3; i++)
		shadow_overflow_pop(&stack);
	assert_ptr_equal(stack.top, full);
	shadow_fini(&stack, &budget);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_overflow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
