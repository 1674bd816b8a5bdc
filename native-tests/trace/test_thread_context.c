/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Events against a naive model: exact where memory suffices, exact in every sum where
 * not. */
#include "trace_test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { A = METHOD_FIRST, B, C, UNKNOWN };

struct fixture {
	struct metric_set set;
	struct trace *trace;
	struct thread_context *context;
	uint64_t forced; /* bytes that it may take beyond the limit */
};

static void start(struct fixture *f, uint64_t limit)
{
	*f = (struct fixture){0};
	f->set = test_set(2);
	f->trace = trace_create(&f->set, limit);
	assert_non_null(f->trace);
	f->context = test_begin(f->trace, "main");
	assert_non_null(f->context);
}

static void finish(struct fixture *f)
{
	struct trace_state state;

	trace_get_state(f->trace, &state);
	assert_true(state.memory_peak <= state.memory_limit + f->forced);
	trace_destroy(f->trace);
}

static void enter(struct fixture *f, uint32_t method)
{
	context_enter(SHAPE_ANY, f->context, method, STATE_JITTED, false);
}

static void leave(struct fixture *f, uint32_t method)
{
	context_exit(SHAPE_ANY, f->context, method, false);
}

static void leave_by_exception(struct fixture *f, uint32_t method)
{
	context_exit(SHAPE_ANY, f->context, method, true);
}

static struct tree_node *node_of(struct fixture *f, uint32_t parent, uint32_t method)
{
	return tree_at(&f->context->tree, tree_find(&f->context->tree, parent, method));
}

static void test_random_walks(void **state)
{
	static const struct {
		int line;
		uint32_t methods, depth;
		bool faults;
		uint32_t steps;
	} row[] = {
		{__LINE__, 1, 20, false, 20000},
		{__LINE__, 3, 8, false, 100000},
		{__LINE__, 3, 8, true, 100000},
		{__LINE__, 40, 6, true, 200000},
		{__LINE__, 2, 300, true, 20000},
		{__LINE__, 1000, 3, false, 100000},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct fixture f;
		struct model model;
		struct test_walk walk = {
			{i}, &model, NULL, row[i].methods, row[i].depth, row[i].faults};

		print_message("walk of line %d\n", row[i].line);
		start(&f, 256 << 20);
		model_init(&model);
		walk.context = f.context;
		for (uint32_t k = 0; k < row[i].steps; k++)
			test_step(&walk);
		test_check_tree(&f.context->tree);
		test_same_tree(&f.context->tree, &model);
		sequence_model_check(model.sequences, f.trace);
		assert_int_equal(f.context->repaired, model.repaired);
		assert_int_equal(f.context->unmatched, model.unmatched);
		assert_int_equal(f.context->unwound, model.unwound);
		assert_true(model.unwound > 0);
		assert_int_equal(f.context->lost, 0);
		assert_int_equal(f.context->tree.pruned, 0);
		if (row[i].faults)
			assert_true(model.repaired > 0 && model.unmatched > 0);
		model_fini(&model);
		finish(&f);
	}
}

/* A counter that each look at it makes one more. */
static uint64_t look(void *looks)
{
	return ++*(uint64_t *)looks;
}

/* Whatever was looked at beside the events themselves was spent, by nodes that have it in their
 * base, and stays so when nodes are folded. */
static void check_spent(struct fixture *f, uint64_t looks, uint64_t events)
{
	struct test_sums sums = test_sum(&f->context->tree);

	assert_int_equal(sums.base[0], looks - 1); /* the thread's begin */
	assert_int_equal(sums.spent[0], looks - 1 - events);
	for (uint32_t i = 0; i < f->context->tree.count; i++) {
		const struct tree_node *node = tree_at(&f->context->tree, i);

		assert_true(node->base[1] <= node->base[0]);
		assert_true(node->base[0] < looks);
	}
}

