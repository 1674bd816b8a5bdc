/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * The numbers of the views against a model without any cleverness: every node gives its
 * base to whoever is on its path.
 *
 * For node X and a method m on its path (X itself included):
 *   cum of m, and of the edge into the outermost node of m:      + base of X
 *   X not of m itself: edge out of the innermost node of m:      + base of X
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "native-tests/report/fixture.h"

#define METHODS 8

static struct fixture fixture;

static const char *const metric_names[FIXTURE_METRICS] = {"wall", "alloc"};

/* ---- the model ---- */

/* Metrics, and behind them samples. */
enum { FIGURES = FIXTURE_METRICS + 1 };

struct sums {
	uint64_t nodes, sampled, calls, base[FIGURES], cum[FIGURES];
};

static uint64_t samples[FIXTURE_NODES]; /* of each node */

static struct {
	struct sums method[METHODS];
	struct sums in[METHODS][METHODS];  /* [caller][callee], as the callee's callers */
	struct sums out[METHODS][METHODS]; /* the same, as the caller's callees */
	struct sums node[FIXTURE_NODES];
} model;

static void add_base(uint64_t *sums, size_t at)
{
	for (unsigned m = 0; m < FIXTURE_METRICS; m++)
		sums[m] += fixture.base[at][m];
	sums[FIXTURE_METRICS] += samples[at];
}

static bool on_path_above(uint32_t node, uint32_t method)
{
	while (fixture.node[node].id != 0) {
		node = fixture.node[node].parent;
		if (fixture.node[node].method == method && fixture.node[node].id != 0)
			return true;
	}
	return false;
}

/* Node at, with N one of the nodes on its path and C the next one down. */
static void model_path(size_t at)
{
	const struct profile_node *x = &fixture.node[at];
	bool seen[METHODS] = {false};
	uint32_t below = (uint32_t)at;

	for (uint32_t n = below;; below = n, n = fixture.node[n].parent) {
		uint32_t method = fixture.node[n].method;
		uint32_t parent = fixture.node[fixture.node[n].parent].method;

		add_base(model.node[n].cum, at);
		if (fixture.node[n].id == 0)
			break;
		if (!on_path_above(n, method)) {
			add_base(model.method[method].cum, at);
			add_base(model.in[parent][method].cum, at);
		}
		if (!seen[method] && method != x->method)
			add_base(model.out[method][fixture.node[below].method].cum, at);
		seen[method] = true;
	}
}

static void model_edge(struct sums *sums, const struct profile_node *x, size_t at)
{
	sums->nodes++;
	sums->sampled += x->sampled;
	sums->calls += x->calls;
	add_base(sums->base, at);
}

static void make_model(void)
{
	memset(&model, 0, sizeof(model));
	for (size_t i = 0; i < fixture.profile.node_count; i++) {
		const struct profile_node *x = &fixture.node[i];
		uint32_t parent = fixture.node[x->parent].method;

		model_path(i);
		model_edge(&model.node[i], x, i);
		if (x->id == 0)
			continue;
		model_edge(&model.method[x->method], x, i);
		model_edge(&model.in[parent][x->method], x, i);
		model_edge(&model.out[parent][x->method], x, i);
	}
}

static uint32_t random_below(uint32_t limit)
{
	return (uint32_t)rand() % limit;
}

/* Of every second seed samples alone have found some nodes, and all below them; any may have samples. */
static void add_node(unsigned seed, uint32_t parent)
{
	size_t first = fixture.profile.thread_first[fixture.profile.thread_count - 1];
	uint32_t method = METHOD_FIRST + random_below(METHODS - METHOD_FIRST);
	bool sampled =
		seed % 2 == 1 && (fixture.node[first + parent].sampled || random_below(8) == 0);
	uint32_t node = sampled ? fixture_node(&fixture, parent, method, 0, 0, 0)
				: fixture_node(&fixture, parent, method, 1 + random_below(50),
					  random_below(1000), random_below(1000));

	fixture.node[first + node].sampled = sampled;
	if (seed % 2 == 0 || fixture.profile.account_count == FIXTURE_IO ||
		random_below(3) != 0)
		return;
	samples[first + node] = 1 + random_below(30);
	fixture_samples(&fixture, node, 0, SAMPLE_C2, random_below(3), samples[first + node]);
}

/* Few methods and long paths: much recursion. */
static void random_profile(unsigned seed)
{
	static char names[METHODS][8];
	uint32_t window = 1 + seed % 7;

	srand(seed);
	fixture_init(&fixture);
	memset(samples, 0, sizeof(samples));
	if (seed % 2 == 1)
		fixture_condition(&fixture, "cpu:1ms", "cpu", 1000000, "ns", "");
	for (uint32_t m = METHOD_FIRST; m < METHODS; m++) {
		snprintf(names[m], sizeof(names[m]), "m%u", m);
		fixture_method(&fixture, "T", names[m], "()V");
	}
	for (unsigned t = 0; t < 1 + seed % 3; t++) {
		fixture_thread(&fixture, "t", random_below(100), random_below(100));
		for (uint32_t i = 1; i < 60; i++) {
			uint32_t back = random_below(window < i ? window : i);

			add_node(seed, i - 1 - back);
		}
	}
}

/* ---- the views as JSON ---- */

static json_t *load(const char *view)
{
	char *text = fixture_print(&fixture, view, "json");
	json_error_t error;
	json_t *report = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (report == NULL)
		fail_msg("not JSON, line %d: %s", error.line, error.text);
	assert_string_equal(json_string_value(json_object_get(report, "view")), view);
	free(text);
	return report;
}

