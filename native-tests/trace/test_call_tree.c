/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Call trees alone: look-up, recursion, pruning, merging. */
#include "trace_test.h"

#include <stdlib.h>
#include <string.h>

enum { A = METHOD_FIRST, B, C, D };

struct fixture {
	struct memory_budget budget;
	struct call_tree tree;
};

static void start(struct fixture *fixture, uint64_t limit)
{
	memory_budget_init(&fixture->budget, limit);
	assert_int_equal(tree_init(&fixture->tree, &fixture->budget, 2, MEMORY_SMALL), 0);
}

static void finish(struct fixture *fixture)
{
	test_check_tree(&fixture->tree);
	tree_fini(&fixture->tree);
	assert_int_equal(atomic_load(&fixture->budget.used), 0);
}

/* Adds a node of so much base in both metrics, called once. */
static uint32_t add(struct call_tree *tree, uint32_t parent, uint32_t method, uint64_t base)
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

	start(&f, 1 << 20);
	assert_int_equal(f.tree.stride, 112);
	assert_int_equal(f.tree.count, 2);
	assert_int_equal(tree_bytes(&f.tree), arena_page());
	finish(&f);
}

/* A list, then a hash. */
static void test_wide(void **state)
{
	struct fixture f;
	uint32_t inner;

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

	start(&f, 1 << 20);
	a1 = add(&f.tree, TREE_ROOT, A, 1);
	b = add(&f.tree, a1, B, 1);
	a2 = add(&f.tree, b, A, 1);
	a3 = add(&f.tree, a2, A, 1);
	assert_int_equal(tree_at(&f.tree, a1)->recursion, 0);
	assert_int_equal(tree_at(&f.tree, b)->recursion, 0);
	assert_int_equal(tree_at(&f.tree, a2)->recursion, 1);
	assert_int_equal(tree_at(&f.tree, a3)->recursion, 2);
	finish(&f);
}

/* How many flat nodes the node has below it. */
static uint32_t flat_below(struct call_tree *tree, uint32_t node)
{
	uint32_t fold = tree_find(tree, node, METHOD_FOLDED);

	return fold != 0 ? tree_at(tree, fold)->children & TREE_CHILDREN : 0;
}

static struct tree_node *flat_of(struct call_tree *tree, uint32_t node, uint32_t method)
{
	uint32_t flat = tree_find(tree, tree_find(tree, node, METHOD_FOLDED), method);

	assert_int_not_equal(flat, 0);
	return tree_at(tree, flat);
}

/* What is small beside its parent goes, before what is smaller but not beside its own. */
static void test_prune_threshold(void **state)
{
	struct fixture f;
	struct test_sums before, after;
	uint32_t modest, large;

	start(&f, 1 << 20);
	modest = add(&f.tree, TREE_ROOT, A, 2000);
	large = add(&f.tree, TREE_ROOT, B, 10000);
	for (uint32_t i = 0; i < 10; i++)
		add(&f.tree, add(&f.tree, modest, C + i, 90), D + 20, 90);
	for (uint32_t i = 0; i < 10; i++)
		add(&f.tree, add(&f.tree, large, C + i, 500), D + 20, 0);
	for (uint32_t i = 10; i < 22; i++)
		for (uint32_t k = 0; k < 3; k++)
			add(&f.tree, add(&f.tree, large, C + i, 1), D + 30 + k, 1);
	tree_at(&f.tree, large)->calls = 7;
	tree_at(&f.tree, large)->jitted = 3;
	before = test_sum(&f.tree);
	assert_int_equal(before.nodes, 92);
	/* 48 nodes of 15 methods. */
	assert_int_equal(tree_prune(&f.tree, NULL, 0, NULL), 32);
	test_check_tree(&f.tree);
	after = test_sum(&f.tree);
	test_same_sums(&before, &after, 2);
	assert_int_equal(f.tree.moves, 1);
	assert_int_equal(f.tree.pruned, 32);
	modest = tree_find(&f.tree, TREE_ROOT, A);
	assert_int_equal(flat_below(&f.tree, modest), 0);
	large = tree_find(&f.tree, TREE_ROOT, B);
	assert_int_equal(tree_at(&f.tree, large)->calls, 7);
	assert_int_equal(flat_below(&f.tree, large), 15);
	assert_int_equal(flat_of(&f.tree, large, C + 21)->calls, 3);
	assert_int_equal(flat_of(&f.tree, large, D + 31)->calls, 12);
	finish(&f);
}

