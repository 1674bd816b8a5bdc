/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Metrics that come while threads are recorded. Of the first two the model says what every node has, whenever the others
 * came; these count the same bytes as the second one, so what each node has of them is what it has got of that since.
 */
#include "mount_test.h"
#include "no_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { A = METHOD_FIRST, PARKED = 30 };

static void widen_to(struct trace *trace, unsigned metrics)
{
	struct metric_set wider = test_set(metrics);

	assert_int_equal(trace_widen(trace, &wider), 0);
	assert_int_equal(trace_metrics(trace)->count, metrics);
}

/* ---- trees ---- */

static uint64_t figure(uint32_t node, uint32_t i)
{
	return (uint64_t)node << 16 | (i + 1);
}

/* Some paths, with figures that tell the node and their place. */
static void grow_tree(struct call_tree *tree, uint32_t nodes, struct test_random *random)
{
	while (tree->count < nodes) {
		uint32_t parent = test_random(random, tree->count), index;

		if (tree_callees(tree, parent) != parent || parent == TREE_FOLDED)
			continue;
		if (tree_find(tree, parent, A + test_random(random, 50)) != 0)
			continue;
		index = tree_place(tree, parent, A + test_random(random, 50));
		for (uint32_t i = 0; i < 2 * tree->metrics; i++)
			tree_at(tree, index)->base[i] = figure(index, i);
		tree_at(tree, index)->calls = index;
		*tree_written(tree, index) = 7 * index;
	}
}

static void check_widened(
	const struct call_tree *tree, const struct tree_node *before, uint32_t from)
{
	for (uint32_t i = 2; i < tree->count; i++) {
		const struct tree_node *node = tree_at(tree, i);

		assert_memory_equal(
			node, trace_node(before, tree_stride(from), i), sizeof(*node));
		assert_int_equal(*tree_written(tree, i), 7 * i);
		for (uint32_t k = 0; k < tree->metrics; k++) {
			assert_int_equal(node->base[k], k < from ? figure(i, k) : 0);
			assert_int_equal(node->base[tree->metrics + k],
				k < from ? figure(i, from + k) : 0);
		}
	}
}

static void run_tree(struct test_random *random, uint32_t nodes, uint32_t from, uint32_t to)
{
	static struct test_sums before[TEST_METHODS], after[TEST_METHODS];
	struct memory_budget budget;
	struct call_tree tree;
	struct tree_node *copy;

	memset(before, 0, sizeof(before));
	memset(after, 0, sizeof(after));
	memory_budget_init(&budget, 64 << 20);
	assert_int_equal(tree_init(&tree, &budget, from, MEMORY_SMALL), 0);
	grow_tree(&tree, nodes, random);
	copy = malloc(tree.count * (size_t)tree.stride);
	memcpy(copy, tree.nodes, tree.count * (size_t)tree.stride);
	lock_take(&tree.lock);
	assert_true(tree_room(&tree, to));
	tree_widen(&tree, to);
	lock_give(&tree.lock);
	assert_int_equal(tree.metrics, to);
	assert_true(tree.capacity * (tree_stride(to) + 8) <= tree.arena.bytes);
	check_widened(&tree, copy, from);
	grow_tree(&tree, nodes + nodes / 2, random);
	test_check_tree(&tree);
	test_add_methods(before, &tree);
	tree_prune(&tree, NULL, 0, NULL);
	test_check_tree(&tree);
	test_add_methods(after, &tree);
	test_same_methods(before, after, to);
	free(copy);
	tree_fini(&tree);
	assert_int_equal(atomic_load(&budget.used), 0);
}

static void test_trees(void **state)
{
	static const uint32_t nodes[] = {2, 3, 30, 31, 32, 400, 5000};
	struct test_random random = {1};

	for (size_t n = 0; n < sizeof(nodes) / sizeof(*nodes); n++)
		for (uint32_t from = 1; from < METRIC_MAX; from += from < 4 ? 1 : 5)
			for (uint32_t to = from + 1; to <= METRIC_MAX; to += 3)
				run_tree(&random, nodes[n], from, to);
}

/* ---- a thread ---- */

