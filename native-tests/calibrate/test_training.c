/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What calibrate makes of numbers: lines and observations are made up, results worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calibrate/training.h"

enum { REPETITIONS = 5, ROUNDS = 1000, JITTED_STATIC = 3, NATIVE_STATIC = 5 };

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 0.0001)

static const char *const metrics[] = {"wall", "alloc"};

struct both {
	struct batches without;
	struct observations with;
};

/* ---- making things up ---- */

static void batch(struct batches *batches, const char *name, int repetition, double round)
{
	char line[256];
	struct error error = {0};

	snprintf(line, sizeof(line),
		"{\"program\":\"%s\",\"repetition\":%d,\"rounds\":%d,\"ns\":1,"
		"\"values\":{\"wall\":%.0f,\"alloc\":0}}",
		name, repetition, ROUNDS, round * ROUNDS);
	assert_int_equal(batches_take(batches, line, &error), 0);
}

static void program(struct both *both, const char *name, double round)
{
	for (int i = 1; i <= REPETITIONS; i++)
		batch(&both->without, name, i, round);
}

static uint32_t code_of(unsigned first, enum transition begin, unsigned second,
	enum transition end, unsigned third)
{
	uint32_t code = sequence_third((enum call_state)(first >> 1), first & 1);

	code = sequence_roll(
		code, sequence_third((enum call_state)(second >> 1), second & 1), begin);
	return sequence_roll(
		code, sequence_third((enum call_state)(third >> 1), third & 1), end);
}

static void sequence(struct both *both, uint32_t code, double mean)
{
	struct observed_sequence *sequence = calloc(1, sizeof(*sequence));

	assert_non_null(sequence);
	sequence->count = REPETITIONS * ROUNDS;
	for (int i = 0; i < REPETITIONS; i++) {
		samples_add(&sequence->mean[0], mean);
		samples_add(&sequence->mean[1], 0);
	}
	both->with.sequence[code] = sequence;
}

static void method(struct both *both, const char *name, double call)
{
	struct observations *with = &both->with;
	struct observed_method *row =
		realloc(with->method, (with->method_count + 1) * sizeof(*with->method));

	assert_non_null(row);
	with->method = row;
	row += with->method_count++;
	memset(row, 0, sizeof(*row));
	snprintf(row->name, sizeof(row->name), "%s", name);
	for (int i = 0; i < REPETITIONS; i++)
		samples_add(&row->call[0], call);
}

/* In three shapes: measured without, seen with. */
static void body(
	struct both *both, const char *name, const double without[3], const double with[3])
{
	static const char *const shapes[] = {"leaf", "once", "twice"};
	char text[64];

	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "bodies_jitted_%s_%s", shapes[i], name);
		program(both, text, without[i]);
		method(both, text + strlen("bodies_"), with[i]);
	}
}

static int set_up(void **state)
{
	struct both *both = calloc(1, sizeof(*both));

	*state = both;
	if (!both)
		return -1;
	both->without.metric = metrics;
	both->without.metric_count = both->with.metric_count = 2;
	strcpy(both->with.unit[0], "ns");
	strcpy(both->with.unit[1], "bytes");
	return 0;
}

static int tear_down(void **state)
{
	struct both *both = *state;

	batches_fini(&both->without);
	observations_fini(&both->with);
	free(both);
	return 0;
}

/* ---- samples ---- */

static void samples_forgive_outliers(void **state)
{
	static const double values[] = {10, 11, 12, 13, 5000};
	struct samples samples = {0};

	assert_near(samples_median(&samples), 0);
	assert_near(samples_spread(&samples), 0);
	assert_near(samples_drift(&samples), 0);
	for (int i = 0; i < 5; i++)
		samples_add(&samples, values[i]);
	assert_near(samples_median(&samples), 12);
	assert_near(samples_spread(&samples), 1.4826);
	/* 10 and 11, 13 and 5000 */
	assert_near(samples_drift(&samples), 2506.5 - 10.5);
	for (int i = 0; i < 2 * SAMPLES_MAX; i++)
		samples_add(&samples, 1);
	assert_int_equal(samples.count, SAMPLES_MAX);
}

