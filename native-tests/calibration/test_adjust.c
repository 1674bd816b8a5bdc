/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What is taken out of trees that are small enough to do it by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calibration/adjust.h"
#include "native-tests/calibration/fixture.h"

enum { NODES = 16, METHODS = 8, OUTSIDE = METHOD_ROOT, PLAIN = 2, STATIC = 3, OTHER = 4 };

/* One thread, one metric. */
struct tree {
	struct profile profile;
	struct profile_method method[METHODS];
	struct profile_thread thread;
	struct profile_node node[NODES];
	uint64_t base[NODES], spent[NODES];
	size_t first[2];
	struct calibration *calibration;
	struct adjusted adjusted;
};

static void tree_init(struct tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	tree->thread.id = 1;
	tree->method[STATIC].is_static = true;
	tree->profile = (struct profile){.metric_count = 1,
		.metric = {{.name = "wall", .unit = "ns"}},
		.method = tree->method,
		.method_count = METHODS,
		.thread = &tree->thread,
		.thread_count = 1,
		.node = tree->node,
		.thread_first = tree->first};
	tree->calibration = calibration_create();
	assert_non_null(tree->calibration);
	assert_int_equal(calibration_add_metric(tree->calibration, "wall", "ns", 0), 0);
}

static void tree_fini(struct tree *tree)
{
	adjusted_fini(&tree->adjusted);
	calibration_destroy(tree->calibration);
}

/* A node whose calls were all jitted, without deltas. */
static struct profile_node *add_node(
	struct tree *tree, uint32_t parent, uint32_t method, uint64_t calls, uint64_t base)
{
	uint32_t at = (uint32_t)tree->profile.node_count++;

	tree->base[at] = base;
	tree->first[1] = at + 1;
	tree->node[at] = (struct profile_node){.id = at,
		.parent = parent,
		.method = method,
		.calls = calls,
		.jitted = calls,
		.base = &tree->base[at],
		.spent = &tree->spent[at]};
	return &tree->node[at];
}

static void deltas(struct profile_node *node, uint64_t entry_entry, uint64_t entry_exit,
	uint64_t exit_entry, uint64_t exit_exit)
{
	const uint64_t count[2][2] = {{entry_entry, entry_exit}, {exit_entry, exit_exit}};

	memcpy(node->transition, count, sizeof(count));
}

static void adjust(struct tree *tree)
{
	struct error error = {0};

	if (adjust_profile(&tree->adjusted, &tree->profile, tree->calibration, &error) != 0)
		fail_msg("%s", error.text);
}

static uint64_t error_of(const struct tree *tree, size_t node)
{
	struct adjust_errors errors = adjusted_errors(&tree->adjusted, &tree->profile, node, 0);

	return adjust_half_width(&errors, tree->adjusted.base[node], tree->base[node]);
}

/* The bounds are equally far from the cost, as far as the farther of the two. */
static void row(struct tree *tree, const char *first, const char *begin, const char *second,
	const char *end, const char *third, double cost, double low, double high)
{
	double half = fmax(cost - low, high - cost);

	fixture_row(tree->calibration, fixture_code(first, begin, second, end, third), 1, cost,
		cost - half, cost + half);
}

static void about(double value, double expected)
{
	if (fabs(value - expected) > 1e-6)
		fail_msg("%.9g, not %.9g", value, expected);
}

/* main is called once, and calls leaf 100 times; everything is jitted.
 *
 *   root 1000:  exit-entry 1 (the thread's first delta counts as begun by an exit)
 *   main 5000:  entry-entry 1, exit-entry 99, exit-exit 1
 *   leaf 3000:  entry-exit 100 */
static void known_tree(struct tree *tree)
{
	tree_init(tree);
	deltas(add_node(tree, 0, OUTSIDE, 0, 1000), 0, 0, 1, 0);
	deltas(add_node(tree, 0, PLAIN, 1, 5000), 1, 0, 99, 1);
	deltas(add_node(tree, 1, STATIC, 100, 3000), 0, 100, 0, 0);
}