/* What each node has of the second metric, by index. */
static uint64_t *bytes_of(const struct call_tree *tree)
{
	uint64_t *bytes = calloc(1 << 20, sizeof(*bytes));

	for (uint32_t i = 0; i < tree->count; i++)
		bytes[i] = tree_at(tree, i)->base[1];
	return bytes;
}

/* Those from that place on have what came since. */
static void check_since(const struct call_tree *tree, const uint64_t *bytes, unsigned metric)
{
	for (uint32_t i = 0; i < tree->count; i++)
		assert_int_equal(
			tree_at(tree, i)->base[metric], tree_at(tree, i)->base[1] - bytes[i]);
}

static void run_thread(uint64_t seed, const unsigned *step, unsigned steps)
{
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 256 << 20);
	struct model model;
	struct test_walk walk = {.random = {seed},
		.model = &model,
		.context = test_begin(trace, "one"),
		.methods = 40,
		.depth = 8,
		.faults = true};
	struct test_picture picture = {.metrics = 2, .keep_nodes = true};
	uint64_t *bytes[METRIC_MAX + 1];

	model_init(&model);
	for (unsigned s = 0; s < steps; s++) {
		unsigned from = walk.context->set->count;

		for (int i = 0; i < 3000; i++)
			test_step(&walk);
		model_settle(&model);
		context_settle(walk.context);
		for (unsigned m = from; m < step[s]; m++)
			bytes[m] = bytes_of(&walk.context->tree);
		widen_to(trace, step[s]);
		assert_true(context_is_narrow(walk.context));
		/* It is shown as it is. */
		picture.metrics = step[s];
		test_visit(trace, &picture);
		test_same_totals(trace, &picture);
		for (unsigned m = from; m < step[s]; m++)
			assert_int_equal(picture.row[0].thread.total[m], 0);
		assert_true(context_widen(walk.context));
		assert_false(context_is_narrow(walk.context));
		test_check_tree(&walk.context->tree);
		test_visit(trace, &picture);
		test_same_totals(trace, &picture);
		test_same_row(&picture.row[0], &model);
	}
	for (int i = 0; i < 3000; i++)
		test_step(&walk);
	test_same_tree(&walk.context->tree, &model);
	for (unsigned m = 2; m < picture.metrics; m++) {
		check_since(&walk.context->tree, bytes[m], m);
		free(bytes[m]);
	}
	test_visit(trace, &picture);
	test_same_totals(trace, &picture);
	/* The rest, from the last event to the end, is the last node's. */
	model_use(&model, 3, 5);
	test_use(walk.context, 3, 5);
	trace_thread_end(trace, walk.context, NULL);
	model_end(&model);
	test_visit(trace, &picture);
	test_same_totals(trace, &picture);
	test_same_row(&picture.row[0], &model);
	test_picture_fini(&picture);
	model_fini(&model);
	trace_destroy(trace);
}

static void test_thread(void **state)
{
	run_thread(1, (unsigned[]){3}, 1);
	run_thread(2, (unsigned[]){4, 5, 16}, 3);
	run_thread(3, (unsigned[]){16}, 1);
	for (uint64_t seed = 10; seed < 20; seed++)
		run_thread(seed, (unsigned[]){3, 4, 6}, 3);
}

