/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Threads begin, end, are folded and are shown. */
#include "trace_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A = METHOD_FIRST, B, C };

/* What metric_read_from_outside shows beyond the values at the last event. */
static uint64_t outside[METRIC_MAX];

void __wrap_metric_read_from_outside(
	const struct metric_set *set, const struct metric_thread *thread, uint64_t *value);

void __wrap_metric_read_from_outside(
	const struct metric_set *set, const struct metric_thread *thread, uint64_t *value)
{
	for (unsigned i = 0; i < set->count; i++)
		value[i] += outside[i];
}

/* Ends by an exception where use is odd. */
static void call(struct thread_context *context, uint32_t method, uint64_t use)
{
	context_enter(SHAPE_ANY, context, method, STATE_INTERPRETED, false);
	test_use(context, use, 10 * use);
	context_exit(SHAPE_ANY, context, method, use % 2);
}

static int setup(void **state)
{
	static struct metric_set set;

	memset(outside, 0, sizeof(outside));
	set = test_set(2);
	*state = trace_create(&set, 64 << 20);
	return *state == NULL;
}

static int teardown(void **state)
{
	trace_destroy(*state);
	return 0;
}

static void test_shown(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2, .keep_nodes = true};
	struct thread_context *one, *two;

	test_visit(trace, &picture);
	assert_int_equal(picture.count, 0);
	test_same_totals(trace, &picture);
	one = test_begin(trace, "one");
	call(one, A, 5);
	two = test_begin(trace, "two");
	call(two, A, 7);
	call(two, B, 9);
	test_use(two, 100, 0);
	trace_thread_end(trace, two, "renamed");
	test_visit(trace, &picture);

	test_same_totals(trace, &picture);
	assert_int_equal(picture.count, 2);
	assert_int_equal(picture.row[0].thread.id, 1);
	assert_true(picture.row[0].thread.alive);
	assert_string_equal(picture.row[0].identity.name, "one");
	assert_int_equal(picture.row[0].identity.java_id, 1);
	assert_int_equal(picture.row[0].thread.total[0], 5);
	assert_int_equal(picture.row[0].thread.total[1], 50);
	assert_int_equal(picture.row[0].thread.events, 2);
	assert_int_equal(picture.row[0].thread.ended, 0);
	assert_int_equal(picture.row[0].thread.nodes, 3);
	assert_int_equal(trace_node(picture.row[0].nodes, picture.row[0].stride, 2)->method, A);

	assert_int_equal(picture.row[1].thread.id, 2);
	assert_false(picture.row[1].thread.alive);
	assert_string_equal(picture.row[1].identity.name, "renamed");
	assert_int_equal(picture.row[1].thread.events, 4);
	/* The end's last delta goes to the root. */
	assert_int_equal(picture.row[1].thread.total[0], 116);
	assert_int_equal(picture.row[1].nodes->base[0], 100);
	assert_true(picture.row[1].thread.ended >= picture.row[1].thread.started);
	assert_int_equal(picture.row[1].thread.folded, 1);
	test_picture_fini(&picture);
}

/* More nodes than a block holds. */
static void test_blocks(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2, .keep_nodes = true};
	struct thread_context *context = test_begin(trace, "big");

	for (uint32_t i = 0; i < 50000; i++)
		call(context, A + i, 1);
	test_visit(trace, &picture);
	assert_int_equal(picture.row[0].thread.nodes, 50002);
	assert_int_equal(picture.row[0].thread.total[0], 50000);
	for (uint32_t i = 0; i < 50000; i++)
		assert_int_equal(
			trace_node(picture.row[0].nodes, picture.row[0].stride, i + 2)->method,
			A + i);
	test_picture_fini(&picture);
}