static uint64_t number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	assert_true(json_is_integer(value));
	return (uint64_t)json_integer_value(value);
}

/* What samples alone have found was not counted, and not measured. */
static void check_number(
	const json_t *object, const char *key, const struct sums *sums, uint64_t is)
{
	if (sums->sampled == sums->nodes)
		assert_true(json_is_null(json_object_get(object, key)));
	else
		assert_int_equal(number(object, key), is);
}

static void check_sums(const json_t *row, const struct sums *sums)
{
	const json_t *own = json_object_get(row, "samples");

	check_number(row, "calls", sums, sums->calls);
	for (unsigned m = 0; m < FIXTURE_METRICS; m++) {
		check_number(
			json_object_get(row, "base"), metric_names[m], sums, sums->base[m]);
		check_number(json_object_get(row, "cum"), metric_names[m], sums, sums->cum[m]);
	}
	if (fixture.profile.condition_count == 0) {
		assert_null(own);
		return;
	}
	assert_int_equal(number(own, "cpu"), sums->base[FIXTURE_METRICS]);
	assert_int_equal(
		number(json_object_get(row, "samples_cum"), "cpu"), sums->cum[FIXTURE_METRICS]);
}

/* "m5" is method 5; null is the thread's root. */
static uint32_t method_of(const json_t *row)
{
	const char *name = json_string_value(json_object_get(row, "method"));

	return name == NULL ? METHOD_ROOT : (uint32_t)atoi(name + 1);
}

static size_t count_used(const struct sums *sums, size_t count, size_t stride)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		used += sums[i * stride].nodes > 0;
	return used;
}

static void check_methods(void)
{
	json_t *report = load("methods"), *row;
	json_t *rows = json_object_get(report, "rows");
	size_t i;

	assert_int_equal(json_array_size(rows), count_used(model.method, METHODS, 1));
	json_array_foreach(rows, i, row) check_sums(row, &model.method[method_of(row)]);
	json_decref(report);
}

static void check_tree(void)
{
	json_t *report = load("tree"), *row;
	json_t *rows = json_object_get(report, "rows");
	size_t i;

	assert_int_equal(json_array_size(rows), fixture.profile.node_count);
	json_array_foreach(rows, i, row)
	{
		const struct profile_node *node = &fixture.node[number(row, "id")];

		check_sums(row, &model.node[number(row, "id")]);
		assert_int_equal(method_of(row), node->method);
		assert_int_equal(number(row, "recursion"), node->recursion);
	}
	json_decref(report);
}

static void check_callers(void)
{
	json_t *report = load("callers"), *stanza, *row;
	size_t i, j;

	assert_string_equal(json_string_value(json_object_get(report, "invariants")), "hold");
	json_array_foreach(json_object_get(report, "rows"), i, stanza)
	{
		json_t *callers = json_object_get(stanza, "callers");
		json_t *callees = json_object_get(stanza, "callees");
		uint32_t self = method_of(json_object_get(stanza, "self"));

		check_sums(json_object_get(stanza, "self"), &model.method[self]);
		assert_int_equal(json_array_size(callers),
			count_used(&model.in[0][self], METHODS, METHODS));
		assert_int_equal(
			json_array_size(callees), count_used(model.out[self], METHODS, 1));
		json_array_foreach(callers, j, row)
			check_sums(row, &model.in[method_of(row)][self]);
		json_array_foreach(callees, j, row)
			check_sums(row, &model.out[self][method_of(row)]);
	}
	assert_int_equal(json_array_size(json_object_get(report, "rows")),
		count_used(model.method, METHODS, 1));
	json_decref(report);
}

static void test_random_profiles(void **state)
{
	for (unsigned seed = 1; seed <= 300; seed++) {
		random_profile(seed);
		make_model();
		check_methods();
		check_tree();
		check_callers();
	}
}

/* Depth first: a row's parent is the last row before it that is one level up; and siblings
 * stand by their cum. */
static void test_tree_order(void **state)
{
	uint64_t open[FIXTURE_NODES], last_cum[FIXTURE_NODES + 1];
	json_t *report, *row;
	size_t i;

	random_profile(6);
	report = load("tree");
	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		uint64_t level = number(row, "level");
		uint64_t cum = number(json_object_get(row, "cum"), "wall");

		if (level == 0)
			assert_true(json_is_null(json_object_get(row, "parent")));
		else
			assert_int_equal(number(row, "parent"), open[level - 1]);
		if (i > 0 && level > 0)
			assert_true(cum <= last_cum[level]);
		last_cum[level] = cum;
		last_cum[level + 1] = UINT64_MAX;
		open[level] = number(row, "id");
	}
	json_decref(report);
}

/* A file whose recursion level is wrong counts a recursion twice: the view must say so. */
static void test_violation_is_said(void **state)
{
	struct report_request request = {
		.view = view_find("callers"), .format = format_find("json")};
	struct error error = {0};
	uint64_t violations = 0;
	json_t *report;
	char *text;

	fixture_small(&fixture);
	fixture.node[4].recursion = 0;
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_non_null(text);
	/* wall and alloc: callers' cum, callees' cum */
	assert_int_equal(violations, 4);
	report = json_loads(text, 0, NULL);
	assert_string_equal(
		json_string_value(json_object_get(report, "invariants")), "violated");
	json_decref(report);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_profiles),
		cmocka_unit_test(test_tree_order),
		cmocka_unit_test(test_violation_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
