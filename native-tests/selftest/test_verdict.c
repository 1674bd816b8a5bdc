/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What is made of a profile and of what is known: sums, shares, who holds, what is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/selftest/verdict.h"

/* Three methods, of which tiny is called on two paths, and one that is not known. */
static struct profile_method methods[] = {
	{.id = 0},
	{.id = 1, .name = "(folded: memory)"},
	{.id = 2, .class_name = "selftest.Shares", .name = "own60"},
	{.id = 3, .class_name = "selftest.Shares", .name = "tiny40"},
	{.id = 4, .class_name = "other.Shares", .name = "own60"},
	{.id = 5, .class_name = "selftest.Shares", .name = "none0"},
};
static uint64_t bases[][2] = {{900, 5}, {100, 0}, {40, 0}, {60, 0}, {700, 9}, {0, 0}};
static struct profile_node nodes[] = {
	{.method = 0, .base = bases[0]},
	{.method = 2, .calls = 10, .base = bases[1]},
	{.method = 3, .calls = 5, .base = bases[2]},
	{.method = 3, .calls = 6, .base = bases[3]},
	{.method = 4, .calls = 7, .base = bases[4]},
	{.method = 5, .calls = 3, .base = bases[5]},
};
static struct profile profile = {
	.metric = {{.name = "cpu", .unit = "ns", .how = ""},
		{.name = "alloc", .unit = "bytes", .how = ""}},
	.metric_count = 2,
	.method = methods,
	.method_count = 6,
	.node = nodes,
	.node_count = 6,
};
static uint64_t adjusted_bases[] = {0, 0, 62, 0, 20, 0, 18, 0, 0, 0, 0, 0};
/* By node; and by method. */
static struct adjust_error errors[] = {[2] = {1, 0}, [4] = {2, 0}, [6] = {3, 0}, [11] = {0, 0}};
static double method_error[] = {[4] = 1, [6] = 5, [11] = 0};
static struct calibration calibration;
static const struct adjustment with = {.calibration = &calibration,
	.adjusted = {.metric_count = 2,
		.base = adjusted_bases,
		.error = errors,
		.method_error = method_error}};
static const struct adjustment without;

/* alloc stands first: places are told by names. */
static const struct expectations known = {
	.metric = {"alloc", "cpu"},
	.metric_count = 2,
	.method = {{"own60", 60, 10, 0, {0, 58}, {0, 62}},
		{"tiny40", 40, 12, 0, {0, 44}, {0, 46}}, {"none0", 0, 3, 0, {0, -4}, {0, -1}}},
	.count = 3,
};

static struct verdict verdict;

static void reach(const struct adjustment *adjustment)
{
	struct error error = {0};

	assert_int_equal(verdict_reach(&verdict, &known, &profile, adjustment, &error), 0);
}

static void assert_value(const struct verdict_value *value, double expected, double uncertainty,
	double raw, double adjusted, double error)
{
	assert_float_equal(value->expected, expected, 1e-9);
	assert_float_equal(value->uncertainty, uncertainty, 1e-9);
	assert_float_equal(value->raw, raw, 1e-9);
	assert_float_equal(value->adjusted, adjusted, 1e-9);
	assert_float_equal(value->error, error, 1e-9);
}

static void nodes_are_gathered(void **state)
{
	reach(&with);
	assert_true(verdict.is_adjusted);
	assert_int_equal(verdict.count, 3);
	assert_value(&verdict.method[0].value[0], 60, 2, 100, 62, 1);
	assert_value(&verdict.method[1].value[0], 45, 1, 100, 38, 5);
	assert_value(&verdict.method[2].value[0], 0, 1.5, 0, 0, 0);
	/* A method's nodes are off together, methods each for itself: 1 and 5 by squares. */
	assert_value(&verdict.sum[0].value, 105, 4.5, 200, 100, 5);
	assert_int_equal(verdict.method[0].calls, 10);
	assert_int_equal(verdict.method[1].calls, 11);
	assert_int_equal(verdict.calls_exact, 2);
}

