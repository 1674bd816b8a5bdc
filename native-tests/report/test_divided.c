/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Reports of recordings with calls=auto: what was measured, divided by samples; and how figures are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "native-tests/report/fixture.h"

static struct fixture fixture;

/* ---- JSON ---- */

static json_t *load(const char *view, const struct adjustment *adjustment)
{
	char *text = fixture_print_adjusted(&fixture, view, "json", adjustment);
	json_t *report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(report);
	free(text);
	return report;
}

/* -1: null. */
static int64_t value_of(const json_t *row, const char *group, const char *metric)
{
	const json_t *value = json_object_get(json_object_get(row, group), metric);

	assert_true(json_is_integer(value) || json_is_null(value));
	return json_is_null(value) ? -1 : json_integer_value(value);
}

/* The first row of that method. */
static const json_t *row_of(const json_t *report, const char *method)
{
	const json_t *rows = json_object_get(report, "rows");

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		const char *name = json_string_value(json_object_get(row, "method"));

		if (strcmp(name ? name : "", method) == 0)
			return row;
	}
	fail_msg("there is no row '%s'", method);
	return NULL;
}

/* ---- by hand ---- */

static void begin(void)
{
	fixture_init(&fixture);
	fixture.meta[0] = (struct profile_meta){"calls", "auto"};
	fixture.profile.meta_count = 1;
	fixture_condition(&fixture, "wall:10ms", "wall", 10000000, "ns", "timers of 10 ms");
}

static uint32_t sampled(uint32_t parent, uint32_t method, uint64_t samples)
{
	uint32_t node = fixture_node(&fixture, parent, method, 0, 0, 0);

	fixture.node[fixture.profile.node_count - 1].sampled = true;
	if (samples > 0)
		fixture_samples(&fixture, node, 0, SAMPLE_C2, 0, samples);
	return node;
}

/*
 *   root               100            get has no sample: what it measured stays its own
 *     main      1 call 1000  3 samples
 *       grow                 4        1000 * 4 / 10 = 400
 *         copy               3                        300, so 300 are left for main
 *       get    5 calls 200
 *       fib    2 calls   7  1 sample
 *         grow               2        7 * 2 / 3 = 4.67, so 4, and 3 are left for fib
 *
 * Besides 40 calls of grow were counted, and 6 of fib.
 */
static void small(void)
{
	uint32_t main_id, grow, copy, get, fib, at, below;

	begin();
	main_id = fixture_method(&fixture, "T", "main", "()V");
	grow = fixture_method(&fixture, "T", "grow", "()V");
	copy = fixture_method(&fixture, "T", "copy", "()V");
	get = fixture_method(&fixture, "T", "get", "()V");
	fib = fixture_method(&fixture, "T", "fib", "()V");
	fixture_thread(&fixture, "t", 100, 10);
	at = fixture_node(&fixture, 0, main_id, 1, 1000, 50);
	fixture_samples(&fixture, at, 0, SAMPLE_C2, 0, 3);
	sampled(sampled(at, grow, 4), copy, 3);
	fixture_node(&fixture, at, get, 5, 200, 0);
	below = fixture_node(&fixture, at, fib, 2, 7, 8);
	fixture_samples(&fixture, below, 0, SAMPLE_C2, 0, 1);
	sampled(below, grow, 2);
	fixture_io(&fixture, 0, grow, CALLS, 40, 0);
	fixture_io(&fixture, 0, fib, CALLS, 6, 0);
}

/*
 * Twice the root of measured^2 * p * (1 - p) / (S + 2), with p = (s + 1/2) / (S + 1), and no more than the figure, or what is
 * between it and what was measured:
 *
 *   3 or 7 of 10 of 1000: p = 3.5 / 11 or 7.5 / 11: 268.9
 *   4 of 10 of 1000:      p = 4.5 / 11: 283.9
 *   1 or 2 of 3 of 7:     p = 1.5 / 4 or 2.5 / 4: 3.03
 *   get:                  no sample came, nor in other calls of it: the half
 *   grow: the root of 283.9^2 + 3.03^2; with copy: of 268.9^2 + 3.03^2
 */
