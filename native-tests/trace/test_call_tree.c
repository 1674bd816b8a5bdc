/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Call trees alone: look-up, recursion, instances, pruning, merging. */
#include "trace_test.h"

#include <string.h>

enum { A = METHOD_FIRST, B, C, D };

struct fixture {
	struct memory_budget budget;
	struct call_tree tree;
};

static void start(struct fixture *fixture, uint64_t limit)
{
	memory_budget_init(&fixture->budget, limit);
	assert_int_equal(tree_init(&fixture->tree, &fixture->budget, 2), 0);
}

static void finish(struct fixture *fixture)
{
	test_check_tree(&fixture->tree);
	tree_fini(&fixture->tree);
	assert_int_equal(atomic_load(&fixture->budget.used), 0);
}

/* Adds a node of so much base in both metrics, called once. */
static uint32_t add(
	struct call_tree *tree, uint32_t parent, uint32_t method, uint64_t base)
{
	uint32_t index = tree_find(tree, parent, method);
	struct tree_node *node;

	if (index == 0)
		index = tree_add(tree, parent, method);
	assert_int_not_equal(index, 0);
	node = tree_at(tree, index);
	node->calls++;
	node->transition[0][1]++;
	node->base[0] += base;
	node->base[1] += 3 * base;
	return index;
}

static void test_size(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, 1 << 20);
	assert_int_equal(f.tree.stride, 112);
	assert_int_equal(f.tree.count, 2);
	assert_int_equal(tree_bytes(&f.tree), arena_page());
	finish(&f);
}

/* A list, then a hash; beyond the first few methods the index of instances is mapped too.
 */
static void test_wide(void **state)
{
	struct fixture f;
	uint32_t inner;

	(void)state;
	start(&f, 64 << 20);
	inner = add(&f.tree, TREE_ROOT, A, 1);
	for (uint32_t i = 0; i < 5000; i++) {
		assert_int_equal(tree_find(&f.tree, inner, B + i), 0);
		assert_int_equal(add(&f.tree, inner, B + i, 1), i + 3);
		if (i < 40)
			test_check_tree(&f.tree);
	}
	for (uint32_t i = 5000; i-- > 0;)
		assert_int_equal(tree_find(&f.tree, inner, B + i), i + 3);
	assert_int_equal(tree_find(&f.tree, inner, B + 5000), 0);
	finish(&f);
}

static void test_recursion(void **state)
{
	struct fixture f;
	uint32_t a1, b, a2, a3;

	(void)state;
	start(&f, 1 << 20);
	a1 = add(&f.tree, TREE_ROOT, A, 1);
	b = add(&f.tree, a1, B, 1);
	a2 = add(&f.tree, b, A, 1);
	a3 = add(&f.tree, a2, A, 1);
	assert_int_equal(tree_at(&f.tree, a1)->recursion, 0);
	assert_int_equal(tree_at(&f.tree, b)->recursion, 0);
	assert_int_equal(tree_at(&f.tree, a2)->recursion, 1);
	assert_int_equal(tree_at(&f.tree, a3)->recursion, 2);
	assert_int_equal(tree_instance(&f.tree, A), a3);
	assert_int_equal(tree_at(&f.tree, a3)->next_instance, a2);
	assert_int_equal(tree_at(&f.tree, a2)->next_instance, a1);
	assert_int_equal(tree_at(&f.tree, a1)->next_instance, 0);
	assert_int_equal(tree_instance(&f.tree, C), 0);
	finish(&f);
}