/* Deltas by sequence: those of before count, and have nothing of what came later. Pairs of calls are one sequence each. */
static void test_sequences(void **state)
{
	struct pattern_list names = {0};
	struct error error = {0};
	struct metric_set set, wider;
	struct trace *trace;
	struct thread_context *context;
	uint64_t *cells, before, after = 0, minimum = 0;

	assert_int_equal(pattern_list_add(&names, "cpu"), 0);
	assert_int_equal(metric_set_init(&set, &names, &error), 0);
	assert_int_equal(pattern_list_add(&names, "vm-bytes"), 0);
	assert_int_equal(metric_set_widen(&wider, &set, &names, &error), 0);
	assert_int_equal(wider.count, 2);
	pattern_list_fini(&names);
	trace = trace_create(&set, 64 << 20);
	context = test_begin(trace, "one");
	cells = calloc(trace_sequences_words(2), sizeof(*cells));
	for (int i = 0; i < 100; i++) {
		test_use(context, 0, 1000);
		context_enter(SHAPE_ANY, context, A, STATE_JITTED, false);
		context_exit(SHAPE_ANY, context, A, false);
	}
	assert_int_equal(trace_widen(trace, &wider), 0);
	for (int turn = 0; turn < 2; turn++) {
		assert_int_equal(trace_sequences(trace, cells), 0);
		before = 0;
		for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
			const uint64_t *cell = &cells[code * sequence_words_of(2)];

			before += cell[0];
			assert_int_equal(cell[3], 0);
			assert_true(cell[0] == 0 || cell[4] == UINT64_MAX);
			assert_true(cell[0] == 0 || cell[2] < UINT64_MAX);
		}
		assert_int_equal(before, 200);
		if (turn == 0)
			assert_true(context_widen(context));
	}
	for (int i = 0; i < 50; i++) {
		test_use(context, 0, 10);
		context_enter(SHAPE_ANY, context, A, STATE_JITTED, false);
		test_use(context, 0, 7);
		context_exit(SHAPE_ANY, context, A, false);
	}
	trace_thread_end(trace, context, NULL);
	assert_int_equal(trace_sequences(trace, cells), 0);
	before = 0;
	for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
		const uint64_t *cell = &cells[code * sequence_words_of(2)];

		before += cell[0];
		after += cell[3];
		if (cell[0] > 40)
			minimum += cell[4];
	}
	assert_int_equal(before, 300);
	assert_int_equal(after, 50 * 17);
	assert_int_equal(minimum, 17);
	free(cells);
	trace_destroy(trace);
}

/* ---- rows that were folded ---- */

/* A life of so many calls, which uses as much of each. */
static void live(struct trace *trace, const char *name, uint32_t calls, bool widens)
{
	struct thread_context *context = test_begin(trace, name);

	for (uint32_t i = 0; i < calls; i++) {
		if (widens && i == calls / 2 && context_is_narrow(context))
			assert_true(context_widen(context));
		context_enter(SHAPE_ANY, context, A + i % 5, STATE_JITTED, false);
		test_use(context, 1, 1);
		context_exit(SHAPE_ANY, context, A + i % 5, false);
	}
	trace_thread_end(trace, context, NULL);
}

/* Narrow threads into a wide row, wide ones into a narrow row. */
static void test_folds(void **state)
{
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 256 << 20);
	struct test_picture picture = {.metrics = 2};
	struct thread_context *late[2];
	uint64_t total[METRIC_MAX];

	for (int i = 0; i < TRACE_KEPT_ENDED + 200; i++)
		live(trace, "old-1", 10, false);
	late[0] = test_begin(trace, "old-2");
	late[1] = test_begin(trace, "young-2");
	widen_to(trace, 3);
	for (int i = 0; i < 300; i++)
		live(trace, "young-1", 10, false);
	/* Of the first two calls of each nothing is known but in the first metrics. */
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 20; k++) {
			if (k == 2 && i == 1)
				assert_true(context_widen(late[i]));
			context_enter(SHAPE_ANY, late[i], A, STATE_JITTED, false);
			test_use(late[i], 1, 1);
			context_exit(SHAPE_ANY, late[i], A, false);
		}
		trace_thread_end(trace, late[i], NULL);
	}
	live(trace, "old-1", 10, false);
	picture.metrics = 3;
	test_visit(trace, &picture);
	test_same_totals(trace, &picture);
	trace_totals(trace, total);
	assert_int_equal(total[0], 10 * (TRACE_KEPT_ENDED + 200 + 300 + 1) + 40);
	assert_int_equal(total[1], total[0]);
	assert_int_equal(total[2], 10 * (300 + 1) + 18);
	assert_true(picture.count <= TRACE_KEPT_ENDED + 2);
	test_picture_fini(&picture);
	trace_destroy(trace);
}

/* ---- virtual threads ---- */

static void use_in(struct test_seat *seat, uint32_t method, uint64_t bytes)
{
	context_enter(SHAPE_ANY, seat->lane, method, STATE_JITTED, false);
	test_use(seat->lane, 1, bytes);
}