static void test_by_hand(void **state)
{
	static const struct {
		const char *method;
		int64_t calls, base, cum, raw_base, raw_cum, error, error_cum, alloc;
		const char *how;
	} rows[] = {
		{"main", 1, 300, 1207, 1000, 1207, 269, 0, 50, "{\"wall\":\"sampled\"}"},
		{"grow", 40, 404, 704, -1, -1, 284, 269, -1,
			"{\"calls\":\"counted\",\"wall\":\"sampled\"}"},
		{"copy", -1, 300, 300, -1, -1, 269, 269, -1,
			"{\"calls\":\"sampled\",\"wall\":\"sampled\"}"},
		{"get", 5, 200, 200, 200, 200, 100, 0, 0, "null"},
		{"fib", 8, 3, 7, 7, 7, 3, 0, 8, "{\"calls\":\"counted\",\"wall\":\"sampled\"}"},
	};
	json_t *report;

	small();
	report = load("methods", NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const json_t *row = row_of(report, rows[i].method);
		json_t *calls = json_object_get(row, "calls");
		char *how = json_dumps(json_object_get(row, "how"),
			JSON_COMPACT | JSON_ENCODE_ANY | JSON_PRESERVE_ORDER);

		assert_int_equal(
			json_is_null(calls) ? -1 : json_integer_value(calls), rows[i].calls);
		assert_int_equal(value_of(row, "base", "wall"), rows[i].base);
		assert_int_equal(value_of(row, "cum", "wall"), rows[i].cum);
		assert_int_equal(value_of(row, "raw_base", "wall"), rows[i].raw_base);
		assert_int_equal(value_of(row, "raw_cum", "wall"), rows[i].raw_cum);
		assert_int_equal(value_of(row, "error", "wall"), rows[i].error);
		assert_int_equal(value_of(row, "error_cum", "wall"), rows[i].error_cum);
		/* It cannot be divided. */
		assert_int_equal(value_of(row, "base", "alloc"), rows[i].alloc);
		assert_string_equal(how, rows[i].how);
		free(how);
	}
	assert_int_equal(value_of(json_object_get(report, "outside"), "base", "wall"), 100);
	json_decref(report);
	report = load("threads", NULL);
	assert_int_equal(
		value_of(json_array_get(json_object_get(report, "rows"), 0), "total", "wall"),
		1307);
	assert_int_equal(
		value_of(json_array_get(json_object_get(report, "rows"), 0), "error", "wall"),
		0);
	json_decref(report);
}

/* The tree, the callers, and all threads as one have the same figures. */
static void test_other_views(void **state)
{
	json_t *report;
	char *text;

	small();
	report = load("tree", NULL);
	/* The first grow of the tree is the one below main. */
	assert_int_equal(value_of(row_of(report, "grow"), "base", "wall"), 400);
	assert_int_equal(value_of(row_of(report, "grow"), "cum", "wall"), 700);
	assert_int_equal(value_of(row_of(report, "grow"), "error", "wall"), 284);
	assert_true(json_is_null(json_object_get(row_of(report, "grow"), "calls")));
	json_decref(report);
	report = load("overview", NULL);
	assert_int_equal(value_of(row_of(report, "grow"), "base", "wall"), 404);
	assert_int_equal(value_of(row_of(report, "grow"), "error_cum", "wall"), 269);
	assert_int_equal(value_of(row_of(report, "main"), "cum", "wall"), 1207);
	assert_int_equal(value_of(row_of(report, "main"), "error_cum", "wall"), 0);
	json_decref(report);
	text = fixture_print(&fixture, "methods", "csv");
	assert_non_null(strstr(text, ",calls=counted wall=sampled,404,"));
	free(text);
	/* fixture_print fails where an invariant does not hold. */
	free(fixture_print(&fixture, "callers", "json"));
}

static void counting(uint32_t node, uint64_t samples)
{
	fixture_samples(&fixture, node, 0, SAMPLE_JPROF, 0, samples);
}