/* What is small beside its parent goes, before what is smaller but not beside its own. */
static void test_prune_threshold(void **state)
{
	struct fixture f;
	struct test_sums before, after;
	uint32_t modest, large, pruned;

	(void)state;
	start(&f, 1 << 20);
	modest = add(&f.tree, TREE_ROOT, A, 2000);
	large = add(&f.tree, TREE_ROOT, B, 10000);
	for (uint32_t i = 0; i < 4; i++)
		add(&f.tree, modest, C + i, 90);
	for (uint32_t i = 0; i < 10; i++)
		add(&f.tree, large, C + i, i < 5 ? 100 : 1);
	tree_at(&f.tree, large)->calls = 7;
	tree_at(&f.tree, large)->jitted = 3;
	before = test_sum(&f.tree);
	assert_int_equal(before.nodes, 18);
	assert_int_equal(tree_prune(&f.tree, NULL, 0, NULL), 9);
	test_check_tree(&f.tree);
	after = test_sum(&f.tree);
	test_same_sums(&before, &after, 2);
	assert_int_equal(f.tree.generation, 1);
	assert_int_equal(f.tree.pruned, 9);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_not_equal(
			tree_find(&f.tree, tree_find(&f.tree, TREE_ROOT, A), C + i), 0);
	large = tree_find(&f.tree, TREE_ROOT, B);
	assert_int_equal(tree_at(&f.tree, large)->calls, 7);
	pruned = tree_find(&f.tree, large, METHOD_PRUNED);
	assert_int_not_equal(pruned, 0);
	assert_int_equal(tree_at(&f.tree, pruned)->calls, 10);
	assert_int_equal(tree_at(&f.tree, pruned)->base[0], 505);
	assert_int_equal(tree_find(&f.tree, large, C + 9), 0);
	assert_int_equal(tree_pruned_place(&f.tree, large), pruned);
	finish(&f);
}

/* Of a fine and a coarse half only the fine one goes. */
static void test_prune_finest_first(void **state)
{
	struct fixture f;
	uint32_t pruned;

	(void)state;
	start(&f, 1 << 20);
	for (uint32_t i = 0; i < 20; i++) {
		add(&f.tree, TREE_ROOT, A + i, 1000);
		add(&f.tree, TREE_ROOT, A + 20 + i, 1);
		add(&f.tree, TREE_ROOT, A + 40 + i, 0);
	}
	assert_int_equal(tree_prune(&f.tree, NULL, 0, NULL), 40);
	pruned = TREE_PRUNED;
	assert_int_equal(tree_at(&f.tree, pruned)->calls, 40);
	assert_int_equal(tree_at(&f.tree, pruned)->base[0], 20);
	assert_int_equal(tree_at(&f.tree, pruned)->base[1], 60);
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(tree_find(&f.tree, TREE_ROOT, A + i), 2 + i);
	finish(&f);
}

/* A lone child is not worth folding: its "(pruned)" node would take its place. */
static void test_prune_gains(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, 1 << 20);
	for (uint32_t i = 0; i < 40; i++)
		add(&f.tree, add(&f.tree, TREE_ROOT, A + i, 1000), B, 0);
	for (uint32_t i = 0; i < 10; i++)
		add(&f.tree, TREE_ROOT, A + 40 + i, 0);
	assert_int_equal(tree_prune(&f.tree, NULL, 0, NULL), 90);
	finish(&f);
}

/* Nothing that a frame is on goes; frames get their nodes' new numbers. */
static void test_prune_frames(void **state)
{
	struct fixture f;
	struct shadow_frame frame[4] = {{0, METHOD_ROOT, 0}};
	uint32_t current = 0;

	(void)state;
	start(&f, 1 << 20);
	for (uint32_t i = 0; i < 100; i++)
		add(&f.tree, TREE_ROOT, A + i, 1000);
	for (uint32_t depth = 1; depth < 4; depth++)
		frame[depth] = (struct shadow_frame){
			add(&f.tree, frame[depth - 1].node, A + 50, 0), A + 50, 0};
	for (uint32_t i = 0; i < 100; i++)
		add(&f.tree, frame[3].node, A + 100 + i, 0);
	assert_true(tree_prune(&f.tree, frame, 4, &current) >= 99);
	assert_int_equal(current, frame[3].node);
	for (uint32_t depth = 1; depth < 4; depth++) {
		struct tree_node *node = tree_at(&f.tree, frame[depth].node);

		assert_int_equal(node->method, A + 50);
		assert_int_equal(node->parent, frame[depth - 1].node);
		assert_int_equal(node->recursion, depth - 1);
	}
	assert_int_not_equal(tree_find(&f.tree, frame[3].node, METHOD_PRUNED), 0);
	finish(&f);
}

