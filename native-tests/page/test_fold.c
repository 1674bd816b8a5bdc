/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Which paths a page has rows of: the limit is of paths, however many threads there are, whose roots all stay. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "native-tests/report/fixture.h"
#include "report/page/fold.h"

static struct fixture fixture;

/* Each thread has a method that takes more than that of the thread before. */
static void many_threads(void)
{
	uint32_t run;

	fixture_init(&fixture);
	run = fixture_method(&fixture, "T", "run", "()V");
	for (uint32_t t = 0; t < FIXTURE_THREADS; t++) {
		fixture_thread(&fixture, "t", 0, 0);
		fixture_node(&fixture, 0, run, 1, 1000 * (t + 1), 10 * (t + 1));
	}
}

static struct fold fold_of(size_t most, size_t *roots, size_t *paths)
{
	struct model_choice choice = {0};
	struct error error = {0};
	struct model model;
	struct fold fold;

	assert_int_equal(model_init(&model, &fixture.profile, &choice, &error), 0);
	assert_int_equal(fold_init(&fold, &model, model_cum(&model), UINT32_MAX, most), 0);
	*roots = *paths = 0;
	for (uint32_t i = 0; i < fixture.profile.node_count; i++)
		if (fold_keeps(&fold, i))
			++*(fixture.profile.node[i].parent == i ? roots : paths);
	model_fini(&model);
	return fold;
}

static void test_roots_are_no_paths(void **state)
{
	size_t roots, paths;
	struct fold fold;

	many_threads();
	fold = fold_of(0, &roots, &paths);
	assert_true(fold.limit == 0 && fold.paths == 0);
	assert_int_equal(paths, FIXTURE_THREADS);
	/* Fewer than there are roots. */
	fold = fold_of(4, &roots, &paths);
	assert_true(isfinite(fold.limit) && fold.limit > 0);
	assert_int_equal(roots, FIXTURE_THREADS);
	assert_true(paths > 0 && paths <= 4);
	assert_int_equal(fold.paths, FIXTURE_THREADS - paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_roots_are_no_paths)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