/* Threads that are parked with frames before, one that is mounted meanwhile, lanes that go from a carrier that is wide to
 * one that is not, and strangers. */
static void run_mounts(bool apart)
{
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 256 << 20);
	struct virtual_thread *guest[PARKED];
	struct test_picture picture = {.metrics = 2};
	struct test_seat seat, other;
	uint64_t total[METRIC_MAX], all = 0, since = 0;
	char name[32];

	if (apart)
		trace_keep_virtual_apart(trace);
	seat = test_seat(trace, "carrier");
	other = test_seat(trace, "other");
	for (int i = 0; i < PARKED; i++) {
		snprintf(name, sizeof(name), i % 2 ? "odd-%d" : "even-%d", i);
		assert_true(test_seat_begin(&seat, name));
		for (int k = 0; k < i % 12; k++)
			use_in(&seat, A + k, 100);
		all += 100 * (uint64_t)(i % 12);
		guest[i] = test_seat_unmount(&seat);
	}
	assert_true(test_seat_mount(&seat, guest[0]));
	use_in(&seat, A, 3);
	widen_to(trace, 4);
	picture.metrics = 4;
	test_visit(trace, &picture);
	test_same_totals(trace, &picture);
	assert_true(context_widen(seat.carrier));
	use_in(&seat, A + 1, 50);
	assert_int_equal(virtual_used(seat.lane, guest[0], 1), 3);
	context_exit(SHAPE_ANY, seat.lane, A + 1, false);
	assert_int_equal(virtual_used(seat.lane, guest[0], 1), 53);
	assert_int_equal(virtual_used(seat.lane, guest[0], 3), 50);
	context_exit(SHAPE_ANY, seat.lane, A, false);
	test_seat_unmount(&seat);
	all += 53;
	since += 50;
	for (int i = 1; i < PARKED; i++) {
		assert_true(test_seat_mount(&seat, guest[i]));
		use_in(&seat, A + 20, 7);
		context_exit(SHAPE_ANY, seat.lane, A + 20, false);
		assert_int_equal(virtual_used(seat.lane, guest[i], 2), 7);
		assert_int_equal(virtual_used(seat.lane, guest[i], 1), 7 + 100 * (i % 12));
		all += 7;
		since += 7;
		test_visit(trace, &picture);
		test_same_totals(trace, &picture);
		test_seat_unmount(&seat);
	}
	/* Its lanes wait for a carrier, and get one that is behind. */
	trace_thread_end(trace, seat.carrier, NULL);
	assert_true(context_is_narrow(other.carrier));
	for (int i = 0; i < PARKED; i++) {
		assert_true(test_seat_mount(&other, guest[i]));
		assert_int_equal(other.lane->set->count, other.carrier->set->count);
		use_in(&other, A + 30, 11);
		context_exit(SHAPE_ANY, other.lane, A + 30, false);
		for (int k = i == 0 ? 0 : i % 12; k-- > 0;)
			context_exit(SHAPE_ANY, other.lane, A + (uint32_t)k, false);
		assert_true(context_at_root(other.lane));
		assert_int_equal(virtual_used(other.lane, guest[i], 2), i == 0 ? 61 : 18);
		all += 11;
		since += 11;
		test_seat_end(&other);
	}
	carrier_give_way(other.carrier);
	test_use(other.carrier, 1, 13);
	assert_true(virtual_unknown(other.carrier));
	carrier_resume(other.carrier, false);
	all += 13;
	since += 13;
	trace_totals(trace, total);
	assert_int_equal(total[1], all);
	assert_int_equal(total[2], since);
	assert_int_equal(total[3], since);
	test_visit(trace, &picture);
	test_same_totals(trace, &picture);
	for (size_t i = 0; i < picture.count; i++)
		assert_int_equal(picture.row[i].thread.repaired, 0);
	trace_thread_end(trace, other.carrier, NULL);
	test_visit(trace, &picture);
	test_same_totals(trace, &picture);
	assert_int_equal(lock_violations(), 0);
	test_picture_fini(&picture);
	trace_destroy(trace);
}