/* A delta in progress is in the copy, not in the tree; after a stop it stands still. */
static void test_delta(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2, .keep_nodes = true};
	struct thread_context *context = test_begin(trace, "sleeper");
	const struct tree_node *node;

	context_enter(SHAPE_ANY, context, A, STATE_INTERPRETED, false);
	outside[1] = 1000;
	for (int i = 0; i < 2; i++) {
		test_visit(trace, &picture);
		assert_int_equal(picture.row[0].thread.total[0], 0);
		assert_int_equal(picture.row[0].thread.total[1], 1000);
		node = trace_node(
			picture.row[0].nodes, picture.row[0].stride, context->current);
		assert_int_equal(node->base[1], 1000);
		assert_int_equal(tree_at(&context->tree, context->current)->base[1], 0);
		test_same_totals(trace, &picture);
	}
	/* Whoever compares a node's sum notices. */
	assert_int_not_equal(tree_node_sum(node, 2),
		tree_node_sum(tree_at(&context->tree, context->current), 2));

	outside[0] = 50;
	trace_stop(trace);
	outside[0] = outside[1] = 7777;
	test_visit(trace, &picture);
	test_same_totals(trace, &picture);
	assert_int_equal(picture.row[0].thread.total[0], 50);
	assert_int_equal(picture.row[0].thread.total[1], 1000);
	/* Its end changes nothing any more, whatever it used since. */
	test_use(context, 9999, 9999);
	trace_thread_end(trace, context, NULL);
	test_visit(trace, &picture);
	assert_int_equal(picture.row[0].thread.total[0], 50);
	assert_int_equal(picture.row[0].thread.total[1], 1000);
	assert_false(picture.row[0].thread.alive);
	test_same_totals(trace, &picture);
	/* Nor does a thread that begins now ever show anything. */
	context = test_begin(trace, "late");
	test_visit(trace, &picture);
	assert_int_equal(picture.row[1].thread.total[0], 0);
	test_picture_fini(&picture);
}

/* What is used outside the session's scope, or is forgotten, is nobody's, from the first moment
 * on. */
static void test_totals_outside(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	struct thread_context *context = test_begin(trace, "to and fro");
	uint64_t total[METRIC_MAX];

	call(context, A, 5);
	test_use(context, 2, 1);
	context_settle(context);
	assert_int_equal(context_used(context, 0), 7);
	context_go_out(context);
	outside[0] = 1000;
	test_use(context, 1000, 0);
	trace_totals(trace, total);
	assert_int_equal(total[0], 7);
	assert_int_equal(total[1], 51);
	test_visit(trace, &picture);
	test_same_totals(trace, &picture);

	context_come_in(context);
	outside[0] = 0;
	trace_totals(trace, total);
	assert_int_equal(total[0], 7);
	outside[0] = 3;
	trace_totals(trace, total);
	assert_int_equal(total[0], 10);
	assert_int_equal(context_used(context, 0), 7);
	test_picture_fini(&picture);
}

/* An event between the look at the counters and the copy: the delta that it ended is
 * charged by the owner, and must not be shown twice. */
struct busy {
	struct test_picture picture;
	struct trace_visitor inner;
	struct thread_context *context;
};

static int busy_begin(void *user, const struct trace_thread *thread)
{
	struct busy *busy = user;

	test_use(busy->context, 1000, 0);
	context_enter(SHAPE_ANY, busy->context, B, STATE_INTERPRETED, false);
	context_exit(SHAPE_ANY, busy->context, B, false);
	return busy->inner.begin(busy->inner.user, thread);
}

static int busy_nodes(void *user, const struct trace_thread *thread, uint32_t count,
	const struct tree_node *node, size_t stride)
{
	struct busy *busy = user;

	return busy->inner.nodes(busy->inner.user, thread, count, node, stride);
}

static int busy_end(void *user, const struct trace_thread *thread)
{
	struct busy *busy = user;

	return busy->inner.end(busy->inner.user, thread);
}

static void test_delta_ends(void **state)
{
	struct trace *trace = *state;
	struct busy busy = {.picture = {.metrics = 2}};
	struct trace_visitor visitor = {
		.user = &busy, .begin = busy_begin, .nodes = busy_nodes, .end = busy_end};

	busy.inner = test_visitor(&busy.picture);
	busy.context = test_begin(trace, "busy");
	call(busy.context, B, 0);
	context_enter(SHAPE_ANY, busy.context, A, STATE_INTERPRETED, false);
	outside[0] = 1000;
	assert_int_equal(trace_visit(trace, &visitor), 0);
	assert_int_equal(busy.picture.row[0].thread.total[0], 1000);
	test_picture_fini(&busy.picture);
}