static void all_jitted_is_exact(void **state)
{
	struct tree tree;

	known_tree(&tree);
	row(&tree, "outside", "entry", "jitted", "entry", "jitted static", 7, 6, 9);
	row(&tree, "jitted static", "exit", "jitted", "entry", "jitted static", 20, 18, 21);
	row(&tree, "jitted static", "exit", "jitted", "exit", "outside", 11, 11, 11);
	row(&tree, "jitted", "entry", "jitted static", "exit", "jitted", 15, 10, 16);
	row(&tree, "jitted", "exit", "outside", "entry", "jitted", 100, 50, 101);
	tree.spent[1] = 30;
	adjust(&tree);
	assert_int_equal(tree.adjusted.base[0], 1000 - 100);
	assert_int_equal(tree.adjusted.base[1], 5000 - 30 - 7 - 99 * 20 - 11);
	assert_int_equal(tree.adjusted.base[2], 3000 - 100 * 15);
	assert_int_equal(error_of(&tree, 0), 50);
	assert_int_equal(error_of(&tree, 1), 2 + 99 * 2);
	assert_int_equal(error_of(&tree, 2), 100 * 5);
	assert_int_equal(tree.adjusted.total[0].taken, 100 + 30 + 7 + 99 * 20 + 11 + 1500);
	about(tree.adjusted.total[0].over, 0);
	about(tree.adjusted.deltas[0].all, 202);
	about(tree.adjusted.deltas[0].nearest, 0);
	about(tree.adjusted.deltas[0].missing, 0);
	tree_fini(&tree);
}

/* 40 of leaf's 100 calls were interpreted, 60 jitted: 40 at 90 and 60 at 15; and main's
 * deltas begin with an exit of the one or the other. */
static void mixes_are_weighed(void **state)
{
	struct tree tree;

	known_tree(&tree);
	tree.node[2].interpreted = 40;
	tree.node[2].jitted = 60;
	row(&tree, "jitted", "entry", "jitted static", "exit", "jitted", 15, 10, 16);
	row(&tree, "jitted", "entry", "interpreted static", "exit", "jitted", 19, 17, 22);
	for (int f = 0; f < 2; f++)
		for (int t = 0; t < 2; t++)
			row(&tree, f ? "jitted static" : "interpreted static", "exit", "jitted",
				"entry", t ? "jitted static" : "interpreted static",
				10 + 2 * f + t, 0, 40);
	adjust(&tree);
	assert_int_equal(tree.adjusted.base[2], 3000 - 40 * 19 - 60 * 15);
	assert_int_equal(error_of(&tree, 2), 40 * 3 + 60 * 5);
	/* 99 * (10 + 2 * 0.6 + 0.6) = 1168.2 */
	assert_int_equal(tree.adjusted.base[1], 5000 - 1168);
	tree_fini(&tree);
}

/* Below zero is zero, and what is missing is told. */
static void over_correction_is_summed(void **state)
{
	struct tree tree;

	known_tree(&tree);
	row(&tree, "jitted", "entry", "jitted static", "exit", "jitted", 32, 20, 33);
	adjust(&tree);
	assert_int_equal(tree.adjusted.base[2], 0);
	about(tree.adjusted.total[0].over, 200);
	/* 30 of 32 was there, and so much of the range of 12. */
	assert_int_equal(error_of(&tree, 2), 1125);
	assert_int_equal(tree.adjusted.total[0].taken, 3000);
	adjusted_fini(&tree.adjusted);
	tree.calibration->row[0].cost[0].low = 31;
	tree.calibration->row[0].cost[0].high = 33;
	adjust(&tree);
	assert_int_equal(error_of(&tree, 2), 94);
	tree_fini(&tree);
}

/* Costs below zero, in a file that is nobody's, add nothing; and nothing reaches beyond what was
 * counted. */
static void adjusted_is_within_raw(void **state)
{
	struct tree tree;

	known_tree(&tree);
	row(&tree, "jitted", "entry", "jitted static", "exit", "jitted", -7, -9, -5);
	row(&tree, "jitted", "exit", "outside", "entry", "jitted", 100, -9000, 9200);
	adjust(&tree);
	assert_int_equal(tree.adjusted.base[2], 3000);
	assert_int_equal(tree.adjusted.base[0], 900);
	assert_int_equal(error_of(&tree, 0), 900);
	tree_fini(&tree);
}