static void test_mounts(void **state)
{
	run_mounts(false);
	run_mounts(true);
}

/* A virtual thread begins in a lane that was another carrier's, which was ahead: of what comes with it nothing was read
 * before. */
static void test_begin_behind(void **state)
{
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 64 << 20);
	struct test_picture picture = {.metrics = 3};
	struct test_seat ahead = test_seat(trace, "ahead"), behind = test_seat(trace, "behind");
	uint64_t total[METRIC_MAX];

	test_use(ahead.carrier, 5, 1000);
	test_use(behind.carrier, 5, 5000);
	widen_to(trace, 3);
	assert_true(context_widen(ahead.carrier));
	assert_true(test_seat_begin(&ahead, "guest"));
	use_in(&ahead, A, 100);
	context_exit(SHAPE_ANY, ahead.lane, A, false);
	test_seat_end(&ahead);
	trace_thread_end(trace, ahead.carrier, NULL);
	assert_true(test_seat_begin(&behind, "guest"));
	assert_false(context_is_narrow(behind.lane));
	use_in(&behind, A, 10);
	context_exit(SHAPE_ANY, behind.lane, A, false);
	test_seat_end(&behind);
	trace_thread_end(trace, behind.carrier, NULL);
	trace_totals(trace, total);
	assert_int_equal(total[1], 6110);
	assert_int_equal(total[2], 110);
	test_visit(trace, &picture);
	test_same_totals(trace, &picture);
	assert_int_equal(test_row_named(&picture, "guest")->thread.total[2], 110);
	test_picture_fini(&picture);
	trace_destroy(trace);
}

/* ---- real clocks ---- */

static struct metric_set set_of(const char *first, const char *second)
{
	struct pattern_list names = {0};
	struct error error = {0};
	struct metric_set set;

	assert_int_equal(pattern_list_add(&names, first), 0);
	if (second)
		assert_int_equal(pattern_list_add(&names, second), 0);
	assert_int_equal(metric_set_init(&set, &names, &error), 0);
	pattern_list_fini(&names);
	return set;
}

static struct metric_set wider_by(const struct metric_set *set, const char *name)
{
	struct pattern_list names = {0};
	struct error error = {0};
	struct metric_set wider;

	assert_int_equal(pattern_list_add(&names, name), 0);
	assert_int_equal(metric_set_widen(&wider, set, &names, &error), 0);
	pattern_list_fini(&names);
	return wider;
}

static void spin(uint64_t ns)
{
	for (uint64_t end = clock_system() + ns; clock_system() < end;)
		;
}