/* 3,000 threads: 1,000 keep their rows, the others share one by name. */
static void test_folding(void **state)
{
	enum { THREADS = 3000 };
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	uint64_t calls = 0, unwound = 0, total = 0, folded = 0, threads = 0;
	char name[64];

	for (int i = 0; i < THREADS; i++) {
		struct thread_context *context;

		snprintf(name, sizeof(name), i % 3 ? "worker-%d" : "pool-%d-thread-7", i);
		context = test_begin(trace, name);
		test_use(context, 3, 4);
		context_start(context);
		for (int k = 0; k < 10; k++)
			call(context, A + (uint32_t)((k * i) % 20), (uint64_t)i);
		trace_thread_end(trace, context, NULL);
		if (i == 500)
			test_visit(trace, &picture);
	}
	test_visit(trace, &picture);
	for (size_t i = 0; i < picture.count; i++) {
		const struct test_row *row = &picture.row[i];

		calls += row->sums.calls;
		unwound += row->thread.unwound;
		total += row->thread.total[0];
		threads += row->thread.folded;
		if (row->thread.folded == 1)
			continue;
		folded++;
		assert_true(strcmp(row->identity.name, "worker-*") == 0 ||
			    strcmp(row->identity.name, "pool-*-thread-*") == 0);
		assert_int_equal(row->identity.java_id, 0);
		assert_int_equal(row->thread.folded, row->identity.name[0] == 'w' ? 1334 : 666);
		assert_true(row->thread.started > 0 && row->thread.ended > row->thread.started);
	}
	assert_int_equal(folded, 2);
	assert_int_equal(picture.count, TRACE_KEPT_ENDED + 2);
	assert_int_equal(threads, THREADS);
	assert_int_equal(calls, 10 * THREADS);
	assert_int_equal(unwound, 10 * THREADS / 2);
	assert_int_equal(total, 10ul * THREADS * (THREADS - 1) / 2);
	test_same_totals(trace, &picture);
	test_picture_fini(&picture);
}

/* Threads of one name that other sessions want are in rows of their own, which stay as they are. */
static void test_folding_by_sessions(void **state)
{
	enum { THREADS = TRACE_KEPT_ENDED + 600 };
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	uint64_t folded = 0;

	for (int i = 0; i < THREADS; i++) {
		struct thread_context *context = test_begin(trace, "worker-1");

		trace_want_row(context, (uint8_t)(1 + i % 3));
		call(context, A, 0);
		trace_thread_end(trace, context, NULL);
	}
	test_visit(trace, &picture);
	assert_int_equal(picture.count, TRACE_KEPT_ENDED + 3);
	for (size_t i = 0; i < picture.count; i++) {
		const struct test_row *row = &picture.row[i];

		if (row->thread.folded == 1)
			continue;
		assert_int_equal(row->thread.folded, 200);
		assert_int_equal(row->sums.calls, 200);
		folded += 1u << 8 * row->identity.wanted;
	}
	assert_int_equal(folded, 1u << 8 | 1u << 16 | 1u << 24);
	test_picture_fini(&picture);
}

/* When there is no more room for names, those of all sessions share a row, which is for all of them. */
static void test_others_of_all_sessions(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	unsigned others = 0;

	for (int i = 0; i < 2000; i++) {
		struct thread_context *context;
		char name[64] = {0};

		for (int k = 0; k < 12; k++)
			name[k] = i >> k & 1 ? 'b' : 'a';
		context = test_begin(trace, name);
		trace_want_row(context, (uint8_t)(1u << i % 4));
		trace_thread_end(trace, context, NULL);
	}
	test_visit(trace, &picture);
	assert_true(picture.count <= TRACE_KEPT_ENDED + TRACE_FOLDS_MAX);
	for (size_t i = 0; i < picture.count; i++) {
		if (strcmp(picture.row[i].identity.name, "*") != 0)
			continue;
		others++;
		assert_int_equal(picture.row[i].identity.wanted, 15);
	}
	assert_int_equal(others, 1);
	test_picture_fini(&picture);
}