static void start_looking(struct fixture *f, uint64_t limit, uint64_t *looks)
{
	struct thread_identity identity = {.name = "looks"};

	*f = (struct fixture){0};
	*looks = 0;
	f->set = test_set(1);
	f->set.metric[0].kind = METRIC_ALLOC;
	f->trace = trace_create(&f->set, limit);
	f->context = trace_thread_begin(
		f->trace, &identity, (struct alloc_source){.read = look, .argument = looks});
	assert_int_equal(*looks, 1);
}

static void test_spent(void **state)
{
	struct fixture f;
	uint64_t looks, before;

	start_looking(&f, 1 << 20, &looks);
	for (int i = 0; i < 3; i++) {
		enter(&f, A);
		leave(&f, A);
	}
	check_spent(&f, looks, 6);
	assert_true(looks > 6);
	/* The usual ways spend nothing. */
	before = looks;
	for (int i = 0; i < 100; i++) {
		enter(&f, A);
		leave(&f, A);
	}
	assert_int_equal(looks - before, 200);
	/* Nor do children in their turn; one out of turn is looked for. */
	enter(&f, A);
	for (int i = 0; i < 30; i++) {
		before = looks;
		enter(&f, A + i % 3);
		leave(&f, A + i % 3);
		assert_true(i < 3 || looks - before == 2);
	}
	before = looks;
	enter(&f, B);
	leave(&f, B);
	assert_int_equal(looks - before, 4);
	leave(&f, A);
	check_spent(&f, looks, 6 + 200 + 64);
	/* A repaired exit, an unwinding. */
	enter(&f, A);
	enter(&f, B);
	leave(&f, A);
	check_spent(&f, looks, 6 + 200 + 64 + 3);
	enter(&f, A);
	enter(&f, B);
	enter(&f, C);
	before = looks;
	context_caught(f.context, A); /* makes the cells of unwindings between two frames */
	assert_true(looks - before >= 3);
	check_spent(&f, looks, 6 + 200 + 64 + 3 + 4); /* one look for both unwindings */
	finish(&f);
}

/* Behind an event a precise probe looks once more, and what lies between is spent. */
static void test_spent_precise(void **state)
{
	struct fixture f;
	uint64_t looks, before;

	start_looking(&f, 1 << 20, &looks);
	for (int i = 0; i < 50; i++) {
		enter(&f, A);
		context_spend(SHAPE_ANY, f.context, true);
		looks += 7;
		leave(&f, A);
		context_spend(SHAPE_ANY, f.context, true);
	}
	check_spent(&f, looks, 100 + 50 * 7);
	assert_false(context_exit(SHAPE_ANY, f.context, UNKNOWN, true));
	before = looks;
	enter(&f, A);
	context_spend(SHAPE_ANY, f.context, false);
	assert_int_equal(looks, before + 1);
	finish(&f);
}

/* The stack grows, nodes are folded, and there is too little memory for either. */
static void test_spent_pruned(void **state)
{
	struct fixture f;
	uint64_t looks;

	start_looking(&f, 200 << 10, &looks);
	f.forced = 1200 << 10; /* the stack alone */
	for (uint32_t i = 0; i < 100000; i++)
		enter(&f, A + i % 79);
	for (uint32_t i = 100000; i-- > 0;)
		leave(&f, A + i % 79);
	assert_int_equal(f.context->lost, 0);
	check_spent(&f, looks, 200000);
	for (uint32_t i = 0; i < 100000; i++) {
		enter(&f, A + i % 79);
		leave(&f, A + i % 79);
	}
	assert_true(f.context->tree.pruned > 0);
	check_spent(&f, looks, 400000);
	test_check_tree(&f.context->tree);
	finish(&f);
}

/* The same with far too little memory: every sum of a method is exact, and so is what a path that was
 * never folded used with all below it. */