/* Of the calling thread, by the system. */
static uint64_t ran(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The functions of a shape are those of another one behind it: wall, then wall and cpu. */
static void test_shapes(void **state)
{
	struct metric_set set = set_of("wall", NULL), wider = wider_by(&set, "cpu");
	struct trace *trace = trace_create(&set, 64 << 20);
	struct thread_context *context = test_begin(trace, "one");
	struct test_picture picture = {.metrics = 2};
	uint64_t total[METRIC_MAX], before, began, ended;

	assert_int_equal(set.shape, SHAPE_WALL);
	assert_int_equal(wider.shape, SHAPE_WALL_CPU);
	spin(20000000);
	for (uint32_t i = 0; i < 500; i++)
		context_enter(SHAPE_WALL, context, A + i % 7, STATE_JITTED, false);
	assert_int_equal(trace_widen(trace, &wider), 0);
	test_visit(trace, &picture);
	assert_int_equal(picture.row[0].thread.total[1], 0);
	before = ran();
	assert_true(context_widen(context));
	began = ran();
	for (uint32_t i = 500; i-- > 0;)
		assert_true(context_exit(SHAPE_WALL_CPU, context, A + i % 7, false));
	spin(10000000);
	ended = ran();
	trace_thread_end(trace, context, NULL);
	test_visit(trace, &picture);
	test_same_totals(trace, &picture);
	trace_totals(trace, total);
	/* What it had used before is not among it; what it used while it ended may be. */
	assert_true(before > 0);
	assert_in_range(total[1] + 1000000, ended - began, ran() - before + 2000000);
	test_picture_fini(&picture);
	trace_destroy(trace);
}

/* The clock comes while threads are parked: theirs has run since they are, in each picture as in the next one. */
static void test_wall_of_parked(void **state)
{
	const struct timespec pause = {0, 20000000};
	struct metric_set set = set_of("vm-bytes", NULL), wider = wider_by(&set, "wall");
	struct trace *trace = trace_create(&set, 64 << 20);
	struct test_seat seat = test_seat(trace, "carrier");
	struct virtual_thread *guest[PARKED];
	struct test_picture picture = {.metrics = 2};
	uint64_t before = 0, began = clock_now(), total[METRIC_MAX];

	for (int i = 0; i < PARKED; i++) {
		assert_true(test_seat_begin(&seat, "guest"));
		context_enter(SHAPE_ANY, seat.lane, A + (uint32_t)i % 4, STATE_JITTED, false);
		guest[i] = test_seat_unmount(&seat);
	}
	nanosleep(&pause, NULL);
	assert_int_equal(trace_widen(trace, &wider), 0);
	for (int i = 0; i <= PARKED; i++) {
		const struct test_row *row;

		test_visit(trace, &picture);
		row = test_row_named(&picture, "guest");
		assert_true(row->thread.total[1] >= before);
		assert_true(row->thread.total[1] <= (clock_now() - began) * PARKED);
		before = row->thread.total[1];
		assert_true(before >= 20000000);
		if (i == PARKED)
			break;
		assert_true(test_seat_mount(&seat, guest[i]));
		if (i % 2) {
			test_seat_end(&seat);
			continue;
		}
		test_visit(trace, &picture);
		test_seat_unmount(&seat);
	}
	/* The carrier's own began when it counted it. */
	trace_thread_end(trace, seat.carrier, NULL);
	trace_stop(trace);
	test_visit(trace, &picture);
	test_same_totals(trace, &picture);
	trace_totals(trace, total);
	assert_true(total[1] >= before);
	test_picture_fini(&picture);
	trace_destroy(trace);
}

/* ---- no memory ---- */

/* Calls before and behind; true: the thread counts what the trace does. */
static bool run_short(struct trace *trace, bool *widened)
{
	struct thread_context *context = test_begin(trace, "one");
	struct metric_set wider = test_set(5);
	bool wide;

	if (!context)
		return false;
	for (uint32_t i = 0; i < 200; i++) {
		context_enter(SHAPE_ANY, context, A + i, STATE_JITTED, false);
		test_use(context, 1, 2);
	}
	*widened = trace_widen(trace, &wider) == 0;
	wide = *widened && context_widen(context);
	for (uint32_t i = 200; i-- > 0;) {
		test_use(context, 1, 2);
		context_exit(SHAPE_ANY, context, A + i, false);
	}
	trace_thread_end(trace, context, NULL);
	return wide;
}

static void test_no_memory(void **state)
{
	struct test_picture picture = {0};
	bool wide = false, widened = false;
	long most = 1;

	for (long i = 0; i <= most; i++) {
		struct metric_set set = test_set(2);
		struct trace *trace;
		uint64_t total[METRIC_MAX] = {0};

		no_memory_at = i;
		no_memory_on = false;
		no_memory_asked = 0;
		trace = trace_create(&set, 64 << 20);
		if (!trace)
			continue;
		wide = run_short(trace, &widened);
		if (i == 0)
			most = no_memory_asked;
		no_memory_at = 0;
		picture.metrics = trace_metrics(trace)->count;
		assert_int_equal(picture.metrics, widened ? 5 : 2);
		test_visit(trace, &picture);
		test_same_totals(trace, &picture);
		trace_totals(trace, total);
		if (picture.count > 0) {
			assert_int_equal(total[0], 400);
			assert_int_equal(total[1], 800);
			assert_int_equal(picture.metrics == 5 ? total[4] : 0, wide ? 400 : 0);
		}
		assert_true(i > 0 || wide);
		trace_destroy(trace);
	}
	assert_true(most > 5);
	test_picture_fini(&picture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_folds),
		cmocka_unit_test(test_mounts),
		cmocka_unit_test(test_begin_behind),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_wall_of_parked),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