static void judged_by_intervals_and_shares(void **state)
{
	reach(&with);
	/* 45 and 38 meet at 5 and 1, and one for what is rounded. */
	assert_true(verdict_holds(&verdict.method[1].value[0]));
	verdict.method[1].value[0].error = 4;
	assert_false(verdict_holds(&verdict.method[1].value[0]));
	/* What nobody uses is not judged. */
	assert_int_equal(verdict.sum[0].judged, 2);
	assert_int_equal(verdict.sum[0].hold, 2);
	assert_int_equal(verdict.sum[1].judged, 0);
	/* 60/105 is 57.14 %, adjusted 62, raw 50. */
	assert_int_equal(verdict.sum[0].near, 0);
	assert_float_equal(verdict.sum[0].worst, 4.857, 0.001);
	assert_float_equal(verdict.sum[0].raw_worst, 7.143, 0.001);
}

static void unadjusted_is_raw(void **state)
{
	reach(&without);
	assert_false(verdict.is_adjusted);
	assert_value(&verdict.method[1].value[0], 45, 1, 100, 100, 0);
}

static void other_metrics_are_refused(void **state)
{
	struct expectations other = known;
	struct error error = {0};

	strcpy(other.metric[1], "wall");
	assert_int_equal(
		verdict_reach(&verdict, &other, &profile, &with, &error), -ERROR_FORMAT);
	assert_non_null(strstr(error.text, "'cpu'"));
}

static char *print(verdict_printer *printer, const struct adjustment *adjustment)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	reach(adjustment);
	assert_int_equal(printer(out, &verdict, "as said"), 0);
	fclose(out);
	return text;
}

static void assert_prints(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void text_tells_all(void **state)
{
	char *text = print(print_verdict_text, &with);

	assert_prints(text, "Calibration: as said\n");
	assert_prints(text, "  own60             57.14 ±1.90      50.00    62.00 ±1.00  \n");
	assert_prints(text, "  all methods, ns: expected 105 ±4, raw 200, adjusted 100 ±5\n");
	assert_prints(text,
		"  2 of 2 hold; adjusted shares within 2 points: 0 of 2, off by 4.86 at "
		"most; raw shares within 2 points: 0 of 2, off by 7.14 at most\n");
	assert_prints(text, "alloc: not used by the program\n");
	assert_prints(text, "calls of tiny40: 11 instead of 12\n");
	assert_prints(text, "calls: those of 2 of 3 methods are exact\n");
	assert_null(strstr(text, "none0 "));
	free(text);
	text = print(print_verdict_text, &without);
	assert_null(strstr(text, "djusted"));
	assert_prints(text, "  own60             57.14 ±1.90      50.00\n");
	free(text);
}

static double number(const json_t *row, const char *quantity, const char *metric)
{
	const json_t *value = json_object_get(json_object_get(row, quantity), metric);

	assert_true(json_is_integer(value));
	return json_number_value(value);
}

static void json_has_values(void **state)
{
	char *text = print(print_verdict_json, &with);
	json_t *all = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const json_t *rows = json_object_get(all, "rows"), *row = json_array_get(rows, 1);

	assert_int_equal(json_array_size(rows), 3);
	assert_string_equal(json_string_value(json_object_get(row, "method")), "tiny40");
	assert_int_equal(json_integer_value(json_object_get(row, "calls")), 11);
	assert_int_equal(json_integer_value(json_object_get(row, "expected_calls")), 12);
	assert_true(number(row, "expected", "cpu") == 45);
	assert_true(number(row, "raw", "cpu") == 100);
	assert_true(number(row, "adjusted", "cpu") == 38);
	assert_true(number(row, "error", "cpu") == 5);
	assert_true(json_is_true(json_object_get(json_object_get(row, "holds"), "cpu")));
	assert_true(number(json_object_get(all, "sum"), "adjusted", "cpu") == 100);
	json_decref(all);
	free(text);
	text = print(print_verdict_json, &without);
	all = json_loads(text, 0, NULL);
	row = json_array_get(json_object_get(all, "rows"), 0);
	assert_non_null(json_object_get(row, "raw"));
	assert_null(json_object_get(row, "adjusted"));
	assert_null(json_object_get(row, "holds"));
	json_decref(all);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_gathered),
		cmocka_unit_test(judged_by_intervals_and_shares),
		cmocka_unit_test(unadjusted_is_raw),
		cmocka_unit_test(other_metrics_are_refused),
		cmocka_unit_test(text_tells_all),
		cmocka_unit_test(json_has_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