/* What the user's threshold is about goes, in whatever number, and nothing above it; where that is little, as ever. */
static void test_prune_below(void **state)
{
	static const struct {
		uint32_t percent, flat[2]; /* methods that are flat then, below A and below B */
	} rows[] = {{1, {0, 15}}, {4, {0, 15}}, {8, {0, 27}}, {12, {11, 27}}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture f;
		struct test_sums before, after;
		uint32_t modest, large;

		start(&f, 1 << 20);
		f.budget.fold_below = rows[i].percent;
		modest = add(&f.tree, TREE_ROOT, A, 2000);
		large = add(&f.tree, TREE_ROOT, B, 10000);
		for (uint32_t k = 0; k < 10; k++)
			add(&f.tree, add(&f.tree, modest, C + k, 900), D + 20, 900);
		/* A child is 9 % of A's; of B's 4.4, or 0.03 %. */
		for (uint32_t k = 0; k < 10; k++)
			add(&f.tree, add(&f.tree, large, C + k, 800), C + 60 + k % 2, 0);
		for (uint32_t k = 10; k < 22; k++)
			for (uint32_t n = 0; n < 3; n++)
				add(&f.tree, add(&f.tree, large, C + k, 1), D + 30 + n, 1);
		before = test_sum(&f.tree);
		assert_true(tree_prune(&f.tree, NULL, 0, NULL) > 0);
		test_check_tree(&f.tree);
		after = test_sum(&f.tree);
		test_same_sums(&before, &after, 2);
		modest = tree_find(&f.tree, TREE_ROOT, A);
		assert_int_equal(flat_below(&f.tree, modest), rows[i].flat[0]);
		large = tree_find(&f.tree, TREE_ROOT, B);
		assert_int_equal(flat_below(&f.tree, large), rows[i].flat[1]);
		finish(&f);
	}
}

/* A group whose methods are all different would not get smaller: it is left as it is. */
static void test_prune_gains(void **state)
{
	struct fixture f;

	start(&f, 1 << 20);
	for (uint32_t i = 0; i < 40; i++)
		add(&f.tree, add(&f.tree, TREE_ROOT, A + i, 1000 - i), A + 100 + i, 0);
	assert_int_equal(tree_prune(&f.tree, NULL, 0, NULL), 0);
	assert_int_equal(f.tree.count, 82);
	assert_int_equal(f.tree.moves, 0);
	finish(&f);
}

/* Nothing that a frame is on goes; frames get their nodes' new numbers. */
static void test_prune_frames(void **state)
{
	struct fixture f;
	struct shadow_frame frame[4] = {{0, METHOD_ROOT, 0}};
	uint32_t current = 0;

	start(&f, 1 << 20);
	for (uint32_t i = 0; i < 100; i++)
		add(&f.tree, add(&f.tree, TREE_ROOT, A + i, 1000), A + 7, 1000);
	for (uint32_t depth = 1; depth < 4; depth++)
		frame[depth] = (struct shadow_frame){
			add(&f.tree, frame[depth - 1].node, A + 50, 0), A + 50, 0};
	for (uint32_t i = 0; i < 100; i++)
		add(&f.tree, add(&f.tree, frame[3].node, A + 100 + i, 0), A + 7, 0);
	assert_true(tree_prune(&f.tree, frame, 4, &current) >= 98);
	assert_int_equal(current, frame[3].node);
	for (uint32_t depth = 1; depth < 4; depth++) {
		struct tree_node *node = tree_at(&f.tree, frame[depth].node);

		assert_int_equal(node->method, A + 50);
		assert_int_equal(node->parent, frame[depth - 1].node);
		assert_int_equal(node->recursion, depth - 1);
	}
	assert_int_equal(flat_of(&f.tree, frame[3].node, A + 7)->calls, 100);
	finish(&f);
}