static struct adjust_errors sum_of(const struct adjust_errors *one, unsigned count)
{
	return (struct adjust_errors){
		one->whole * count, one->common * count, one->square * count};
}

/* What is common adds up; the rest of one method's nodes, too; that of many methods by squares. No
 * sum reaches farther than from nothing to all that there is. */
static void errors_of_sums(void **state)
{
	const struct adjust_errors alone = {10, 0, 100}, pace = {3, 3, 9}, both = {10, 4, 100},
				   one_of_100 = {10, 0, 10000};
	struct adjust_errors sum;

	assert_int_equal(adjust_half_width(&alone, 1000, 1000), 10);
	assert_int_equal(adjust_half_width(&both, 1000, 1000), 10);
	sum = sum_of(&alone, 100);
	assert_int_equal(adjust_half_width(&sum, 100000, 100000), 100);
	sum = sum_of(&pace, 100);
	assert_int_equal(adjust_half_width(&sum, 100000, 100000), 300);
	sum = sum_of(&both, 100);
	assert_int_equal(adjust_half_width(&sum, 100000, 100000), llround(hypot(400, 100)));
	/* 100 nodes of one method, and 10 of them. */
	sum = sum_of(&one_of_100, 100);
	assert_int_equal(adjust_half_width(&sum, 100000, 100000), 1000);
	sum = sum_of(&one_of_100, 10);
	assert_int_equal(adjust_half_width(&sum, 100000, 100000), 100);
	sum = sum_of(&both, 100);
	assert_int_equal(adjust_half_width(&sum, 50, 300), 250);
	assert_int_equal(adjust_half_width(&sum, 310, 330), 310);
}

/* Two calls of leaf on other ways are off as one; main is off for itself. A fifth of the ranges is
 * common, and so are what the rows are off by, and the pace. */
static void methods_are_off_as_one(void **state)
{
	struct tree tree;
	struct adjust_errors errors = {0}, node;

	known_tree(&tree);
	deltas(add_node(&tree, 2, STATIC, 50, 1500), 0, 50, 0, 0);
	row(&tree, "jitted", "entry", "jitted static", "exit", "jitted", 10, 8, 12);
	row(&tree, "jitted static", "entry", "jitted static", "exit", "jitted static", 10, 8,
		12);
	row(&tree, "jitted static", "exit", "jitted", "entry", "jitted static", 20, 17, 23);
	adjust(&tree);
	for (size_t i = 1; i < 4; i++) {
		node = adjusted_errors(&tree.adjusted, &tree.profile, i, 0);
		errors.whole += node.whole;
		errors.common += node.common;
		errors.square += node.square;
	}
	about(errors.whole, 99 * 3 + 200 + 100);
	about(errors.square, 297 * 297 + 300 * 300);
	assert_true(fabs(errors.common - 597 / 5.0) < 0.001);
	assert_int_equal(adjust_half_width(&errors, 5000, 9500),
		llround(hypot(597 / 5.0, hypot(297, 300))));
	adjusted_fini(&tree.adjusted);
	tree.calibration->metric[0].relative = 0.03;
	tree.calibration->row[0].cost[0].spread = 1.2;
	adjust(&tree);
	node = adjusted_errors(&tree.adjusted, &tree.profile, 2, 0);
	assert_true(fabs(node.whole - (200 + 90 + 120)) < 0.001);
	assert_true(fabs(node.common - hypot(200 / 5.0, hypot(90, 120))) < 0.001);
	tree_fini(&tree);
}

/* leaf's mean delta is 30. Without work between the events the bounds are the row's low and high;
 * a little work may all be the probes'; with much the lower one is that of work. */
