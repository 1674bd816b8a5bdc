/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* How often chance is believed, and a change found: programs that are made by chance, always the same ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/diff/spread.h"

enum { FIGURES = 40, RUNS_MOST = 16, COMPARISONS = 400 };

static uint64_t random_state;

/* 0 to 1, both left out (Knuth's MMIX constants). */
static double random_part(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(random_state >> 33) + 0.5) / 2147483648.0;
}

/* Box and Muller. */
static double random_normal(void)
{
	return sqrt(-2 * log(random_part())) * cos(6.283185307179586 * random_part());
}

/* A program whose figures differ from run to run. */
struct program {
	const char *name;
	double pace;      /* all figures of a run together, as a part */
	double own;       /* each by itself */
	double own_most;  /* figure i has own .. own_most */
	bool is_bistable; /* a third of them has one of two values, five times one another */
};

static const struct program programs[] = {
	{"alike", 0, 0.02, 0.02, false},
	{"unlike", 0, 0.002, 0.2, false},
	{"paced", 0.1, 0.02, 0.02, false},
	{"bistable", 0.02, 0.02, 0.05, true},
};

struct comparison {
	double value[FIGURES][RUNS_MOST];
	struct spread_runs runs[FIGURES];
};

static void make(
	struct comparison *made, const struct program *program, unsigned before, unsigned after)
{
	double pace[RUNS_MOST], scale;

	for (unsigned r = 0; r < before + after; r++)
		pace[r] = 1 + program->pace * random_normal();
	for (unsigned i = 0; i < FIGURES; i++) {
		double mean = 1e7 * (i + 1);
		double own =
			program->own + (program->own_most - program->own) * i / (FIGURES - 1);

		for (unsigned r = 0; r < before + after; r++) {
			double fifth = program->is_bistable && i % 3 == 0 && random_part() < 0.5
					       ? 0.2
					       : 1;

			made->value[i][r] =
				fmax(0, fifth * mean * pace[r] * (1 + own * random_normal()));
		}
		made->runs[i] = (struct spread_runs){
			.value = made->value[i], .count = {before, after}, .error = 0};
	}
	scale = spread_scale(made->runs, FIGURES);
	for (unsigned i = 0; i < FIGURES; i++)
		made->runs[i].scale = scale;
}

/* Whether some figure, or that one alone, is believed to have grown, by a twentieth at least. */
static bool believes(const struct comparison *made, int figure)
{
	struct spread_least least;
	bool found = false;

	assert_int_equal(spread_least_of(&least, made->runs, FIGURES), 0);
	for (int i = 0; i < FIGURES; i++)
		found |= (figure < 0 || figure == i) &&
			 spread_difference(&made->runs[i]) > least.least[1];
	return found;
}

/* At most 1 in 20: of 400 such comparisons more than 33 are wrong in 1 of 1000 cases. */
static void test_chance_is_not_believed(void **state)
{
	static struct comparison made;

	for (size_t p = 0; p < sizeof(programs) / sizeof(*programs); p++) {
		int wrong = 0;

		random_state = 1 + p;
		for (int i = 0; i < COMPARISONS; i++) {
			make(&made, &programs[p], 3, 3);
			wrong += believes(&made, -1);
		}
		print_message("%s: %d of %d wrong\n", programs[p].name, wrong, COMPARISONS);
		assert_in_range(wrong, 0, 33);
		/* A test that believes nothing would be none. */
		assert_true(wrong > 0);
	}
}

/* One figure of 40 grows by a fifth. */
static void test_change_is_found(void **state)
{
	static struct comparison made;
	static const struct {
		size_t program;
		unsigned runs;
		int least; /* found of 100 */
	} rows[] = {{0, 3, 95}, {0, 5, 99}, {2, 5, 40}, {3, 5, 60}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int found = 0;

		random_state = 100 + i;
		for (int k = 0; k < 100; k++) {
			make(&made, &programs[rows[i].program], rows[i].runs, rows[i].runs);
			for (unsigned r = rows[i].runs; r < 2 * rows[i].runs; r++)
				made.value[1][r] *= 1.2;
			found += believes(&made, 1);
		}
		print_message("%s, %u runs a side: found %d of 100\n",
			programs[rows[i].program].name, rows[i].runs, found);
		assert_in_range(found, rows[i].least, 100);
	}
}

/* There are 6 ways to call two of four runs "before": one in 20 cannot be told. */
static void test_few_runs_are_not_believed(void **state)
{
	static struct comparison made;
	static const unsigned runs[][2] = {{1, 1}, {2, 2}, {1, 3}, {3, 2}, {1, 10}};

	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		make(&made, &programs[0], runs[i][0], runs[i][1]);
		for (unsigned r = runs[i][0]; r < runs[i][0] + runs[i][1]; r++)
			made.value[1][r] *= 10;
		assert_false(believes(&made, -1));
	}
}

/* More ways than are tried: some of them, which do not change from one time to the next. */
static void test_many_runs(void **state)
{
	static struct comparison made;
	struct spread_least first, second;

	random_state = 7;
	make(&made, &programs[0], 8, 8);
	for (unsigned r = 8; r < 16; r++)
		made.value[1][r] *= 1.1;
	assert_int_equal(spread_least_of(&first, made.runs, FIGURES), 0);
	assert_int_equal(spread_least_of(&second, made.runs, FIGURES), 0);
	assert_true(first.least[1] == second.least[1]);
	assert_true(believes(&made, 1));
}

static void test_small_functions(void **state)
{
	const double value[] = {3, 1, 2, 10, 12, 11};
	const double same[] = {5, 5, 5, 7, 7, 7};
	struct spread_runs runs = {.value = value, .count = {3, 3}};
	struct spread_runs steady = {.value = same, .count = {3, 3}};

	assert_true(spread_median(value, 3) == 2);
	assert_true(spread_median(value, 2) == 2);
	assert_true(isnan(spread_median(value, 0)));
	assert_true(spread_is_apart(&runs));
	assert_true(spread_range(&runs) == 2);
	/* Own variance 1, drawn half of the way to 0: 9 / sqrt(1/2 * 2/3). */
	assert_true(fabs(spread_difference(&runs) - 9 / sqrt(1.0 / 3)) < 1e-9);
	assert_true(isinf(spread_difference(&steady)));
	steady.count[0] = 1;
	steady.count[1] = 1;
	assert_true(isnan(spread_error(&steady)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_functions),
		cmocka_unit_test(test_chance_is_not_believed),
		cmocka_unit_test(test_change_is_found),
		cmocka_unit_test(test_few_runs_are_not_believed),
		cmocka_unit_test(test_many_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