/*
 * Behind the + samples that came while a call was counted.
 *
 *     main      1 call 1000  3 + 1    1000 * 3 / 20
 *       grow                 4 + 6    1000 * 4 / 20
 *         copy               3        1000 * 3 / 20; and 1000 * 10 / 20 is jprof's
 *       tiny                 0 + 3
 *       get    5 calls 200
 *       fib    2 calls   7  1
 *         grow               2 + 2    7 * 2 / 5 = 2.8, so 2, as many are jprof's, and 3 are left for fib
 *
 * Squares, as above:
 *   10 of 20 of 1000: p = 10.5 / 21: 213.2     3: p = 3.5 / 21: 158.9    4: p = 4.5 / 21: 175.0    7: p = 7.5 / 21: 204.3
 *   2 of 5 of 7:      p = 2.5 / 6: 2.61        1: p = 1.5 / 6: 2.29
 */
static void small_counted(void)
{
	uint32_t main_id, grow, copy, tiny, get, fib, at, below;

	begin();
	main_id = fixture_method(&fixture, "T", "main", "()V");
	grow = fixture_method(&fixture, "T", "grow", "()V");
	copy = fixture_method(&fixture, "T", "copy", "()V");
	tiny = fixture_method(&fixture, "T", "tiny", "()V");
	get = fixture_method(&fixture, "T", "get", "()V");
	fib = fixture_method(&fixture, "T", "fib", "()V");
	fixture_thread(&fixture, "t", 100, 10);
	at = fixture_node(&fixture, 0, main_id, 1, 1000, 50);
	fixture_samples(&fixture, at, 0, SAMPLE_C2, 0, 3);
	counting(at, 1);
	below = sampled(at, grow, 4);
	counting(below, 6);
	sampled(below, copy, 3);
	counting(sampled(at, tiny, 0), 3);
	fixture_node(&fixture, at, get, 5, 200, 0);
	below = fixture_node(&fixture, at, fib, 2, 7, 8);
	fixture_samples(&fixture, below, 0, SAMPLE_C2, 0, 1);
	counting(sampled(below, grow, 2), 2);
}

/* What counting used is taken out, and its samples are none of the program. */
static void test_counting(void **state)
{
	static const struct adjustment taking = {0};
	static const struct {
		const char *method;
		int64_t base, cum, raw_base, raw_cum, error, error_cum, samples, observed;
	} rows[] = {
		{"main", 150, 705, 1000, 1207, 159, 213, 3, 200},
		{"grow", 202, 352, -1, -1, 175, 204, 6, 505},
		{"copy", 150, 150, -1, -1, 150, 150, 3, 150},
		{"tiny", 0, 0, -1, -1, 0, 0, 0, 150},
		{"get", 200, 200, 200, 200, 100, 0, 0, 200},
		{"fib", 3, 5, 7, 7, 2, 3, 1, 2},
	};
	json_t *report, *observed, *threads;
	const json_t *thread;

	small_counted();
	report = load("methods", &taking);
	observed = load("methods", NULL);
	threads = load("threads", &taking);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const json_t *row = row_of(report, rows[i].method);

		assert_int_equal(value_of(row, "base", "wall"), rows[i].base);
		assert_int_equal(value_of(row, "cum", "wall"), rows[i].cum);
		assert_int_equal(value_of(row, "raw_base", "wall"), rows[i].raw_base);
		assert_int_equal(value_of(row, "raw_cum", "wall"), rows[i].raw_cum);
		assert_int_equal(value_of(row, "error", "wall"), rows[i].error);
		assert_int_equal(value_of(row, "error_cum", "wall"), rows[i].error_cum);
		assert_int_equal(value_of(row, "samples", "wall"), rows[i].samples);
		assert_int_equal(value_of(row_of(observed, rows[i].method), "base", "wall"),
			rows[i].observed);
	}
	thread = json_array_get(json_object_get(threads, "rows"), 0);
	assert_int_equal(value_of(thread, "total", "wall"), 1307 - 502);
	assert_int_equal(value_of(thread, "raw_total", "wall"), 1307);
	assert_int_equal(value_of(thread, "error", "wall"), 213);
	json_decref(report);
	json_decref(observed);
	json_decref(threads);
}

/* Nor are they in other views of samples. */
static void test_counting_is_no_state(void **state)
{
	json_t *report;
	char *text;

	small_counted();
	report = load("states", NULL);
	assert_int_equal(value_of(row_of(report, "grow"), "samples", "all"), 6);
	json_decref(report);
	report = load("lines", NULL);
	assert_int_equal(value_of(row_of(report, "grow"), "samples", "wall"), 6);
	json_decref(report);
	text = fixture_print(&fixture, "overview", "text");
	assert_non_null(strstr(text, "What ran: compiled 100%"));
	free(text);
}