static void bounds_follow_the_work(void **state)
{
	const struct {
		double observed, reach;
		int64_t base, error;
	} cases[] = {{30, 0.2, 3000 - 1400, 400}, {31, 0.2, 3000 - 1400, 400},
		{28, 0.2, 3000 - 1400, 400}, {26, 0.2, 3000 - 1500, 500},
		{25, 0.2, 3000 - 1550, 550}, {24, 0.2, 3000 - 1320, 620},
		{20, 0.2, 3000 - 1100, 700}, {10, 0.2, 3000 - 1100, 700},
		{10, 0, 3000 - 1400, 400}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tree tree;
		struct calibration_cost *cost;

		known_tree(&tree);
		fixture_row(tree.calibration,
			fixture_code("jitted", "entry", "jitted static", "exit", "jitted"), 1,
			16, 10, 18);
		cost = &tree.calibration->row[0].cost[0];
		cost->work_low = 4;
		cost->work_high = 8;
		cost->observed = cases[i].observed;
		tree.calibration->metric[0].reach = cases[i].reach;
		adjust(&tree);
		assert_int_equal(tree.adjusted.base[2], cases[i].base);
		assert_int_equal(error_of(&tree, 2), cases[i].error);
		tree_fini(&tree);
	}
}

/* leaf's mean delta is 30; a thread of three nodes. In a large tree what is above the cost of 16 may
 * be the probes': as much as the size says, but not more than there is. */
static void large_trees_cost_more(void **state)
{
	const struct {
		uint32_t nodes[2];
		double more[2];
		int64_t base, error;
	} cases[] = {{{3, 9}, {0, 7}, 3000 - 1400, 400}, {{1, 2}, {1, 5}, 3000 - 1600, 700},
		{{1, 9}, {0, 50}, 3000 - 1600, 1400}, {{1, 2}, {1, 2}, 3000 - 1500, 500}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tree tree;
		struct calibration_metric *metric;

		known_tree(&tree);
		fixture_row(tree.calibration,
			fixture_code("jitted", "entry", "jitted static", "exit", "jitted"), 1,
			16, 10, 18);
		tree.calibration->row[0].cost[0].observed = 30;
		metric = &tree.calibration->metric[0];
		metric->reach = 4 / 30.0;
		metric->tree_count = 2;
		for (int t = 0; t < 2; t++)
			metric->tree[t] =
				(struct calibration_tree){cases[i].nodes[t], cases[i].more[t]};
		adjust(&tree);
		assert_int_equal(tree.adjusted.base[2], cases[i].base);
		assert_int_equal(error_of(&tree, 2), cases[i].error);
		tree_fini(&tree);
	}
}

/* What the training's own mean may be wrong by. */
static void spread_counts(void **state)
{
	struct tree tree;

	known_tree(&tree);
	row(&tree, "jitted", "entry", "jitted static", "exit", "jitted", 10, 9, 11);
	tree.calibration->row[0].cost[0].spread = 0.5;
	adjust(&tree);
	assert_int_equal(error_of(&tree, 2), 100 + 50);
	tree_fini(&tree);
}

/* main was called before the interval: what is known of it then is its kind. */
static void what_goes_on_is_of_a_kind(void **state)
{
	for (int known = 0; known < 2; known++) {
		struct tree tree;

		known_tree(&tree);
		tree.node[1].calls = tree.node[1].jitted = 0;
		tree.node[1].earlier = known ? STATE_NATIVE + 1 : 0;
		row(&tree, "native", "entry", "jitted static", "exit", "native", 7, 7, 7);
		row(&tree, "outside", "entry", "jitted static", "exit", "outside", 5, 5, 5);
		adjust(&tree);
		assert_int_equal(tree.adjusted.base[2], 3000 - (known ? 700 : 500));
		tree_fini(&tree);
	}
}

/* leaf is called 240,000 times by main, whose one call began interpreted: a quarter of main's
 * deltas between them is priced as interpreted, if anything is compiled at all. */
static void loops_are_compiled_while_they_run(void **state)
{
	for (int compiles = 0; compiles < 2; compiles++) {
		struct tree tree;

		tree_init(&tree);
		deltas(add_node(&tree, 0, OUTSIDE, 0, 1000), 0, 0, 1, 0);
		deltas(add_node(&tree, 0, PLAIN, 1, 100000000), 0, 0, 240000, 0);
		deltas(add_node(&tree, 1, STATIC, 240000, 0), 0, 240000, 0, 0);
		tree.node[1].jitted = 0;
		tree.node[1].interpreted = 1;
		tree.node[2].jitted = compiles ? 240000 : 0;
		tree.node[2].native = compiles ? 0 : 240000;
		for (int native = 0; native < 2; native++) {
			const char *leaf = native ? "native static" : "jitted static";

			row(&tree, leaf, "exit", "interpreted", "entry", leaf, 40, 40, 40);
			row(&tree, leaf, "exit", "jitted", "entry", leaf, 20, 20, 20);
		}
		adjust(&tree);
		assert_int_equal(tree.adjusted.base[1],
			100000000 - (compiles ? 60000 * 40 + 180000 * 20 : 240000 * 40));
		tree_fini(&tree);
	}
}