static void test_random_pruned(void **state)
{
	static const uint64_t limits[] = {100 << 10, 200 << 10, 1 << 20, 4 << 20};
	static struct test_sums by_method[2][TEST_METHODS];

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct fixture f;
		struct model model;
		struct test_walk walk = {{i}, &model, NULL, 50, 12, true};
		struct test_sums truth, sums;
		uint32_t kept;

		memset(by_method, 0, sizeof(by_method));
		start(&f, limits[i]);
		f.forced = 16 << 10;
		model_init(&model);
		walk.context = f.context;
		for (uint32_t k = 0; k < 400000; k++) {
			test_step(&walk);
			if (k % 50000 == 0)
				test_check_tree(&f.context->tree);
		}
		test_check_tree(&f.context->tree);
		truth = model_sum(&model);
		sums = test_sum(&f.context->tree);
		test_same_sums(&truth, &sums, 2);
		test_add_methods(by_method[0], &f.context->tree);
		model_add_methods(by_method[1], &model);
		test_same_methods(by_method[0], by_method[1], 2);
		kept = model_check_cum(&model, &f.context->tree);
		assert_true(kept >= (limits[i] < 1 << 20 ? 1 : 100));
		assert_true(f.context->tree.pruned > 0);
		assert_true(sums.nodes < truth.nodes);
		assert_int_equal(f.context->repaired, model.repaired);
		assert_int_equal(f.context->unmatched, model.unmatched);
		assert_int_equal(f.context->unwound, model.unwound);
		sequence_model_check_sum(model.sequences, f.trace);
		print_message("%7lu KB: %lu of %lu nodes, %lu with their paths, %lu pruned\n",
			(unsigned long)limits[i] >> 10, (unsigned long)sums.nodes,
			(unsigned long)truth.nodes, (unsigned long)kept,
			(unsigned long)f.context->tree.pruned);
		model_fini(&model);
		finish(&f);
	}
}