/* The parts of what jprof cost, of 25 periods; of the process's and the thread's. */
static void test_own_cost(void **state)
{
	struct own_cost cost;
	char text[OWN_COST_PARTS];

	small_counted();
	fixture.meta[1] = (struct profile_meta){"sample.wall:10ms.taken", "25"};
	fixture.meta[2] = (struct profile_meta){"sample.cost_ns", "1000000"};
	fixture.profile.meta_count = 3;
	cost = own_cost_of(&fixture.profile, NULL);
	assert_string_equal(own_cost_parts(&cost, -1, text),
		"48 % or more (counting 48.0 %, timing 0.0 %, samples 0.4 %)");
	assert_string_equal(own_cost_parts(&cost, 0.1, text),
		"58 % (counting 48.0 %, timing 10.0 %, samples 0.4 %)");
	/* Nothing was timed. */
	fixture.thread[0].events = 0;
	cost = own_cost_of(&fixture.profile, NULL);
	assert_string_equal(own_cost_parts(&cost, -1, text),
		"48 % (counting 48.0 %, timing 0.0 %, samples 0.4 %)");
}

/* Where calls were all timed, or the event's samples were not chosen, figures stay where they were measured. */
static void test_only_auto(void **state)
{
	json_t *report;

	small();
	fixture.meta[0].value = "instrument";
	report = load("methods", NULL);
	assert_int_equal(value_of(row_of(report, "main"), "base", "wall"), 1000);
	assert_int_equal(value_of(row_of(report, "grow"), "base", "wall"), -1);
	json_decref(report);
}

/* ---- at random ---- */

static uint32_t random_below(uint32_t limit)
{
	return (uint32_t)rand() % limit;
}

static uint64_t random_samples(void)
{
	return fixture.profile.account_count < FIXTURE_IO ? random_below(9) : 0;
}

static void random_profile(unsigned seed)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};

	srand(seed);
	begin();
	for (size_t m = 0; m < sizeof(names) / sizeof(*names); m++)
		fixture_method(&fixture, "T", names[m], "()V");
	for (unsigned t = 0; t < 1 + seed % 3; t++) {
		fixture_thread(&fixture, "t", random_below(9000), random_below(100));
		for (uint32_t i = 1; i < 60; i++) {
			uint64_t samples;
			uint32_t parent =
				i - 1 - random_below(1 + seed % 5 < i ? 1 + seed % 5 : i);
			size_t first = fixture.profile.thread_first[t];
			uint32_t method = METHOD_FIRST + random_below(5);
			uint32_t node;

			if (fixture.node[first + parent].sampled || random_below(3) == 0)
				node = sampled(parent, method, random_samples());
			else
				node = fixture_node(&fixture, parent, method,
					1 + random_below(50), random_below(20000),
					random_below(1000));
			if (random_below(4) == 0 && (samples = random_samples()) > 0)
				counting(node, samples);
		}
	}
}

/* Bases add up to what was measured, figures and raw ones, and no error reaches farther than from the figure to nothing or to
 * what was measured. */
static void check_rows(const json_t *report, const char *base, const char *cum, int64_t total,
	int64_t raw_total)
{
	static const char *const errors[] = {"error", "error_cum"};
	const char *const groups[] = {base, cum};
	const json_t *rows = json_object_get(report, "rows");
	int64_t sums[2] = {0};

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		int64_t raw_base = value_of(row, "raw_base", "wall");

		sums[0] += value_of(row, base, "wall");
		sums[1] += raw_base > 0 ? raw_base : 0;
		for (int g = 0; g < 2; g++) {
			int64_t figure = value_of(row, groups[g], "wall"),
				raw = value_of(row, g == 0 ? "raw_base" : "raw_cum", "wall"),
				most = raw - figure > figure ? raw - figure : figure;

			assert_true(figure >= 0 && value_of(row, errors[g], "wall") <= most);
		}
	}
	if (json_object_get(report, "outside")) {
		sums[0] += value_of(json_object_get(report, "outside"), "base", "wall");
		sums[1] += value_of(json_object_get(report, "outside"), "raw_base", "wall");
	}
	assert_int_equal(sums[0], total);
	assert_int_equal(sums[1], raw_total);
}