/* The relative error is of what was counted, less what was spent. */
static void work_has_its_own_error(void **state)
{
	struct tree tree;
	struct adjust_errors errors;

	known_tree(&tree);
	row(&tree, "jitted", "entry", "jitted static", "exit", "jitted", 10, 9, 11);
	tree.calibration->metric[0].relative = 0.05;
	tree.spent[2] = 400;
	adjust(&tree);
	assert_int_equal(error_of(&tree, 2), 100 + 130);
	/* Of main's 101 deltas, 100 lie beside a leaf; half of its calls are
	 * interpreted now. */
	tree.calibration->metric[0].interpreted = 0.25;
	tree.node[2].jitted = 50;
	tree.node[2].interpreted = 50;
	adjusted_fini(&tree.adjusted);
	adjust(&tree);
	about((double)error_of(&tree, 2), 100 + 2600 * 0.15);
	/* The machine's pace is common; of the interpreter's beyond that a fifth, as of the range. */
	errors = adjusted_errors(&tree.adjusted, &tree.profile, 2, 0);
	assert_true(fabs(errors.common - hypot(2600 * 0.05, (100 + 2600 * 0.1) / 5)) < 0.001);
	assert_int_equal(error_of(&tree, 0), 50);
	tree_fini(&tree);
}

/* 99 of main's deltas are of 40, so 1040 are seen above. Long work below may have made
 * them cost more: a 200th of it, as far as it is seen. */
static void long_work_leaves_its_mark(void **state)
{
	static const struct {
		uint64_t leaf;
		double reach;
		uint64_t base, error;
	} cases[] = {
		{8000, 0.1, 1040 - 20, 20}, {1000000000, 0.1, 1040 - 520, 520},
		{8000, 0.02, 1040, 0}, /* next to nothing is hidden: what is seen is work */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tree tree;

		known_tree(&tree);
		row(&tree, "jitted static", "exit", "jitted", "entry", "jitted static", 40, 40,
			40);
		tree.calibration->row[0].cost[0] =
			(struct calibration_cost){40, 40, 0, 40, 40, 40, 40, 40, 0};
		tree.calibration->metric[0].reach = cases[i].reach;
		tree.base[2] = cases[i].leaf;
		adjust(&tree);
		assert_int_equal(tree.adjusted.base[1], cases[i].base);
		assert_int_equal(error_of(&tree, 1), cases[i].error);
		tree_fini(&tree);
	}
}

static void unknown_deltas_are_told(void **state)
{
	struct tree tree;

	known_tree(&tree);
	row(&tree, "interpreted", "entry", "interpreted", "exit", "interpreted", 10, 9, 11);
	adjust(&tree);
	assert_int_equal(tree.adjusted.base[1], 5000);
	assert_int_equal(tree.adjusted.base[2], 2000);
	about(tree.adjusted.deltas[0].nearest, 100);
	about(tree.adjusted.deltas[0].missing, 102);
	tree_fini(&tree);
}

/* In an interval a callee may return that was called before it, and so has no calls. */
static void calls_may_be_missing(void **state)
{
	struct tree tree;

	known_tree(&tree);
	tree.node[2].jitted = 0;
	row(&tree, "jitted", "exit", "jitted", "entry", "jitted", 10, 9, 11);
	adjust(&tree);
	assert_int_equal(tree.adjusted.base[1], 5000 - 990);
	tree_fini(&tree);
}