/* ---- which sessions rows are for ---- */

static const char wanted_name = 'b';

static uint8_t two_want(const void *of, const struct thread_identity *identity)
{
	return identity->name[0] == *(const char *)of ? 2 : 0;
}

/* Those of live threads are asked for; of ended ones they stay. */
static void test_renewed_rows(void **state)
{
	const struct trace_sessions sessions = {
		.of = &wanted_name, .that_want = two_want, .now = 2};
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	struct thread_context *context[4] = {test_begin(trace, "a"), test_begin(trace, "b"),
		test_begin(trace, "b"), test_begin(trace, "c")};
	const uint8_t expected[] = {0, 2, 5, 0};

	for (int i = 0; i < 4; i++)
		trace_want_row(context[i], 5);
	trace_thread_end(trace, context[2], NULL);
	trace_renew_rows(trace, &sessions);
	test_visit(trace, &picture);
	for (int i = 0; i < 4; i++)
		assert_int_equal(picture.row[i].identity.wanted, expected[i]);
	test_picture_fini(&picture);
}

/* However different the names, there is a bound to the rows; one is kept for virtual threads. */
static void test_many_names(void **state)
{
	struct trace *trace = *state;
	struct test_picture picture = {.metrics = 2};
	uint64_t threads = 0;

	for (int i = 0; i < 2000; i++) {
		char name[64] = {0};

		for (int k = 0; k < 12; k++)
			name[k] = i >> k & 1 ? 'b' : 'a';
		trace_thread_end(trace, test_begin(trace, name), NULL);
	}
	test_visit(trace, &picture);
	assert_int_equal(picture.count, TRACE_KEPT_ENDED + TRACE_FOLDS_MAX);
	for (size_t i = 0; i < picture.count; i++)
		threads += picture.row[i].thread.folded;
	assert_int_equal(threads, 2000);
	test_picture_fini(&picture);
}

/* During a visit threads end that it has shown: they must not be shown again in a fold.
 */
struct ender {
	struct trace *trace;
	struct thread_context *context[1500];
	unsigned rows;
	uint64_t calls, threads;
};

static int ender_begin(void *user, const struct trace_thread *thread)
{
	struct ender *ender = user;

	if (ender->rows++ != 1200)
		return 0;
	for (int i = 0; i < 1500; i++) {
		call(ender->context[i], A, 1);
		trace_thread_end(ender->trace, ender->context[i], NULL);
	}
	return 0;
}

static int ender_nodes(void *user, const struct trace_thread *thread, uint32_t count,
	const struct tree_node *node, size_t stride)
{
	struct ender *ender = user;

	for (uint32_t i = 0; i < count; i++)
		ender->calls += trace_node(node, stride, i)->calls;
	return 0;
}

static int ender_end(void *user, const struct trace_thread *thread)
{
	struct ender *ender = user;

	ender->threads += thread->folded;
	return 0;
}

static void test_end_in_visit(void **state)
{
	struct trace *trace = *state;
	struct ender *ender = calloc(1, sizeof(*ender));
	struct trace_visitor visitor = {
		.user = ender, .begin = ender_begin, .nodes = ender_nodes, .end = ender_end};
	struct test_picture picture = {.metrics = 2};

	ender->trace = trace;
	for (int i = 0; i < 1500; i++) {
		ender->context[i] = test_begin(trace, "x");
		call(ender->context[i], A, 1);
	}
	assert_int_equal(trace_visit(trace, &visitor), 0);
	/* 1,201 were shown, or being shown, with one call before the others ended; what
	 * was not yet shown may be folded and then belongs to the next picture. */
	assert_true(ender->threads >= 1201 && ender->threads <= 1500);
	assert_true(ender->calls >= ender->threads);
	assert_true(ender->calls <= 1200 + 2 * (ender->threads - 1200));
	/* After the visit what was put off is done. */
	test_visit(trace, &picture);
	assert_int_equal(picture.count, TRACE_KEPT_ENDED + 1);
	assert_int_equal(picture.row[picture.count - 1].thread.folded, 500);
	test_picture_fini(&picture);
	free(ender);
}