/* Native calls are told apart from interpreted ones also below "(pruned)". */
static void test_prune_states(void **state)
{
	struct fixture f;
	struct tree_states states;

	(void)state;
	start(&f, 1 << 20);
	for (uint32_t i = 0; i < 30; i++) {
		struct tree_node *node = tree_at(
			&f.tree, add(&f.tree, TREE_ROOT, A + i, i == 0 ? 1000 : 1));

		node->calls = 10;
		node->jitted = i % 3;
		if (i % 2)
			node->children |= TREE_NATIVE;
	}
	assert_int_equal(tree_prune(&f.tree, NULL, 0, NULL), 29);
	states = tree_node_states(tree_at(&f.tree, TREE_PRUNED));
	assert_int_equal(states.jitted, 30); /* 1, 2, 0, 1, ... */
	assert_int_equal(states.native, 15 * 10 - 15);
	assert_int_equal(states.interpreted, 14 * 10 - 15);
	finish(&f);
}

/* Where nothing can go, the next tries are put off. */
static void test_prune_nothing(void **state)
{
	struct fixture f;
	struct shadow_frame frame[101] = {{0, METHOD_ROOT, 0}};
	uint32_t current;

	(void)state;
	start(&f, 1 << 20);
	for (uint32_t i = 1; i <= 100; i++)
		frame[i] = (struct shadow_frame){
			add(&f.tree, frame[i - 1].node, A + i % 7, i), A + i % 7, 0};
	assert_int_equal(tree_prune(&f.tree, frame, 101, &current), 0);
	assert_int_equal(current, frame[100].node);
	assert_int_equal(f.tree.generation, 0);
	assert_true(f.tree.patience > 0);
	for (uint32_t i = 1; i <= 100; i++)
		assert_int_equal(
			tree_find(&f.tree, frame[i - 1].node, A + i % 7), frame[i].node);
	finish(&f);
}

static void test_prune_held(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, 1 << 20);
	for (uint32_t i = 0; i < 30; i++)
		add(&f.tree, TREE_ROOT, A + i, 1);
	f.tree.hold = true;
	assert_int_equal(tree_prune(&f.tree, NULL, 0, NULL), 0);
	assert_int_equal(f.tree.count, 32);
	finish(&f);
}

/* Random trees, pruned again and again until nothing is left to prune. */
static void test_prune_random(void **state)
{
	struct test_random random = {42};

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct fixture f;
		struct test_sums before, after;
		uint32_t methods = 1 + test_random(&random, 60);

		start(&f, 64 << 20);
		for (uint32_t i = 0; i < 1000; i++) {
			uint32_t parent = test_random(&random, f.tree.count);

			if (tree_at(&f.tree, parent)->method == METHOD_PRUNED)
				parent = TREE_ROOT;
			add(&f.tree, parent, A + test_random(&random, methods),
				test_random(&random, 4) * test_random(&random, 1000));
		}
		if (round % 3 == 0)
			tree_close(&f.tree);
		before = test_sum(&f.tree);
		for (int i = 0; i < 12; i++) {
			uint32_t count = f.tree.count, gone;

			f.tree.patience = 0;
			gone = tree_prune(&f.tree, NULL, 0, NULL);
			assert_int_equal(gone, count - f.tree.count);
			assert_true(gone >= count / 4 || count < 20);
			test_check_tree(&f.tree);
			after = test_sum(&f.tree);
			test_same_sums(&before, &after, 2);
		}
		assert_int_equal(f.tree.count, 2);
		finish(&f);
	}
}

/* A pruned tree gives memory back. */
static void test_prune_shrinks(void **state)
{
	struct fixture f;
	size_t bytes;

	(void)state;
	start(&f, 64 << 20);
	for (uint32_t i = 0; i < 100000; i++)
		add(&f.tree, TREE_ROOT, A + i, i < 10 ? 100000 : 1);
	bytes = tree_bytes(&f.tree);
	assert_int_equal(atomic_load(&f.budget.used), bytes);
	tree_prune(&f.tree, NULL, 0, NULL);
	assert_int_equal(f.tree.count, 12);
	assert_int_equal(tree_bytes(&f.tree), atomic_load(&f.budget.used));
	assert_true(tree_bytes(&f.tree) < bytes / 4);
	finish(&f);
}