/* What two threads did alike comes to the same, folded paths too, and to what it was of one alone. */
static void threads_stay_apart(void **state)
{
	enum { EACH = 6 };
	struct profile_thread thread[2] = {{.id = 1}, {.id = 2}};
	size_t first[3] = {0, EACH, 2 * EACH};
	uint64_t alone[EACH];
	struct tree tree;

	known_tree(&tree);
	add_node(&tree, 0, METHOD_FOLDED, 0, 0);
	deltas(add_node(&tree, 3, PLAIN, 40, 4000), 30, 10, 0, 30);
	deltas(add_node(&tree, 3, STATIC, 60, 900), 0, 60, 0, 0);
	tree.node[0].transition[TRANSITION_EXIT][TRANSITION_ENTRY] += 70;
	row(&tree, "jitted", "entry", "jitted static", "exit", "jitted", 5, 4, 6);
	row(&tree, "outside", "entry", "jitted", "entry", "jitted static", 7, 6, 9);
	row(&tree, "jitted", "exit", "outside", "entry", "jitted", 3, 2, 4);
	adjust(&tree);
	memcpy(alone, tree.adjusted.base, sizeof(alone));
	assert_true(alone[4] < 4000 && alone[5] < 900);
	for (uint32_t i = 0; i < EACH; i++) {
		struct profile_node *node = add_node(
			&tree, 0, tree.node[i].method, tree.node[i].calls, tree.base[i]);

		memcpy(node->transition, tree.node[i].transition, sizeof(node->transition));
		node->thread = 1;
		node->id = i;
		node->parent = EACH + tree.node[i].parent;
	}
	tree.profile.thread = thread;
	tree.profile.thread_count = 2;
	tree.profile.thread_first = first;
	adjusted_fini(&tree.adjusted);
	adjust(&tree);
	assert_memory_equal(tree.adjusted.base, alone, sizeof(alone));
	assert_memory_equal(tree.adjusted.base + EACH, alone, sizeof(alone));
	tree_fini(&tree);
}

/* Nothing is taken out of a profile that has no such times, and numbers that cannot be harm
 * nobody. */
static void odd_profiles(void **state)
{
	struct tree tree;

	known_tree(&tree);
	row(&tree, "jitted", "entry", "jitted static", "exit", "jitted", 1e9, -1e9, 1e9);
	tree.node[1].spent = NULL;
	tree.base[1] = UINT64_MAX;
	tree.node[2].transition[0][1] = UINT64_MAX;
	tree.spent[2] = UINT64_MAX;
	adjust(&tree);
	assert_int_equal(tree.adjusted.base[2], 0);
	tree.profile.metric[0].name = "cpu";
	adjusted_fini(&tree.adjusted);
	assert_int_equal(adjust_profile(&tree.adjusted, &tree.profile, tree.calibration, NULL),
		-ERROR_VALUE);
	tree_fini(&tree);
}

/* Adjusting is linear: of two intervals that make up the whole, the sum is the whole's, as long
 * as nothing is set to zero. */
static void intervals_add_up(void **state)
{
	uint64_t parts[3] = {0};
	struct tree tree;

	for (int part = 0; part < 2; part++) {
		known_tree(&tree);
		row(&tree, "jitted", "entry", "jitted static", "exit", "jitted", 15, 10, 16);
		row(&tree, "jitted static", "exit", "jitted", "entry", "jitted static", 20, 18,
			21);
		deltas(&tree.node[1], 0, 0, part ? 60 : 39, 0);
		deltas(&tree.node[2], 0, part ? 60 : 40, 0, 0);
		tree.base[1] = part ? 3500 : 1500;
		tree.base[2] = part ? 1600 : 1400;
		adjust(&tree);
		for (int i = 0; i < 3; i++)
			parts[i] += tree.adjusted.base[i];
		tree_fini(&tree);
	}
	assert_int_equal(parts[1], 5000 - 99 * 20);
	assert_int_equal(parts[2], 3000 - 100 * 15);
}

/* ---- waiting for a processor ---- */

enum { WALL, CPU };