static size_t resident(void)
{
	unsigned long size = 0, pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lu %lu", &size, &pages), 2);
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Five million call paths need 480 MB; they get 32. */
static void test_many_paths(void **state)
{
	enum { WIDTH = 171, LIMIT = 32 << 20 };
	struct fixture f;
	struct test_sums sums;
	size_t before = resident(), after, most = 0;
	uint64_t calls = 0;

	start(&f, LIMIT);
	for (uint32_t a = 0; a < WIDTH; a++) {
		enter(&f, A + a);
		for (uint32_t b = 0; b < WIDTH; b++) {
			enter(&f, A + b);
			for (uint32_t c = 0; c < WIDTH; c++) {
				enter(&f, A + c);
				test_use(f.context, c % 3, 16);
				leave(&f, A + c);
			}
			calls += WIDTH + 1;
			leave(&f, A + b);
		}
		calls++;
		leave(&f, A + a);
		after = resident();
		most = after > most ? after : most;
	}
	assert_true(calls > 5000000);
	sums = test_sum(&f.context->tree);
	assert_int_equal(sums.calls, calls);
	assert_int_equal(sums.states.jitted, calls);
	assert_int_equal(sums.base[1], 16ul * WIDTH * WIDTH * WIDTH);
	assert_int_equal(sums.base[0], f.context->last[0] - f.context->first[0]);
	assert_true(sums.nodes > LIMIT / 112 / 4);
	test_check_tree(&f.context->tree);
	/* With sanitizers their shadow is resident too. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	assert_true(most - before <= LIMIT + (1 << 20));
#endif
	print_message("%lu calls, %lu nodes, resident %zu KB more\n", (unsigned long)calls,
		(unsigned long)sums.nodes, (most - before) >> 10);
	finish(&f);
}

static void test_deep(void **state)
{
	enum { DEEP = 200000 };
	struct fixture f;

	start(&f, 256 << 20);
	for (uint32_t i = 0; i < DEEP; i++) {
		test_use(f.context, 1, 0);
		enter(&f, A + i % 2);
	}
	assert_int_equal(shadow_depth(&f.context->stack), DEEP + 1);
	assert_int_equal(f.context->lost, 0);
	assert_int_equal(f.context->tree.count, DEEP + 2);
	assert_int_equal(
		tree_at(&f.context->tree, f.context->current)->recursion, DEEP / 2 - 1);
	for (uint32_t i = DEEP; i-- > 0;)
		leave(&f, A + i % 2);
	assert_int_equal(f.context->current, TREE_ROOT);
	assert_int_equal(f.context->repaired, 0);
	assert_int_equal(f.context->unmatched, 0);
	assert_int_equal(test_sum(&f.context->tree).base[0], DEEP);
	finish(&f);
}

/* So deep that the frames alone are too much for the tree and the stack: the nodes that they are on
 * are folded, too, the stack is forced, and no call is lost. */
static void test_deep_no_memory(void **state)
{
	enum { DEEP = 300000, METHODS = 1000 };
	static struct test_sums methods[TEST_METHODS];
	struct fixture f;
	struct test_sums sums;

	start(&f, 1 << 20);
	f.forced = DEEP * sizeof(struct shadow_frame);
	for (uint32_t i = 0; i < DEEP; i++) {
		test_use(f.context, 1, 2);
		enter(&f, A + i % METHODS);
	}
	assert_int_equal(f.context->lost, 0);
	test_check_tree(&f.context->tree);
	test_use(f.context, 5, 0);
	for (uint32_t i = DEEP; i-- > 1;)
		leave_by_exception(&f, A + i % METHODS);
	assert_int_equal(f.context->unwound, DEEP - 1);
	assert_int_equal(f.context->stack.overflow, 0);
	assert_int_equal(shadow_depth(&f.context->stack), 2);
	assert_int_equal(tree_at(&f.context->tree, f.context->current)->method, A);
	leave(&f, A);
	assert_int_equal(f.context->current, TREE_ROOT);
	assert_int_equal(f.context->repaired, 0);
	assert_int_equal(f.context->unmatched, 0);
	sums = test_sum(&f.context->tree);
	assert_int_equal(sums.calls, DEEP);
	test_add_methods(methods, &f.context->tree);
	for (uint32_t i = 0; i < METHODS; i++)
		assert_int_equal(methods[A + i].calls, DEEP / METHODS);
	assert_int_equal(sums.base[0], DEEP + 5);
	assert_int_equal(sums.base[1], 2 * DEEP);
	test_check_tree(&f.context->tree);
	/* And everything goes on as before. */
	enter(&f, B);
	leave(&f, B);
	assert_int_equal(test_sum(&f.context->tree).calls, DEEP + 1);
	finish(&f);
}

/* Frames that were there before count no call; what was used before counts nowhere. */
static void test_found_frames(void **state)
{
	struct fixture f;
	struct tree_node *node;
	uint32_t a, b;

	start(&f, 1 << 20);
	test_use(f.context, 1000, 1000);
	context_found_frame(f.context, A);
	context_found_frame(f.context, B);
	test_use(f.context, 100, 100);
	context_start(f.context);
	test_use(f.context, 3, 4);
	enter(&f, C);
	test_use(f.context, 5, 6);
	leave(&f, C);
	test_use(f.context, 7, 8);
	leave(&f, B);
	leave(&f, A);
	a = tree_find(&f.context->tree, TREE_ROOT, A);
	b = tree_find(&f.context->tree, a, B);
	assert_int_equal(tree_at(&f.context->tree, a)->calls, 0);
	node = tree_at(&f.context->tree, b);
	assert_int_equal(node->calls, 0);
	assert_int_equal(node->base[0], 3 + 7);
	assert_int_equal(node->base[1], 4 + 8);
	assert_int_equal(node->transition[TRANSITION_ENTRY][TRANSITION_ENTRY], 1);
	assert_int_equal(node->transition[TRANSITION_EXIT][TRANSITION_EXIT], 1);
	assert_int_equal(node_of(&f, b, C)->base[0], 5);
	assert_int_equal(node_of(&f, b, C)->transition[TRANSITION_ENTRY][TRANSITION_EXIT], 1);
	assert_int_equal(f.context->last[0] - f.context->first[0], 15);
	assert_int_equal(test_sum(&f.context->tree).base[0], 15);
	/* A pause: what was used before counts, what is used meanwhile nowhere. */
	test_use(f.context, 2, 0);
	context_settle(f.context);
	test_use(f.context, 1000, 0);
	context_start(f.context);
	enter(&f, A);
	assert_int_equal(tree_at(&f.context->tree, TREE_ROOT)->base[0], 2);
	assert_int_equal(f.context->last[0] - f.context->first[0], 17);
	assert_int_equal(test_sum(&f.context->tree).base[0], 17);
	assert_int_equal(f.context->unmatched + f.context->repaired, 0);
	finish(&f);
}

static void test_repairs(void **state)
{
	struct fixture f;

	start(&f, 1 << 20);
	enter(&f, A);
	enter(&f, B);
	enter(&f, C);
	test_use(f.context, 9, 0);
	leave(&f, A); /* C's and B's never came */
	assert_int_equal(f.context->repaired, 2);
	assert_int_equal(f.context->unwound, 0);
	assert_int_equal(f.context->current, TREE_ROOT);
	test_use(f.context, 5, 0);
	leave_by_exception(&f, UNKNOWN);
	assert_int_equal(f.context->unmatched, 1);
	assert_int_equal(f.context->unwound, 0);
	assert_int_equal(tree_at(&f.context->tree, TREE_ROOT)->base[0], 0);
	enter(&f, A);
	assert_int_equal(tree_at(&f.context->tree, TREE_ROOT)->base[0], 5);
	assert_int_equal(test_sum(&f.context->tree).base[0], 14);
	/* Recursion: the innermost frame is the one that is left. */
	enter(&f, A);
	enter(&f, B);
	leave(&f, A);
	assert_int_equal(f.context->repaired, 3);
	assert_int_equal(f.context->unwound, 0);
	assert_int_equal(shadow_depth(&f.context->stack), 2);
	finish(&f);
}

/* An exception that is seen again further out has left all that is above. */
static void test_caught(void **state)
{
	struct fixture f;
	uint32_t a, b;

	start(&f, 1 << 20);
	enter(&f, A);
	context_caught(f.context, A); /* nothing is above */
	enter(&f, B);
	enter(&f, C);
	test_use(f.context, 9, 0);
	context_caught(f.context, A);
	a = tree_find(&f.context->tree, TREE_ROOT, A);
	b = tree_find(&f.context->tree, a, B);
	assert_int_equal(f.context->current, a);
	assert_int_equal(f.context->unwound, 2);
	assert_int_equal(node_of(&f, b, C)->base[0], 9);
	assert_int_equal(node_of(&f, b, C)->transition[TRANSITION_ENTRY][TRANSITION_EXIT], 1);
	assert_int_equal(
		tree_at(&f.context->tree, b)->transition[TRANSITION_EXIT][TRANSITION_EXIT], 1);
	context_caught(f.context, UNKNOWN);
	assert_int_equal(f.context->current, a);
	enter(&f, B);
	enter(&f, C);
	test_use(f.context, 7, 0);
	leave_by_exception(&f, A);
	assert_int_equal(f.context->current, TREE_ROOT);
	assert_int_equal(f.context->unwound, 5);
	assert_int_equal(f.context->repaired + f.context->unmatched, 0);
	assert_int_equal(test_sum(&f.context->tree).base[0], 16);
	finish(&f);
}

/* A native method found on the stack first, then called: its calls are native. */
static void test_native(void **state)
{
	struct fixture f;
	uint32_t a;

	start(&f, 1 << 20);
	context_found_frame(f.context, A);
	leave(&f, A);
	context_enter(SHAPE_ANY, f.context, A, STATE_NATIVE, false);
	leave(&f, A);
	a = tree_find(&f.context->tree, TREE_ROOT, A);
	assert_int_equal(tree_node_states(tree_at(&f.context->tree, a)).native, 1);
	test_check_tree(&f.context->tree);
	finish(&f);
}

/* errno is the application's, also when memory is short. */
static void test_errno(void **state)
{
	struct fixture f;

	start(&f, 1 << 20);
	errno = 12345;
	for (uint32_t i = 0; i < 20000; i++)
		enter(&f, A + i % 47);
	for (uint32_t i = 20000; i-- > 0;)
		leave(&f, A + i % 47);
	assert_true(f.context->tree.pruned > 0);
	assert_int_equal(errno, 12345);
	finish(&f);
}

static uint32_t calls_of(const struct fixture *f, uint32_t method)
{
	uint32_t calls = 0;

	for (uint32_t i = 0; i < f->context->tree.count; i++)
		if (label_method(tree_at(&f->context->tree, i)->method) == method)
			calls += (uint32_t)tree_at(&f->context->tree, i)->calls;
	return calls;
}

/* Calls from two lines are two nodes; what was used is charged at the next call, to its site; recursion is that of methods. */
static void test_call_sites(void **state)
{
	struct fixture f;
	struct call_tree *tree;
	uint32_t one = node_label(A, LABEL_LINE, 17), two = node_label(A, LABEL_LINE, 23), a,
		 at_one, at_two;

	assert_int_equal(node_label(A, LABEL_LINE, 17), one);
	assert_int_not_equal(one, two);
	assert_int_equal(label_method(two), A);
	assert_int_equal(label_content(two, LABEL_LINE), 23);
	start(&f, 1 << 20);
	tree = &f.context->tree;
	context_reach(f.context, one); /* it is not in the method */
	enter(&f, A);
	test_use(f.context, 1, 0);
	enter(&f, B); /* no line was told */
	context_reach(f.context, two);
	leave(&f, B);
	for (int i = 0; i < 3; i++) {
		context_reach(f.context, one);
		enter(&f, B);
		leave(&f, B);
		context_reach(f.context, two);
		context_reach(f.context, two);
		enter(&f, B);
		enter(&f, C);
		leave_by_exception(&f, B);
		test_use(f.context, 10, 0);
	}
	context_reach(f.context, one);
	enter(&f, A);
	context_reach(f.context, one);
	enter(&f, B);
	leave(&f, B);
	leave(&f, A);
	leave(&f, A);
	a = tree_find(tree, TREE_ROOT, A);
	at_one = tree_find(tree, a, one);
	at_two = tree_find(tree, a, two);
	assert_int_equal(tree_at(tree, TREE_ROOT)->first_child, TREE_FOLDED);
	assert_int_equal(tree_find(tree, TREE_ROOT, one), 0);
	assert_int_equal(node_of(&f, a, B)->calls, 1);
	assert_int_equal(node_of(&f, at_one, B)->calls, 3);
	assert_int_equal(node_of(&f, at_two, B)->calls, 3);
	assert_int_equal(node_of(&f, tree_find(tree, at_two, B), C)->calls, 3);
	assert_int_equal(tree_at(tree, at_one)->base[0], 30);
	assert_int_equal(tree_at(tree, at_two)->base[0], 0);
	assert_int_equal(tree_at(tree, at_two)->calls, 0);
	assert_int_equal(tree_at(tree, at_one)->recursion, 1);
	assert_int_equal(node_of(&f, at_one, A)->recursion, 1);
	assert_int_equal(node_of(&f, at_one, A)->calls, 1);
	assert_int_equal(node_of(&f, tree_find(tree, at_one, A), one)->recursion, 2);
	assert_true(context_at_root(f.context));
	finish(&f);
}

/* Where memory is short sites are folded into their methods; calls stay exact. */
static void test_call_sites_pruned(void **state)
{
	enum { METHODS = 30, LINES = 6, STEPS = 200000, DEPTH = 12 };
	struct fixture f;
	struct test_random random = {1};
	uint32_t calls[METHODS] = {0}, stack[DEPTH], depth = 0;

	start(&f, 1 << 18);
	f.forced = 1 << 20;
	for (uint32_t step = 0; step < STEPS; step++) {
		if (depth > 0 && test_random(&random, 2) == 0)
			context_reach(f.context,
				node_label(METHOD_FIRST + stack[depth - 1], LABEL_LINE,
					1 + test_random(&random, LINES)));
		test_use(f.context, test_random(&random, 3), 0);
		if (depth < DEPTH && (depth == 0 || test_random(&random, 20) < 11)) {
			stack[depth] = test_random(&random, METHODS);
			calls[stack[depth]]++;
			enter(&f, METHOD_FIRST + stack[depth++]);
		} else {
			leave(&f, METHOD_FIRST + stack[--depth]);
		}
	}
	while (depth > 0)
		leave(&f, METHOD_FIRST + stack[--depth]);
	assert_true(f.context->tree.pruned > 0);
	assert_int_equal(f.context->unmatched + f.context->repaired, 0);
	for (uint32_t m = 0; m < METHODS; m++)
		assert_int_equal(calls_of(&f, METHOD_FIRST + m), calls[m]);
	for (uint32_t i = 0; i < f.context->tree.count; i++) {
		const struct tree_node *node = tree_at(&f.context->tree, i);

		if (is_label(node->method))
			assert_int_equal(tree_at(&f.context->tree, node->parent)->method,
				label_method(node->method));
	}
	finish(&f);
}

/* What is used outside the session's scope is nobody's, whoever looks, and whenever. */
static void test_scope(void **state)
{
	struct fixture f;
	struct test_picture picture = {.metrics = 2};

	start(&f, 1 << 20);
	enter(&f, A);
	test_use(f.context, 3, 30);
	leave(&f, A);
	assert_true(context_at_root(f.context));
	context_go_out(f.context);
	test_use(f.context, 100, 1000);
	test_visit(f.trace, &picture);
	assert_int_equal(picture.row[0].thread.total[0], 3);
	test_picture_fini(&picture);

	context_enter_scope(f.context, A, STATE_JITTED, false);
	assert_false(context_at_root(f.context));
	test_use(f.context, 4, 40);
	enter(&f, B);
	test_use(f.context, 5, 50);
	leave(&f, B);
	leave(&f, A);
	context_go_out(f.context);
	test_use(f.context, 100, 1000);
	trace_stop(f.trace);

	picture = (struct test_picture){.metrics = 2};
	test_visit(f.trace, &picture);
	assert_int_equal(picture.row[0].thread.total[0], 12);
	assert_int_equal(picture.row[0].thread.total[1], 120);
	assert_int_equal(picture.row[0].sums.calls, 3);
	assert_int_equal(tree_at(&f.context->tree, TREE_ROOT)->base[0], 0);
	assert_int_equal(node_of(&f, TREE_ROOT, A)->base[0], 7);
	test_picture_fini(&picture);
	trace_thread_end(f.trace, f.context, NULL);
	finish(&f);
}

/* Exits of methods that were entered in an earlier session. */
static void test_old_frames(void **state)
{
	struct fixture f;

	start(&f, 1 << 20);
	leave(&f, A);
	assert_int_equal(f.context->unmatched, 1);
	trace_expect_old_frames(f.trace);
	leave(&f, A);
	leave_by_exception(&f, B);
	assert_int_equal(f.context->unmatched, 1);
	/* Above what was entered there are no old ones. */
	enter(&f, A);
	leave(&f, B);
	assert_int_equal(f.context->unmatched, 2);
	leave(&f, A);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_walks),
		cmocka_unit_test(test_random_pruned),
		cmocka_unit_test(test_spent),
		cmocka_unit_test(test_spent_precise),
		cmocka_unit_test(test_spent_pruned),
		cmocka_unit_test(test_many_paths),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_deep_no_memory),
		cmocka_unit_test(test_found_frames),
		cmocka_unit_test(test_repairs),
		cmocka_unit_test(test_caught),
		cmocka_unit_test(test_native),
		cmocka_unit_test(test_call_sites),
		cmocka_unit_test(test_call_sites_pruned),
		cmocka_unit_test(test_scope),
		cmocka_unit_test(test_old_frames),
		cmocka_unit_test(test_errno),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
