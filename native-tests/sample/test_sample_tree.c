/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sample_tree: paths below nodes of the trace, written to a profile and read back; nodes of the trace that are
 * folded, within a row and into another one; transactions that are lost; and sums that stay exact when memory is short.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "agent/sample/sample_tree.h"
#include "native-tests/profile/fixture.h"
#include "profile/kinds.h"

enum { A = METHOD_FIRST, B, C, D, METHODS = 4, MB = 1 << 20 };

static const uint64_t nothing[PROFILE_METRIC_MAX];

/* ---- a profile of two threads: in 1 root -> a (node 1), in 2 root ---- */

static struct profile_writer *writer;
static struct error error;

static void put_exact(uint32_t thread, uint32_t id, uint32_t parent, uint32_t method)
{
	const struct profile_node node = {.thread = thread,
		.id = id,
		.parent = parent,
		.method = method,
		.calls = id > 0,
		.jitted = id > 0,
		.base = nothing,
		.spent = nothing};

	profile_put(writer, &node, &error);
}

static void open_profile(void)
{
	static const char *const names[METHODS] = {"a", "b", "c", "d"};
	const struct profile_condition condition = {
		0, "cpu:1ms", "cpu", 1000000, "ns", "perf task-clock"};

	error = (struct error){0};
	profile_create(&writer, fixture_path("tree.jprof"), fixture_metrics, FIXTURE_METRICS,
		NULL, &error);
	profile_begin(writer, &error);
	profile_put(writer, &condition, &error);
	for (uint32_t i = 0; i < METHODS; i++) {
		const struct profile_method method = {.id = A + i,
			.class_name = "acme.X",
			.name = names[i],
			.kind = METHOD_JAVA};

		profile_put(writer, &method, &error);
	}
	for (uint32_t i = 1; i <= 2; i++) {
		const struct profile_thread thread = {.id = i, .name = "t", .folded = 1};

		profile_put(writer, &thread, &error);
		put_exact(i, 0, 0, METHOD_ROOT);
	}
	put_exact(1, 1, 0, A);
	profile_commit(writer, &error);
	assert_string_equal(error.text, "");
}

/* A flush. kept: it is committed. */
static void flush(struct sample_tree *tree, bool kept)
{
	profile_begin(writer, &error);
	assert_int_equal(sample_tree_put(tree, writer, &error), 0);
	if (kept)
		profile_commit(writer, &error);
	else
		profile_rollback(writer);
	assert_string_equal(error.text, "");
	sample_tree_confirm(tree, kept);
}

static size_t print_node(
	const struct profile *profile, size_t i, char *text, size_t room, uint64_t *all)
{
	const struct profile_node *node = &profile->node[i];
	const char *name = node->method == METHOD_ROOT     ? "root"
			   : node->method == METHOD_FOLDED ? "fold"
							   : profile->method[node->method].name;
	size_t used = (size_t)snprintf(
		text, room, "%s%s<%u", node->sampled ? "*" : "", name, node->parent);

	for (size_t k = 0; k < profile->account_count; k++) {
		const struct profile_account *account = &profile->account[k];

		if (account->node != i)
			continue;
		*all += account->amount;
		used += (size_t)snprintf(text + used, room - used, " %s:%u=%llu/%llu",
			sample_state_names[sample_place_state(account->subject)],
			(unsigned)sample_place_line(account->subject),
			(unsigned long long)account->count,
			(unsigned long long)account->amount);
	}
	return used;
}

/* Nodes in the order of the file, "[*]METHOD<PARENT STATE:LINE=COUNT/AMOUNT...", * is sampled. */
static const char *read_back(void)
{
	static char text[4096];
	struct profile *profile;
	size_t used = 0;
	uint64_t all = 0;

	assert_int_equal(profile_close(writer, &error), 0);
	writer = NULL;
	if (profile_open(&profile, fixture_path("tree.jprof"), &error) != 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < profile->node_count; i++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, i ? ", " : "");
		used += print_node(profile, i, text + used, sizeof(text) - used, &all);
	}
	profile_free(profile);
	return text;
}

static uint64_t at_line(uint32_t line)
{
	return sample_place(0, SAMPLE_C2, line);
}

/* root -> a (exact) -> b -> c, and root of thread 2 -> b; with samples. */
static struct sample_tree *some_tree(void)
{
	struct sample_tree *tree = sample_tree_create(MB);
	uint32_t a = sample_tree_anchor(tree, 1, 1), b = sample_tree_child(tree, a, B);
	uint32_t c = sample_tree_child(tree, b, C), other = sample_tree_anchor(tree, 2, 0);

	assert_int_equal(sample_tree_anchor(tree, 1, 1), a);
	assert_int_equal(sample_tree_child(tree, a, B), b);
	assert_true(sample_tree_count(tree, a, at_line(3), 1, 1));
	assert_true(sample_tree_count(tree, c, at_line(7), 2, 5));
	assert_true(sample_tree_count(tree, c, at_line(7), 1, 1));
	assert_true(sample_tree_count(tree, c, at_line(8), 1, 1));
	assert_true(
		sample_tree_count(tree, sample_tree_child(tree, other, B), at_line(0), 4, 4));
	return tree;
}