static void check_profile(const struct adjustment *adjustment)
{
	json_t *threads = load("threads", adjustment);
	json_t *tree = load("tree", adjustment), *methods = load("methods", adjustment);
	const json_t *rows = json_object_get(threads, "rows");
	int64_t total = 0, raw_total = 0;

	for (size_t i = 0; i < json_array_size(rows); i++) {
		total += value_of(json_array_get(rows, i), "total", "wall");
		raw_total += value_of(json_array_get(rows, i), "raw_total", "wall");
	}
	check_rows(tree, "base", "cum", total, raw_total);
	check_rows(methods, "base", "cum", total, raw_total);
	free(fixture_print_adjusted(&fixture, "callers", "json", adjustment));
	json_decref(threads);
	json_decref(tree);
	json_decref(methods);
}

/* fixture_print fails where an invariant of the callers or of the threads does not hold. */
static void test_random_profiles(void **state)
{
	static const struct adjustment taking = {0};

	for (unsigned seed = 1; seed <= 60; seed++) {
		struct adjustment adjustment;

		random_profile(seed);
		check_profile(NULL);
		check_profile(&taking);
		fixture_deltas(&fixture);
		fixture_adjust(&fixture, &adjustment);
		check_profile(&adjustment);
		adjustment_fini(&adjustment);
	}
}

/* A thread whose nodes do not add up to its total is named. */
static void test_violation_is_said(void **state)
{
	struct report_request request = {
		.view = view_find("threads"), .format = format_find("json")};
	struct error error = {0};
	uint64_t violations;

	small();
	fixture.thread[0].total[0]++;
	free(fixture_report(&fixture, &request, &violations, &error));
	/* The figure, and what was counted. */
	assert_int_equal(violations, 2);
}

/* Where parts are no figures but estimates: of one thread's nodes they are those that the same nodes of all threads as one have, whose
 * numbers are others. */
static void test_merged_estimates(void **state)
{
	struct report_request request = {
		.view = view_find("tree"), .format = format_find("json"), .min = -1};
	int64_t figure[2], error_of[2];

	begin();
	fixture.meta[0].value = "count";
	for (int i = 0; i < 2; i++) {
		uint32_t run = fixture_method(&fixture, "T", i == 0 ? "other" : "run", "()V");
		uint32_t grow = fixture_method(&fixture, "T", i == 0 ? "idle" : "grow", "()V");
		uint32_t at, below;

		fixture_thread(&fixture, i == 0 ? "first" : "second", 100, 0);
		at = fixture_node(&fixture, 0, run, 1, 1000, 0);
		fixture_samples(&fixture, at, 0, SAMPLE_C2, 0, 4);
		below = sampled(at, grow, 4);
		if (i == 1)
			counting(below, 8);
	}
	assert_int_equal(pattern_list_add(&request.choice.threads, "second"), 0);
	for (int merge = 0; merge < 2; merge++) {
		struct error error = {0};
		uint64_t violations;
		char *text;
		json_t *report;

		request.choice.merge_threads = merge == 1;
		text = fixture_report(&fixture, &request, &violations, &error);
		assert_non_null(text);
		assert_int_equal(violations, 0);
		report = json_loads(text, 0, NULL);
		figure[merge] = value_of(row_of(report, "grow"), "base", "wall");
		error_of[merge] = value_of(row_of(report, "grow"), "error", "wall");
		json_decref(report);
		free(text);
	}
	pattern_list_fini(&request.choice.threads);
	/* 4 of 4 + 4 + 8. */
	assert_int_equal(figure[0], 250);
	assert_int_equal(figure[1], figure[0]);
	assert_int_equal(error_of[1], error_of[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_other_views),
		cmocka_unit_test(test_counting),
		cmocka_unit_test(test_counting_is_no_state),
		cmocka_unit_test(test_own_cost),
		cmocka_unit_test(test_only_auto),
		cmocka_unit_test(test_random_profiles),
		cmocka_unit_test(test_violation_is_said),
		cmocka_unit_test(test_merged_estimates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