static int do_nothing(void *user, const struct trace_thread *thread)
{
	return 0;
}

/* The same with a fold that is shown after them. */
static int late_begin(void *user, const struct trace_thread *thread)
{
	struct ender *ender = user;

	if (thread->id != 200)
		return 0;
	for (int i = 0; i < 50; i++)
		trace_thread_end(ender->trace, ender->context[i], NULL);
	return 0;
}

static void test_end_before_fold(void **state)
{
	struct trace *trace = *state;
	struct ender *ender = calloc(1, sizeof(*ender));
	struct trace_visitor visitor = {
		.user = ender, .begin = late_begin, .nodes = ender_nodes, .end = ender_end};

	ender->trace = trace;
	for (int i = 0; i < 50; i++) {
		ender->context[i] = test_begin(trace, "x");
		call(ender->context[i], A, 1);
	}
	for (int i = 0; i < 1100; i++) {
		struct thread_context *context = test_begin(trace, "x");

		call(context, A, 1);
		trace_thread_end(trace, context, NULL);
	}
	for (int i = 0; i < 2; i++) {
		ender->calls = ender->threads = 0;
		assert_int_equal(trace_visit(trace, &visitor), 0);
		assert_int_equal(ender->threads, 1150);
		assert_int_equal(ender->calls, 1150);
		visitor.begin = do_nothing;
	}
	free(ender);
}

/* While a visitor is at a row of folded threads, others of the name end: nothing piles
 * up, and the name has one row again after the visit. */
struct crowd {
	struct trace *trace;
	uint64_t calls;
	unsigned ended;
};

static int crowd_begin(void *user, const struct trace_thread *thread)
{
	struct crowd *crowd = user;
	struct trace_state before, after;

	if (thread->folded == 1)
		return 0;
	trace_get_state(crowd->trace, &before);
	for (; crowd->ended < 4000; crowd->ended++) {
		struct thread_context *context = test_begin(crowd->trace, "x-7");

		call(context, A, 1);
		trace_thread_end(crowd->trace, context, NULL);
	}
	trace_get_state(crowd->trace, &after);
	assert_true(after.memory_used - before.memory_used <= 10 * arena_page());
	return 0;
}

static int crowd_nodes(void *user, const struct trace_thread *thread, uint32_t count,
	const struct tree_node *node, size_t stride)
{
	struct crowd *crowd = user;

	for (uint32_t i = 0; i < count; i++)
		crowd->calls += trace_node(node, stride, i)->calls;
	return 0;
}

static void test_crowd_in_visit(void **state)
{
	struct trace *trace = *state;
	struct crowd crowd = {.trace = trace};
	struct trace_visitor visitor = {
		.user = &crowd, .begin = crowd_begin, .nodes = crowd_nodes, .end = do_nothing};
	struct test_picture picture = {.metrics = 2};
	uint64_t calls = 0;

	for (int i = 0; i < 1100; i++) {
		struct thread_context *context = test_begin(trace, "x-1");

		call(context, A, 1);
		trace_thread_end(trace, context, NULL);
	}
	assert_int_equal(trace_visit(trace, &visitor), 0);
	assert_int_equal(crowd.ended, 4000);
	assert_int_equal(crowd.calls, 1100);
	test_visit(trace, &picture);
	assert_int_equal(picture.count, TRACE_KEPT_ENDED + 1);
	for (size_t i = 0; i < picture.count; i++)
		calls += picture.row[i].sums.calls;
	assert_int_equal(calls, 5100);
	test_picture_fini(&picture);
}

/* An owner that prunes between two blocks: the visit begins that thread again, and comes
 * to an end although the owner would prune each time. */
struct pruner {
	struct test_picture picture;
	struct thread_context *context;
	struct trace_visitor inner;
	uint32_t next;
	unsigned begins, prunes;
};

/* The n-th call path of 71 methods. */
static void call_path(struct thread_context *context, uint32_t n)
{
	uint32_t outer = A + n / 71 / 71 % 71, inner = A + n / 71 % 71;

	test_use(context, 2, 0);
	context_enter(SHAPE_ANY, context, outer, STATE_JITTED, false);
	context_enter(SHAPE_ANY, context, inner, STATE_JITTED, false);
	call(context, A + n % 71, 1);
	context_exit(SHAPE_ANY, context, inner, false);
	context_exit(SHAPE_ANY, context, outer, false);
}