static const char some_text[] =
	"root<0, a<0 c2:3=1/1, *b<1, *c<2 c2:7=3/6 c2:8=1/1, root<4, *b<4 c2:0=4/4";

/* ---- the file ---- */

static void test_put(void **state)
{
	struct sample_tree *tree;

	open_profile();
	tree = some_tree();
	flush(tree, true);
	flush(tree, true);
	assert_string_equal(read_back(), some_text);
	sample_tree_destroy(tree);
}

/* More samples between flushes; those that are lost are put again, with all that was put in them. */
static void test_lost(void **state)
{
	struct sample_tree *tree;
	uint32_t a, d;

	open_profile();
	tree = some_tree();
	flush(tree, false);
	flush(tree, false);
	flush(tree, true);
	a = sample_tree_anchor(tree, 1, 1);
	d = sample_tree_child(tree, a, D);
	sample_tree_count(tree, a, at_line(3), 1, 2);
	sample_tree_count(tree, d, at_line(9), 1, 1);
	flush(tree, false);
	sample_tree_count(tree, d, at_line(9), 1, 1);
	flush(tree, true);
	assert_string_equal(read_back(),
		"root<0, a<0 c2:3=2/3, *b<1, *c<2 c2:7=3/6 c2:8=1/1, *d<1 c2:9=2/2, root<5, "
		"*b<5 c2:0=4/4");
	sample_tree_destroy(tree);
}

/* ---- forwards ---- */

/* Node 1 is folded: its counts go to `to` of the thread. */
static void fold(struct sample_tree *tree, uint32_t to_thread, uint32_t to)
{
	const struct profile_forward forward = {1, 1, to_thread, to};

	sample_tree_forward(tree, &forward);
}

/* In the same row, before anything was written, and behind; the transaction is lost at times. */
static void test_forward(void **state)
{
	for (int i = 0; i < 4; i++) {
		struct sample_tree *tree;
		const struct profile_forward record = {1, 1, 1, 3};

		open_profile();
		tree = some_tree();
		if (i > 0)
			flush(tree, i > 1);
		/* There are samples at the new place already. */
		sample_tree_count(tree,
			sample_tree_child(tree, sample_tree_anchor(tree, 1, 3), B), at_line(1),
			1, 1);
		profile_begin(writer, &error);
		profile_drop_node(writer, 1, 1, &error);
		profile_put(writer, &record, &error);
		put_exact(1, 2, 0, METHOD_FOLDED);
		put_exact(1, 3, 2, A);
		profile_commit(writer, &error);
		fold(tree, 1, 3);
		/* The same again, as after a lost transaction. */
		fold(tree, 1, 3);
		if (i == 3)
			flush(tree, false);
		flush(tree, true);
		assert_string_equal(read_back(),
			"root<0, fold<0, a<1 c2:3=1/1, *b<2 c2:1=1/1, *c<3 c2:8=1/1 c2:7=3/6, "
			"root<5, *b<5 c2:0=4/4");
		sample_tree_destroy(tree);
	}
}

/* A whole thread is folded into another row, whose own samples are the same paths. */
static void test_forward_row(void **state)
{
	const struct profile_forward roots[] = {{1, 1, 2, 0}, {1, 0, 2, 0}};
	struct sample_tree *tree;

	open_profile();
	tree = some_tree();
	sample_tree_count(tree, sample_tree_child(tree, sample_tree_anchor(tree, 1, 0), D),
		at_line(2), 1, 1);
	flush(tree, true);
	profile_begin(writer, &error);
	profile_drop_thread(writer, 1, &error);
	for (int i = 0; i < 2; i++) {
		profile_put(writer, &roots[i], &error);
		sample_tree_forward(tree, &roots[i]);
	}
	profile_commit(writer, &error);
	flush(tree, true);
	assert_string_equal(read_back(), "root<0 c2:3=1/1, *b<0 c2:0=4/4, "
					 "*c<1 c2:8=1/1 c2:7=3/6, *d<0 c2:2=1/1");
	sample_tree_destroy(tree);
}

/* Samples that come late have the id that is no more. */
static void test_late(void **state)
{
	const struct profile_forward record = {1, 1, 1, 3};
	struct sample_tree *tree;

	open_profile();
	tree = some_tree();
	profile_begin(writer, &error);
	profile_drop_node(writer, 1, 1, &error);
	profile_put(writer, &record, &error);
	put_exact(1, 3, 0, A);
	profile_commit(writer, &error);
	fold(tree, 1, 3);
	sample_tree_count(tree, sample_tree_child(tree, sample_tree_anchor(tree, 1, 1), B),
		at_line(1), 1, 1);
	flush(tree, true);
	assert_string_equal(read_back(), "root<0, a<0 c2:3=1/1, *b<1 c2:1=1/1, *c<2 c2:8=1/1 "
					 "c2:7=3/6, root<4, *b<4 c2:0=4/4");
	sample_tree_destroy(tree);
}

/* ---- memory ---- */