/* Frames alone are too much: they are folded, too, and lead to flat nodes. */
static void test_prune_frames_too(void **state)
{
	enum { DEEP = 10000 };
	struct fixture f;
	struct shadow_frame *frame = calloc(DEEP + 1, sizeof(*frame));
	struct test_sums before, after;
	uint32_t current;

	start(&f, 2 << 20);
	for (uint32_t i = 1; i <= DEEP; i++)
		frame[i] = (struct shadow_frame){
			add(&f.tree, frame[i - 1].node, A + i % 7, i), A + i % 7, 0};
	before = test_sum(&f.tree);
	assert_int_equal(tree_prune(&f.tree, frame, DEEP + 1, &current), DEEP - 7);
	after = test_sum(&f.tree);
	test_same_sums(&before, &after, 2);
	assert_int_equal(current, frame[DEEP].node);
	for (uint32_t i = 1; i <= DEEP; i++) {
		assert_int_equal(tree_at(&f.tree, frame[i].node)->method, A + i % 7);
		assert_int_equal(tree_at(&f.tree, frame[i].node)->parent, TREE_FOLDED);
	}
	/* Calls from there go to the flat nodes. */
	assert_int_equal(tree_find(&f.tree, current, A), frame[7].node);
	assert_int_equal(tree_at(&f.tree, current)->last_child, frame[7].node);
	assert_int_equal(
		tree_at(&f.tree, tree_add(&f.tree, current, A + 8))->parent, TREE_FOLDED);
	finish(&f);
	free(frame);
}

/* A method is native, or not, also where it is flat. */
static void test_prune_states(void **state)
{
	struct fixture f;
	struct tree_states states;

	start(&f, 1 << 20);
	for (uint32_t i = 0; i < 60; i++) {
		uint32_t caller = add(&f.tree, TREE_ROOT, A + 10 + i % 30, 1000);
		struct tree_node *node = tree_at(&f.tree, add(&f.tree, caller, A + i % 2, 1));

		node->calls += 9;
		node->jitted += i % 3;
		if (i % 2)
			node->children |= TREE_NATIVE;
	}
	tree_prune(&f.tree, NULL, 0, NULL);
	test_check_tree(&f.tree);
	states = tree_node_states(flat_of(&f.tree, TREE_ROOT, A));
	assert_int_equal(states.jitted, 30);
	assert_int_equal(states.interpreted, 30 * 10 - 30);
	assert_int_equal(states.native, 0);
	states = tree_node_states(flat_of(&f.tree, TREE_ROOT, A + 1));
	assert_int_equal(states.jitted, 30);
	assert_int_equal(states.interpreted, 0);
	assert_int_equal(states.native, 30 * 10 - 30);
	finish(&f);
}

/* Where nothing can go, the next tries are put off. */
static void test_prune_nothing(void **state)
{
	struct fixture f;
	struct shadow_frame frame[101] = {{0, METHOD_ROOT, 0}};
	uint32_t current;

	start(&f, 1 << 20);
	for (uint32_t i = 1; i <= 100; i++)
		frame[i] = (struct shadow_frame){
			add(&f.tree, frame[i - 1].node, A + i % 7, i), A + i % 7, 0};
	assert_int_equal(tree_prune(&f.tree, frame, 101, &current), 0);
	assert_int_equal(current, frame[100].node);
	assert_int_equal(f.tree.moves, 0);
	assert_true(f.tree.patience > 0);
	for (uint32_t i = 1; i <= 100; i++)
		assert_int_equal(
			tree_find(&f.tree, frame[i - 1].node, A + i % 7), frame[i].node);
	finish(&f);
}