static void test_merge(void **state)
{
	struct fixture f;
	struct call_tree other;
	uint32_t a, b;

	(void)state;
	start(&f, 1 << 20);
	assert_int_equal(tree_init(&other, &f.budget, 2), 0);
	a = add(&f.tree, TREE_ROOT, A, 10);
	add(&f.tree, a, B, 20);
	b = add(&other, TREE_ROOT, B, 1);
	a = add(&other, TREE_ROOT, A, 2);
	tree_at(&other, a)->jitted = 1;
	add(&other, a, B, 3);
	add(&other, a, C, 4);
	tree_at(&other, add(&other, b, D, 5))->children |= TREE_NATIVE;
	tree_at(&other, TREE_PRUNED)->calls = 6;
	tree_at(&other, TREE_PRUNED)->pruned_native = 2;
	tree_at(&other, TREE_ROOT)->base[0] = 7;
	tree_merge(&f.tree, &other);
	tree_fini(&other);

	a = tree_find(&f.tree, TREE_ROOT, A);
	assert_int_equal(tree_at(&f.tree, a)->calls, 2);
	assert_int_equal(tree_at(&f.tree, a)->jitted, 1);
	assert_int_equal(tree_at(&f.tree, a)->base[0], 12);
	assert_int_equal(tree_at(&f.tree, tree_find(&f.tree, a, B))->base[0], 23);
	assert_int_equal(tree_at(&f.tree, tree_find(&f.tree, a, C))->base[1], 12);
	b = tree_find(&f.tree, TREE_ROOT, B);
	b = tree_find(&f.tree, b, D);
	assert_int_equal(tree_node_states(tree_at(&f.tree, b)).native, 1);
	assert_int_equal(tree_at(&f.tree, TREE_ROOT)->base[0], 7);
	assert_int_equal(tree_node_states(tree_at(&f.tree, TREE_PRUNED)).native, 2);
	assert_int_equal(f.tree.count, 7);
	finish(&f);
}

/* What finds no memory goes to "(pruned)", and nothing is lost. */
static void test_merge_no_memory(void **state)
{
	struct fixture f, from;
	struct test_sums sums = {0}, after;

	(void)state;
	start(&f, 4 * arena_page());
	start(&from, 64 << 20);
	for (uint32_t i = 0; i < 3000; i++) {
		uint32_t node = add(&from.tree, TREE_ROOT, A + i % 100, i);

		node = add(&from.tree, node, A + i, i);
		if (i % 2)
			tree_at(&from.tree, node)->children |= TREE_NATIVE;
	}
	for (uint32_t i = 0; i < from.tree.count; i++)
		test_add_node(&sums, tree_at(&from.tree, i), 2);
	tree_merge(&f.tree, &from.tree);
	after = test_sum(&f.tree);
	test_same_sums(&sums, &after, 2);
	assert_true(tree_at(&f.tree, TREE_PRUNED)->calls > 0);
	tree_fini(&from.tree);
	finish(&f);
}

/* Only leaves below "(pruned)" of any parent: it is found, not made twice. */
static void test_merge_pruned(void **state)
{
	struct fixture f;
	struct call_tree other;
	uint32_t a;

	(void)state;
	start(&f, 1 << 20);
	assert_int_equal(tree_init(&other, &f.budget, 2), 0);
	a = add(&f.tree, TREE_ROOT, A, 1);
	add(&f.tree, a, METHOD_PRUNED, 5);
	a = add(&other, TREE_ROOT, A, 1);
	add(&other, a, METHOD_PRUNED, 6);
	for (uint32_t i = 0; i < 20; i++)
		add(&other, a, B + i, 1);
	tree_merge(&f.tree, &other);
	tree_fini(&other);
	a = tree_find(&f.tree, TREE_ROOT, A);
	assert_int_equal(
		tree_at(&f.tree, tree_find(&f.tree, a, METHOD_PRUNED))->base[0], 11);
	assert_int_equal(f.tree.count, 24);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_prune_threshold),
		cmocka_unit_test(test_prune_finest_first),
		cmocka_unit_test(test_prune_gains),
		cmocka_unit_test(test_prune_frames),
		cmocka_unit_test(test_prune_states),
		cmocka_unit_test(test_prune_nothing),
		cmocka_unit_test(test_prune_held),
		cmocka_unit_test(test_prune_random),
		cmocka_unit_test(test_prune_shrinks),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_no_memory),
		cmocka_unit_test(test_merge_pruned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