/* ---- lines ---- */

static void lines_are_checked(void **state)
{
	static const struct {
		const char *line;
		int code;
	} rows[] = {
		{"{\"warm\":true}", 0},
		{"{", 0},
		{"{\"program\":\"p\",\"repetition\":1,\"rounds\":2,\"values\":{\"wall\":3,"
		 "\"alloc\":0}}",
			0},
		{"{\"program\":\"p\",\"repetition\":1,\"rounds\":2,\"values\":{\"wall\":3}}",
			-ERROR_MISSING},
		{"{\"program\":\"p\",\"repetition\":1,\"rounds\":2,\"values\":{\"wall\":-1,"
		 "\"alloc\":0}}",
			-ERROR_MISSING},
		{"{\"program\":\"p\",\"repetition\":1,\"rounds\":0,\"values\":{}}",
			-ERROR_FORMAT},
		{"{\"program\":\"p\",\"repetition\":0,\"rounds\":1,\"values\":{}}",
			-ERROR_FORMAT},
		{"{\"program\":\"p\",\"repetition\":1e9,\"rounds\":1,\"values\":{}}",
			-ERROR_FORMAT},
		{"{\"program\":"
		 "\"pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp"
		 "\",\"repetition\":1,\"rounds\":1,\"values\":{}}",
			-ERROR_FORMAT},
	};
	struct both *both = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct error error = {0};

		assert_int_equal(
			batches_take(&both->without, rows[i].line, &error), rows[i].code);
	}
	assert_int_equal(both->without.count, 1);
	assert_near(batches_round(&both->without, "p", 0), 1.5);
	assert_near(batches_round(&both->without, "q", 0), 0);
}

/* ---- calls ---- */

/* A native method that calls a compiled one: 64 ns; the other way a call costs 8. */
static void calls_are_the_callers(void **state)
{
	struct both *both = *state;
	struct call_costs costs;
	const unsigned J = JITTED_STATIC, N = NATIVE_STATIC;
	const enum transition E = TRANSITION_ENTRY, X = TRANSITION_EXIT;

	program(both, "calls_5_3_1", 100);
	program(both, "calls_5_3_5", 356);
	program(both, "calls_3_5_1", 20);
	program(both, "calls_3_5_5", 52);
	call_costs_init(&costs, &both->without, 0);
	assert_near(call_costs_of(&costs, code_of(N, E, J, X, N)), 0);
	assert_near(call_costs_of(&costs, code_of(J, E, N, X, J)), 0);
	assert_near(call_costs_of(&costs, code_of(J, X, N, E, J)), 64);
	assert_near(call_costs_of(&costs, code_of(J, E, N, E, J)), 32);
	assert_near(call_costs_of(&costs, code_of(J, X, N, X, J)), 32);
	assert_near(call_costs_of(&costs, code_of(N, X, J, E, N)), 8);
	/* What is outside counts as compiled. */
	assert_near(call_costs_of(&costs, code_of(SEQUENCE_TYPES - 2, X, N, X, J)), 32);
}

/* ---- the whole ---- */

static const struct calibration_cost *cost_of(
	const struct calibration *calibration, uint32_t code, unsigned metric)
{
	const struct calibration_row *row = calibration_row(calibration, code);

	assert_non_null(row);
	return &row->cost[metric];
}

static struct calibration *train(struct both *both, struct training *training)
{
	struct calibration *calibration = calibration_create();
	struct error error = {0};

	assert_non_null(calibration);
	assert_int_equal(
		training_run(training, calibration, &both->without, &both->with, &error), 0);
	return calibration;
}