/* A root that did nothing, a method of 10 deltas that cost 40 each, one that sleeps. */
static void adjust_waiting(
	uint64_t waited_ns, struct adjusted *adjusted, int64_t *left, uint64_t *error)
{
	static const uint64_t base[3][2] = {{0, 0}, {4000, 1000}, {9000, 1000}};
	struct profile_method method[METHODS] = {0};
	struct profile_thread thread = {.id = 1, .waited_ns = waited_ns};
	size_t first[2] = {0, 3};
	struct profile_node node[3] = {{.base = base[0]},
		{.id = 1, .method = PLAIN, .calls = 10, .jitted = 10, .base = base[1]},
		{.id = 2, .method = OTHER, .calls = 10, .jitted = 10, .base = base[2]}};
	struct profile profile = {.metric_count = 2,
		.metric = {{.name = "wall", .unit = "ns"}, {.name = "cpu", .unit = "ns"}},
		.method = method,
		.method_count = METHODS,
		.thread = &thread,
		.thread_count = 1,
		.node = node,
		.node_count = 3,
		.thread_first = first};
	struct calibration *calibration = calibration_create();
	struct error failure = {0};

	deltas(&node[1], 0, 10, 0, 0);
	calibration_add_metric(calibration, "wall", "ns", 0);
	calibration_add_metric(calibration, "cpu", "ns", 0);
	fixture_row(calibration, fixture_code("outside", "entry", "jitted", "exit", "outside"),
		1, 40, 40, 40);
	calibration->row[0].cost[CPU] = calibration->row[0].cost[WALL];
	assert_int_equal(adjust_profile(adjusted, &profile, calibration, &failure), 0);
	for (size_t i = 0; i < 3; i++) {
		struct adjust_errors errors = adjusted_errors(adjusted, &profile, i, WALL);

		left[i] = (int64_t)adjusted->base[2 * i + WALL];
		error[i] = adjust_half_width(&errors, (uint64_t)left[i], base[i][WALL]);
		assert_int_equal(
			adjusted->base[2 * i + CPU], base[i][CPU] - (i == 1 ? 400 : 0));
	}
	calibration_destroy(calibration);
}

/* Probes took 400 of 1000 that the method ran, and so 0.4 of how long it waited. Who sleeps without
 * probes loses nothing, but how long others made it wait is another time another. */
static void waiting_is_shared(void **state)
{
	const struct {
		uint64_t waited;
		int64_t left;
		uint64_t error, sleeper;
	} cases[] = {
		{0, 3600, 0, 0},
		/* Each 3000 by how long it ran; it could all have been the sleeper's. */
		{6000, 3600 - 1200, 1200 + 720, 1200},
		/* All that did not run waited. */
		{11000, 3600 - 1200, 720, 3200},
		{90000, 3600 - 1200, 720, 3200},
		/* Each 500; all could have been here. */
		{1000, 3600 - 200, 200 + 120, 200},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct adjusted adjusted;
		uint64_t error[3];
		int64_t left[3];

		adjust_waiting(cases[i].waited, &adjusted, left, error);
		assert_int_equal(left[1], cases[i].left);
		assert_int_equal(error[1], cases[i].error);
		assert_int_equal(left[2], 9000);
		assert_int_equal(error[2], cases[i].sleeper);
		assert_int_equal(adjusted.total[WALL].taken, 4000 - left[1]);
		assert_int_equal(adjusted.total[CPU].taken, 400);
		adjusted_fini(&adjusted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_jitted_is_exact),
		cmocka_unit_test(mixes_are_weighed),
		cmocka_unit_test(over_correction_is_summed),
		cmocka_unit_test(waiting_is_shared),
		cmocka_unit_test(adjusted_is_within_raw),
		cmocka_unit_test(errors_of_sums),
		cmocka_unit_test(methods_are_off_as_one),
		cmocka_unit_test(bounds_follow_the_work),
		cmocka_unit_test(large_trees_cost_more),
		cmocka_unit_test(spread_counts),
		cmocka_unit_test(what_goes_on_is_of_a_kind),
		cmocka_unit_test(loops_are_compiled_while_they_run),
		cmocka_unit_test(work_has_its_own_error),
		cmocka_unit_test(long_work_leaves_its_mark),
		cmocka_unit_test(unknown_deltas_are_told),
		cmocka_unit_test(calls_may_be_missing),
		cmocka_unit_test(threads_stay_apart),
		cmocka_unit_test(odd_profiles),
		cmocka_unit_test(intervals_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