/* What the sampler does with a stack, outermost first. */
static bool add_stack(
	struct sample_tree *tree, const uint32_t *method, unsigned count, uint32_t line)
{
	uint32_t node = sample_tree_anchor(tree, 1, 0), next;

	for (unsigned i = 0; i < count && node; i++) {
		next = sample_tree_child(tree, node, method[i]);
		if (next == 0) {
			next = sample_tree_folded(tree, node, method[count - 1]);
			i = count;
		}
		node = next;
	}
	return node && sample_tree_count(tree, node, at_line(line), 1, 1);
}

struct sums {
	uint64_t all, folded; /* folded: of methods below a fold */
	uint64_t by_method[METHODS];
};

static struct sums read_sums(void)
{
	struct sums sums = {0};
	struct profile *profile;

	assert_int_equal(profile_close(writer, &error), 0);
	if (profile_open(&profile, fixture_path("tree.jprof"), &error) != 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		const struct profile_node *node = &profile->node[account->node];

		sums.all += account->amount;
		if (profile->node[node->parent].method == METHOD_FOLDED)
			sums.folded += account->amount;
		if (node->method >= A && node->method < A + METHODS)
			sums.by_method[node->method - A] += account->amount;
	}
	profile_free(profile);
	return sums;
}

/* Ever new paths, far more than there is room for: each sample is somewhere, and below a fold it is its
 * method's. */
static void test_memory(void **state)
{
	enum { STACKS = 30000, DEPTH = 12, BOUND = 400000 };
	struct sample_tree *tree = sample_tree_create(BOUND);
	uint64_t by_method[METHODS] = {0};
	struct sample_tree_state full;
	struct sums sums;

	open_profile();
	for (uint32_t i = 0; i < STACKS; i++) {
		uint32_t method[DEPTH], path = i * 2654435761u;

		for (int k = 0; k < DEPTH; k++, path /= METHODS)
			method[k] = A + path % METHODS;
		by_method[method[DEPTH - 1] - A]++;
		assert_true(add_stack(tree, method, DEPTH, i));
	}
	full = sample_tree_state(tree);
	print_message("%llu bytes, %llu nodes, %llu folded\n", (unsigned long long)full.bytes,
		(unsigned long long)full.nodes, (unsigned long long)full.folded);
	assert_true(full.folded > STACKS / 4);
	/* Sums of nodes may need more than there is: as much again at most. */
	assert_true(full.bytes <= 2 * BOUND);
	flush(tree, true);
	sums = read_sums();
	assert_int_equal(sums.all, STACKS);
	assert_true(sums.folded > 0);
	for (int i = 0; i < METHODS; i++)
		assert_int_equal(sums.by_method[i], by_method[i]);
	sample_tree_destroy(tree);
}

/* Few paths and many lines: samples lose their line, and nothing else. */
static void test_lines(void **state)
{
	enum { SAMPLES_TAKEN = 50000 };
	static const uint32_t path[] = {A, B, C};
	struct sample_tree *tree = sample_tree_create(300000);
	struct sums sums;

	open_profile();
	for (uint32_t i = 0; i < SAMPLES_TAKEN; i++)
		assert_true(add_stack(tree, path, 1 + i % 3, i));
	assert_true(sample_tree_state(tree).bytes <= 300000);
	assert_int_equal(sample_tree_state(tree).folded, 0);
	flush(tree, true);
	sums = read_sums();
	assert_int_equal(sums.all, SAMPLES_TAKEN);
	for (int i = 0; i < 3; i++)
		assert_true(sums.by_method[i] - SAMPLES_TAKEN / 3 <= 1);
	sample_tree_destroy(tree);
}

/* Folding nodes of the trace when memory is short. */
static void test_forward_memory(void **state)
{
	enum { NODES = 600 };
	struct sample_tree *tree = sample_tree_create(150000);
	uint64_t taken = 0;
	struct sums sums;

	open_profile();
	profile_begin(writer, &error);
	for (uint32_t i = 0; i < NODES; i++)
		put_exact(2, 1 + i, 0, A + i % METHODS);
	profile_commit(writer, &error);
	for (uint32_t i = 0; i < 6 * NODES; i++) {
		uint32_t node = sample_tree_anchor(tree, 2, 1 + i % NODES);
		uint32_t child =
			node ? sample_tree_child(tree, node, A + i / NODES % METHODS) : 0;

		assert_true(node != 0);
		taken += sample_tree_count(tree, child ? child : node, at_line(i), 1, 1);
	}
	flush(tree, true);
	profile_begin(writer, &error);
	for (uint32_t i = 1; i < NODES; i++) {
		const struct profile_forward forward = {2, 1 + i, 2, 1};

		sample_tree_forward(tree, &forward);
		profile_drop_node(writer, 2, 1 + i, &error);
		profile_put(writer, &forward, &error);
	}
	profile_commit(writer, &error);
	flush(tree, true);
	sums = read_sums();
	assert_int_equal(taken, 6 * NODES);
	assert_int_equal(sums.all, taken);
	sample_tree_destroy(tree);
}

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_forward),
		cmocka_unit_test(test_forward_row),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_forward_memory),
	};
	return cmocka_run_group_tests(tests, NULL, clean);
}