static void test_prune_held(void **state)
{
	struct fixture f;

	start(&f, 1 << 20);
	for (uint32_t i = 0; i < 30; i++)
		add(&f.tree, add(&f.tree, TREE_ROOT, A + i, 1), A + 99, 1);
	f.tree.hold = true;
	assert_int_equal(tree_prune(&f.tree, NULL, 0, NULL), 0);
	assert_int_equal(f.tree.count, 62);
	finish(&f);
}

/* Where accounts go: each node has one of its own, for the file of its method. Returns how many. */
static uint32_t add_accounts(struct call_tree *tree)
{
	for (uint32_t i = TREE_FOLDED + 1; i < tree->count; i++) {
		struct operation operation = {
			.node = i, .subject = tree_at(tree, i)->method, .amount = i};

		accounts_add(&tree->accounts, NULL, tree->budget, &operation);
	}
	return tree->count - (TREE_FOLDED + 1);
}

static void check_accounts(struct call_tree *tree, uint64_t ops)
{
	uint64_t sum = 0;

	accounts_post(&tree->accounts, tree->budget);
	for (uint32_t i = 0; i < tree->accounts.count; i++) {
		const struct account *account = account_at(&tree->accounts, i);

		assert_int_equal(tree_at(tree, account->node)->method, account->subject);
		sum += account->count;
	}
	assert_int_equal(sum, ops);
}

static uint32_t depth_of(const struct call_tree *tree, uint32_t node)
{
	uint32_t depth = 0;

	for (; node != TREE_ROOT; node = tree_at(tree, node)->parent)
		depth++;
	return depth;
}

/* What is known outside of one id. */
struct known {
	uint32_t id, method, parent_id;
	uint64_t calls;
};

/* All nodes, by rising ids where the tree was not pruned meanwhile; makes them known. */
static struct known *make_known(struct call_tree *tree)
{
	struct known *known = calloc(tree->count, sizeof(*known));

	for (uint32_t i = 0; i < tree->count; i++) {
		struct tree_node *node = tree_at(tree, i);

		if (i % 2)
			*tree_written(tree, i) = 1;
		else
			node->children |= TREE_REFERRED;
		known[i] = (struct known){
			node->id, node->method, tree_at(tree, node->parent)->id, node->calls};
	}
	return known;
}

static uint32_t index_of(const struct call_tree *tree, uint32_t id)
{
	for (uint32_t i = 0; i < tree->count; i++)
		if (tree_at(tree, i)->id == id)
			return i;
	return UINT32_MAX;
}

/* Each id is that of the same path still, or there is one forward of it to a node of its method, and
 * then it never comes back; so each node has what the ids that lead to it had. */
static void check_forwards(struct call_tree *tree, const struct known *known, uint32_t count)
{
	uint64_t *calls = calloc(tree->count, sizeof(*calls));
	const struct tree_forward *forwards = tree_forwards(tree);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t to = index_of(tree, known[i].id), found = 0;

		if (to != UINT32_MAX)
			assert_int_equal(tree_at(tree, tree_at(tree, to)->parent)->id,
				known[i].parent_id);
		for (uint32_t k = 0; k < tree->forward_count; k++) {
			if (forwards[k].from != known[i].id)
				continue;
			assert_int_equal(forwards[k].thread, 0);
			assert_int_equal(to, UINT32_MAX);
			to = forwards[k].to;
			found++;
		}
		assert_true(found <= 1 && to < tree->count);
		if (known[i].method != METHOD_FOLDED)
			assert_int_equal(tree_at(tree, to)->method, known[i].method);
		calls[to] += known[i].calls;
	}
	for (uint32_t i = 0; i < tree->count; i++) {
		assert_int_equal(calls[i], tree_at(tree, i)->calls);
		assert_true(i == 0 ||
			    tree_at(tree, i)->id > tree_at(tree, tree_at(tree, i)->parent)->id);
	}
	tree->forward_shown = tree->forward_count;
	tree_forget_forwards(tree);
	free(calls);
}