static int pruner_begin(void *user, const struct trace_thread *thread)
{
	struct pruner *pruner = user;

	pruner->begins++;
	return pruner->inner.begin(pruner->inner.user, thread);
}

static int pruner_nodes(void *user, const struct trace_thread *thread, uint32_t count,
	const struct tree_node *node, size_t stride)
{
	struct pruner *pruner = user;
	uint64_t pruned = pruner->context->tree.pruned;

	/* Enough new paths to make it prune, if it may. */
	for (uint32_t i = 0; i < 60000; i++)
		call_path(pruner->context, pruner->next++);
	pruner->prunes += pruner->context->tree.pruned != pruned;
	return pruner->inner.nodes(pruner->inner.user, thread, count, node, stride);
}

static int pruner_end(void *user, const struct trace_thread *thread)
{
	struct pruner *pruner = user;

	return pruner->inner.end(pruner->inner.user, thread);
}

static void test_prune_in_visit(void **state)
{
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 4 << 20);
	struct pruner pruner = {.picture = {.metrics = 2}};
	struct trace_visitor visitor = {.user = &pruner,
		.begin = pruner_begin,
		.nodes = pruner_nodes,
		.end = pruner_end};
	struct test_sums sums;

	pruner.inner = test_visitor(&pruner.picture);
	pruner.context = test_begin(trace, "pruner");
	for (; pruner.next < 20000;)
		call_path(pruner.context, pruner.next++);
	assert_int_equal(trace_visit(trace, &visitor), 0);
	assert_int_equal(pruner.begins, 3);
	assert_true(pruner.prunes >= 2);
	assert_false(pruner.context->tree.hold);
	assert_int_equal(pruner.picture.row[0].begins, 3);
	sums = test_sum(&pruner.context->tree);
	assert_int_equal(sums.calls, 3 * pruner.next);
	assert_int_equal(sums.base[0], 3 * pruner.next);
	test_check_tree(&pruner.context->tree);
	test_picture_fini(&pruner.picture);
	trace_destroy(trace);
}

/* A visitor that gives up leaves everything usable. */
static int give_up(void *user, const struct trace_thread *thread)
{
	return -5;
}

static void test_given_up(void **state)
{
	struct trace *trace = *state;
	struct trace_visitor visitor = {
		.user = NULL, .begin = give_up, .nodes = NULL, .end = NULL};
	struct test_picture picture = {.metrics = 2};

	trace_thread_end(trace, test_begin(trace, "x"), NULL);
	assert_int_equal(trace_visit(trace, &visitor), -5);
	test_visit(trace, &picture);
	assert_int_equal(picture.count, 1);
	test_picture_fini(&picture);
}

/* What a thread costs that does next to nothing. */
static void test_small_threads(void **state)
{
	struct trace *trace = *state;
	struct trace_state before, after;

	trace_get_state(trace, &before);
	for (int i = 0; i < 1000; i++)
		call(test_begin(trace, "x"), A, 1);
	trace_get_state(trace, &after);
	assert_int_equal(after.threads, 1000);
	assert_true(after.memory_used - before.memory_used <= 1000 * 5 * arena_page());
	print_message("%lu bytes a thread\n",
		(unsigned long)(after.memory_used - before.memory_used) / 1000);
}

/* A thread with a big tree takes all there is; others begin and record in full all the
 * same. */