/* Costs of 10 to 13 where all is compiled. */
static void see_compiled(struct both *both)
{
	const unsigned J = JITTED_STATIC;
	const enum transition E = TRANSITION_ENTRY, X = TRANSITION_EXIT;

	program(both, "calls_3_3_1", 1);
	program(both, "calls_3_3_5", 5);
	sequence(both, code_of(J, E, J, X, J), 20);
	sequence(both, code_of(J, E, J, E, J), 10.5);
	sequence(both, code_of(J, X, J, E, J), 12);
	sequence(both, code_of(J, X, J, X, J), 12.5);
}

static void work_makes_a_range(void **state)
{
	static const double none[3] = {0, 0, 0}, empty[3] = {20, 23, 35};
	/* The probes do part of their work beside it: a leaf is 8 cheaper, the others 3 a delta. */
	static const double dependent[3] = {20, 40, 60}, hidden[3] = {32, 57, 86};
	/* As good as nothing is to be seen of some work. */
	static const double little[3] = {4, 6, 8}, unseen[3] = {20, 23, 35};
	/* The run without does several calls at a time. */
	static const double overlapped[3] = {1, 2, 3}, much[3] = {50, 80, 150};
	/* Half a percent of it is more than an eighth of what a probe costs. */
	static const double large[3] = {3000, 6000, 9000}, same[3] = {3017, 6019, 9029};
	struct both *both = *state;
	struct training training;
	struct calibration *calibration;
	const struct calibration_cost *leaf;
	const unsigned J = JITTED_STATIC;
	const enum transition E = TRANSITION_ENTRY, X = TRANSITION_EXIT;

	see_compiled(both);
	body(both, "empty", none, empty);
	body(both, "chain16", dependent, hidden);
	body(both, "chain4", little, unseen);
	body(both, "wide16", overlapped, much);
	body(both, "chain512", large, same);
	calibration = train(both, &training);
	leaf = cost_of(calibration, code_of(J, E, J, X, J), 0);

	/* A call costs 1, half of it on each of the caller's sides. */
	assert_near(leaf->observed, 20);
	assert_near(leaf->environment, 0);
	assert_near(leaf->cost, 20);
	assert_near(cost_of(calibration, code_of(J, X, J, E, J), 0)->environment, 1);
	/* Work that does not differ from itself counts as if by half a percent. */
	assert_near(training.work[0].relative, 0.005);
	assert_near(training.work[0].measured_relative, 0);
	assert_near(calibration->metric[0].relative, 0.005);
	/* No loop differs from another one. */
	assert_near(calibration->metric[0].reach, 1.0 / 16);
	/* Shifts of -4, -3 and -8/3, and none. */
	assert_near(leaf->low, 20 - 4);
	assert_near(leaf->high, 20);
	/* -8, -3 and -3. */
	assert_near(leaf->work_low, 20 - 8);
	assert_near(leaf->work_high, 20 - 3);
	assert_int_equal(training.work[0].points, 12);
	assert_int_equal(training.work[0].overlapping, 3);
	assert_int_equal(training.work[0].hiding, 3);

	for (size_t i = 0; i < calibration->row_count; i++) {
		const struct calibration_cost *cost = &calibration->row[i].cost[0];
		const struct calibration_cost *alloc = &calibration->row[i].cost[1];

		assert_true(cost->low <= cost->cost && cost->cost <= cost->high);
		assert_near(alloc->cost, 0);
		assert_near(alloc->high, 0);
	}
	assert_string_equal(calibration->metric[1].name, "alloc");
	assert_string_equal(calibration->identity.field[IDENTITY_METRICS], "wall+alloc");
	calibration_destroy(calibration);
}

/* A path of 9 calls more has 19 deltas; without probes 2 of each are its own. The smallest tree is
 * what others are compared with. */