/* Random trees with random frames, pruned again and again until nothing is left to prune,
 * and grown in between: sums by method stay, paths that are kept are those that were,
 * accounts and frames follow their nodes. */
static void test_prune_random(void **state)
{
	static struct test_sums before[TEST_METHODS], after[TEST_METHODS];
	struct test_random random = {42};
	uint64_t gone_at_all = 0;

	for (int round = 0; round < 200; round++) {
		struct fixture f;
		uint32_t methods = 1 + test_random(&random, 60), frames = 1, accounts = 0,
			 current;
		struct shadow_frame frame[64] = {{0, METHOD_ROOT, 0}};

		start(&f, 64 << 20);
		if (round % 4 == 1)
			f.budget.claimants = 1 << 20; /* every tree is large: frames go, too */
		for (int again = 0; again < 3; again++) {
			for (uint32_t i = 0; i < 1000; i++) {
				uint32_t parent = test_random(&random, f.tree.count);

				if (depth_of(&f.tree, parent) > 40)
					parent = TREE_ROOT;
				add(&f.tree, parent, A + test_random(&random, methods),
					test_random(&random, 4) * test_random(&random, 1000));
			}
			if (again == 0) {
				accounts = add_accounts(&f.tree);
				while (frames < 20 && round % 3 > 0) {
					frame[frames].node =
						add(&f.tree, frame[frames - 1].node,
							A + test_random(&random, methods), 0);
					frame[frames].method =
						tree_at(&f.tree, frame[frames].node)->method;
					frames++;
				}
			}
			memset(before, 0, sizeof(before));
			test_add_methods(before, &f.tree);
			for (int i = 0; i < 4; i++) {
				uint32_t count = f.tree.count, gone;
				struct known *known = make_known(&f.tree);

				f.tree.patience = 0;
				gone = tree_prune(&f.tree, frame, frames, &current);
				gone_at_all += gone;
				assert_int_equal(gone, count - f.tree.count);
				test_check_tree(&f.tree);
				check_forwards(&f.tree, known, count);
				free(known);
				memset(after, 0, sizeof(after));
				test_add_methods(after, &f.tree);
				test_same_methods(before, after, 2);
				for (uint32_t k = 1; k < frames; k++)
					assert_int_equal(
						tree_at(&f.tree, frame[k].node)->method,
						frame[k].method);
				assert_int_equal(current, frame[frames - 1].node);
			}
			check_accounts(&f.tree, accounts);
		}
		finish(&f);
	}
	assert_true(gone_at_all > 100000);
}

/* A pruned tree gives memory back. */
static void test_prune_shrinks(void **state)
{
	struct fixture f;
	size_t bytes;

	start(&f, 64 << 20);
	for (uint32_t i = 0; i < 50000; i++)
		add(&f.tree, add(&f.tree, TREE_ROOT, A + i % 500, i < 10 ? 100000 : 1),
			A + 500 + i / 500, 1);
	bytes = tree_bytes(&f.tree);
	assert_int_equal(atomic_load(&f.budget.used), bytes);
	tree_prune(&f.tree, NULL, 0, NULL);
	assert_int_equal(f.tree.count, 1602);
	assert_int_equal(tree_bytes(&f.tree), atomic_load(&f.budget.used));
	assert_true(tree_bytes(&f.tree) < bytes / 4);
	finish(&f);
}