static void test_no_starvation(void **state)
{
	enum { SMALL = 20, PATHS = 2000 };
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 20 << 20);
	struct thread_context *hog = test_begin(trace, "hog"), *small[SMALL];
	uint32_t paths = 0;
	struct test_sums sums;

	for (; hog->tree.pruned == 0; paths++)
		call_path(hog, paths);
	for (int i = 0; i < 30000; i++)
		call_path(hog, paths++);
	for (int t = 0; t < SMALL; t++) {
		small[t] = test_begin(trace, "small");
		assert_non_null(small[t]);
	}
	for (uint32_t i = 0; i < PATHS; i++)
		for (int t = 0; t < SMALL; t++) {
			call(small[t], A + i % 10, 1);
			call(small[t], A + i, 1);
			call_path(hog, paths++);
		}
	for (int t = 0; t < SMALL; t++) {
		assert_int_equal(small[t]->tree.pruned, 0);
		sums = test_sum(&small[t]->tree);
		assert_int_equal(sums.nodes, PATHS + 2);
		assert_int_equal(sums.calls, 2 * PATHS);
		assert_int_equal(tree_at(&small[t]->tree, TREE_FOLDED)->calls, 0);
	}
	sums = test_sum(&hog->tree);
	assert_int_equal(sums.calls, 3 * paths);
	test_check_tree(&hog->tree);
	trace_destroy(trace);
}

/* Trees of ended threads make room for living ones; sums stay. */
static void test_ended_give_way(void **state)
{
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 8 << 20);
	struct test_picture picture = {.metrics = 2};
	struct thread_context *live;
	uint64_t calls = 0, shown = 0;

	for (int t = 0; t < 40; t++) {
		struct thread_context *context = test_begin(trace, "ending-1");

		for (uint32_t i = 0; i < 10000; i++, calls++)
			call(context, A + i, i % 100);
		trace_thread_end(trace, context, NULL);
	}
	live = test_begin(trace, "live");
	for (uint32_t i = 0; i < 20000; i++, calls++)
		call(live, A + i, 1);
	assert_int_equal(live->tree.count, 20002);
	assert_int_equal(live->tree.pruned, 0);
	test_visit(trace, &picture);
	for (size_t i = 0; i < picture.count; i++)
		shown += picture.row[i].sums.calls;
	assert_int_equal(shown, calls);
	test_picture_fini(&picture);
	trace_destroy(trace);
}

/* Far too little for so many threads: what they cannot do without is beyond the limit, and each call is
 * there. */
static void test_tiny(void **state)
{
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 256 << 10);
	struct test_picture picture = {.metrics = 2};
	struct thread_context *live[100];
	struct trace_state now;
	uint64_t calls = 0, shown = 0, threads = 0;

	for (int t = 0; t < 200; t++) {
		struct thread_context *context = test_begin(trace, "short-1");

		assert_non_null(context);
		for (uint32_t i = 0; i < 300; i++, calls++)
			call(context, A + i, 1);
		trace_thread_end(trace, context, NULL);
	}
	for (int t = 0; t < 100; t++)
		live[t] = test_begin(trace, "long");
	for (uint32_t i = 0; i < 100; i++)
		for (int t = 0; t < 100; t++)
			if (live[t] != NULL) {
				call(live[t], A + i, 1);
				calls++;
			}
	trace_get_state(trace, &now);
	assert_int_equal(now.lost_threads, 0);
	assert_true(now.memory_peak > now.memory_limit);
	test_visit(trace, &picture);
	for (size_t i = 0; i < picture.count; i++) {
		shown += picture.row[i].sums.calls;
		threads += picture.row[i].thread.folded;
	}
	assert_int_equal(shown, calls);
	assert_int_equal(threads, 300);
	assert_int_equal(threads, now.threads);
	test_picture_fini(&picture);
	trace_destroy(trace);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_shown),
		TEST(test_blocks),
		TEST(test_delta),
		TEST(test_totals_outside),
		TEST(test_delta_ends),
		TEST(test_folding),
		TEST(test_folding_by_sessions),
		TEST(test_others_of_all_sessions),
		TEST(test_renewed_rows),
		TEST(test_many_names),
		TEST(test_end_in_visit),
		TEST(test_end_before_fold),
		TEST(test_crowd_in_visit),
		cmocka_unit_test(test_prune_in_visit),
		TEST(test_given_up),
		TEST(test_small_threads),
		cmocka_unit_test(test_no_starvation),
		cmocka_unit_test(test_ended_give_way),
		cmocka_unit_test(test_tiny),
	};
	int result = cmocka_run_group_tests(tests, NULL, NULL);

	return result != 0 ? result : lock_violations() != 0;
}