static void large_trees_are_measured(void **state)
{
	static const struct {
		int depth;
		double seen, more;
	} rows[] = {{6, 30, 0}, {9, 34.5, 4.5}, {12, 33, 4.5}, {15, 50, 20}};
	struct both *both = *state;
	struct training training;
	struct calibration *calibration;
	char name[32];

	see_compiled(both);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(name, sizeof(name), "paths_%d", rows[i].depth);
		program(both, name, 2 * (2 * rows[i].depth + 1));
		for (int k = 0; k < REPETITIONS; k++)
			samples_add(&both->with.path[rows[i].depth][0], rows[i].seen);
	}
	calibration = train(both, &training);
	assert_int_equal(calibration->metric[0].tree_count, 4);
	assert_int_equal(calibration->metric[1].tree_count, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(
			calibration->metric[0].tree[i].nodes, (2 << rows[i].depth) - 1);
		assert_near(calibration->metric[0].tree[i].more, rows[i].more);
	}
	calibration_destroy(calibration);
}

/* But where a call takes longer without probes than its delta does with them. */
static void no_cost_is_below_zero(void **state)
{
	static const double none[3] = {0, 0, 0}, empty[3] = {20, 23, 35};
	static const double dependent[3] = {90, 180, 270}, hidden[3] = {60, 120, 200};
	struct both *both = *state;
	struct training training;
	struct calibration *calibration;
	size_t below = 0;

	see_compiled(both);
	/* More than all that was seen. */
	program(both, "calls_3_5_5", 4000);
	sequence(both,
		code_of(JITTED_STATIC, TRANSITION_EXIT, NATIVE_STATIC, TRANSITION_EXIT,
			JITTED_STATIC),
		10);
	sequence(both,
		code_of(NATIVE_STATIC, TRANSITION_EXIT, JITTED_STATIC, TRANSITION_EXIT,
			JITTED_STATIC),
		10);
	body(both, "empty", none, empty);
	body(both, "chain64", dependent, hidden);
	calibration = train(both, &training);
	for (size_t i = 0; i < calibration->row_count; i++) {
		const struct calibration_cost *cost = &calibration->row[i].cost[0];

		assert_true(cost->low <= cost->cost && cost->cost <= cost->high);
		assert_near(cost->cost, cost->observed - cost->environment);
		below += cost->cost < 0;
		assert_true(cost->cost < 0 ? cost->low >= cost->cost : cost->low >= 0);
	}
	assert_int_equal(below, 1);
	calibration_destroy(calibration);
}

/* Throwing and catching takes 100 without probes, half of it the callee's. */
static void exits_by_exception_have_rows(void **state)
{
	struct both *both = *state;
	struct training training;
	struct calibration *calibration;
	const struct calibration_cost *cost;

	see_compiled(both);
	program(both, "throws_3", 100);
	sequence(both, SEQUENCE_UNWIND + JITTED_STATIC, 90);
	program(both, "throws_2", 100);
	sequence(both, SEQUENCE_UNWIND + JITTED_STATIC - 1, 60);
	sequence(both, code_of(3, TRANSITION_ENTRY, 2, TRANSITION_EXIT, 3), 20);
	calibration = train(both, &training);
	cost = cost_of(calibration, SEQUENCE_UNWIND + JITTED_STATIC, 0);
	assert_near(cost->environment, 50);
	assert_near(cost->cost, 40);
	/* It costs no less than an exit without one. */
	cost = cost_of(calibration, SEQUENCE_UNWIND + JITTED_STATIC - 1, 0);
	assert_near(cost->environment, 40);
	assert_near(cost->cost, 20);
	calibration_destroy(calibration);
}

static void nothing_seen_is_a_failure(void **state)
{
	struct both *both = *state;
	struct training training;
	struct calibration *calibration = calibration_create();
	struct error error = {0};

	assert_int_equal(
		training_run(&training, calibration, &both->without, &both->with, &error),
		-ERROR_MISSING);
	calibration_destroy(calibration);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_forgive_outliers),
		cmocka_unit_test_setup_teardown(lines_are_checked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(calls_are_the_callers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(work_makes_a_range, set_up, tear_down),
		cmocka_unit_test_setup_teardown(large_trees_are_measured, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_cost_is_below_zero, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			exits_by_exception_have_rows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_seen_is_a_failure, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