static void test_merge(void **state)
{
	struct fixture f;
	struct call_tree other;
	uint32_t a, b;

	start(&f, 1 << 20);
	assert_int_equal(tree_init(&other, &f.budget, 2, MEMORY_SMALL), 0);
	a = add(&f.tree, TREE_ROOT, A, 10);
	add(&f.tree, a, B, 20);
	b = add(&other, TREE_ROOT, B, 1);
	a = add(&other, TREE_ROOT, A, 2);
	tree_at(&other, a)->jitted = 1;
	add(&other, a, B, 3);
	add(&other, a, C, 4);
	tree_at(&other, add(&other, b, D, 5))->children |= TREE_NATIVE;
	tree_at(&other, tree_flat(&other, a, D))->calls = 6;
	tree_at(&other, TREE_ROOT)->base[0] = 7;
	tree_merge(&f.tree, &other, 7);
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
	a = tree_find(&f.tree, TREE_ROOT, A);
	assert_int_equal(flat_of(&f.tree, a, D)->calls, 6);
	assert_int_equal(f.tree.count, 9);
	finish(&f);
}

/* What finds no memory goes to flat nodes, and no method loses anything. */
static void test_merge_no_memory(void **state)
{
	static struct test_sums sums[TEST_METHODS], after[TEST_METHODS];
	struct fixture f, from;

	memset(sums, 0, sizeof(sums));
	memset(after, 0, sizeof(after));
	start(&f, 4 * arena_page());
	start(&from, 64 << 20);
	for (uint32_t i = 0; i < 3000; i++) {
		uint32_t node = add(&from.tree, TREE_ROOT, A + i % 100, i);

		node = add(&from.tree, node, A + 100 + i % 250, i);
		if (i % 2)
			tree_at(&from.tree, node)->children |= TREE_NATIVE;
	}
	test_add_methods(sums, &from.tree);
	tree_merge(&f.tree, &from.tree, 7);
	test_add_methods(after, &f.tree);
	test_same_methods(sums, after, 2);
	assert_true(f.tree.pruned > 0);
	tree_fini(&from.tree);
	finish(&f);
}

/* Folds and flat nodes are found, not made twice; what is below a flat node is flat. */
static void test_merge_folded(void **state)
{
	struct fixture f;
	struct call_tree other;
	uint32_t a, b;

	start(&f, 1 << 20);
	assert_int_equal(tree_init(&other, &f.budget, 2, MEMORY_SMALL), 0);
	a = add(&f.tree, TREE_ROOT, A, 1);
	tree_at(&f.tree, tree_flat(&f.tree, a, B))->base[0] = 5;
	f.tree.forced = false;
	a = add(&other, TREE_ROOT, A, 1);
	tree_at(&other, tree_flat(&other, a, B))->base[0] = 6;
	for (uint32_t i = 0; i < 20; i++)
		add(&other, a, B + i, 1);
	tree_merge(&f.tree, &other, 7);
	tree_fini(&other);
	a = tree_find(&f.tree, TREE_ROOT, A);
	assert_int_equal(flat_of(&f.tree, a, B)->base[0], 11);
	assert_int_equal(f.tree.count, 25);
	b = tree_flat(&f.tree, a, B);
	assert_int_equal(tree_place(&f.tree, b, METHOD_FOLDED), tree_at(&f.tree, b)->parent);
	assert_int_equal(tree_at(&f.tree, tree_place(&f.tree, b, D))->parent,
		tree_at(&f.tree, b)->parent);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_prune_threshold),
		cmocka_unit_test(test_prune_below),
		cmocka_unit_test(test_prune_gains),
		cmocka_unit_test(test_prune_frames),
		cmocka_unit_test(test_prune_frames_too),
		cmocka_unit_test(test_prune_states),
		cmocka_unit_test(test_prune_nothing),
		cmocka_unit_test(test_prune_held),
		cmocka_unit_test(test_prune_random),
		cmocka_unit_test(test_prune_shrinks),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_no_memory),
		cmocka_unit_test(test_merge_folded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
