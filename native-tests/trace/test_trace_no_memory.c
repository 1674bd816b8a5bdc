/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* The n-th mapping fails, n = 1, 2, 3...: alone, or with all after it. Whatever it is,
 * nothing is lost but detail, and everything is given back. */
#include "no_memory.h"
#include "trace_test.h"

enum { A = METHOD_FIRST };

struct truth {
	uint64_t calls, used, lost;
};

static void run_thread(struct trace *trace, const char *name, struct truth *truth)
{
	struct thread_context *context = test_begin(trace, name);
	uint64_t lost;

	if (context == NULL)
		return;
	for (uint32_t i = 0; i < 3000; i++) {
		context_enter(SHAPE_ANY, context, A + i % 700, STATE_JITTED, false);
		test_use(context, 1, 2);
		if (i % 3 == 2) {
			context_exit(SHAPE_ANY, context, A + i % 700, false);
			context_exit(SHAPE_ANY, context, A + (i - 1) % 700, false);
		}
	}
	for (uint32_t i = 0; i < 3000; i++) {
		context_enter(SHAPE_ANY, context, A, STATE_NATIVE, false);
		test_use(context, 1, 2);
	}
	lost = context->lost;
	trace_thread_end(trace, context, NULL);
	truth->calls += 6000 - lost;
	truth->used += 6000;
	truth->lost += lost;
}

static void run(struct metric_set *set, uint64_t limit, bool check)
{
	struct test_picture picture = {.metrics = 2};
	struct truth truth = {0}, shown = {0};
	struct trace *trace = trace_create(set, limit);
	struct trace_state state;
	uint64_t threads = 0;

	if (trace == NULL)
		return;
	for (int i = 0; i < 3; i++)
		run_thread(trace, "t1", &truth);
	test_visit(trace, &picture);
	for (size_t i = 0; i < picture.count; i++) {
		shown.calls += picture.row[i].sums.calls;
		shown.used += picture.row[i].sums.base[0];
		shown.lost += picture.row[i].thread.lost;
		threads += picture.row[i].thread.folded;
	}
	trace_get_state(trace, &state);
	assert_int_equal(shown.calls, truth.calls);
	assert_int_equal(shown.used, truth.used);
	assert_int_equal(shown.lost, truth.lost);
	assert_int_equal(threads + state.lost_threads, 3);
	assert_true(!check || state.lost_threads == 0);
	test_picture_fini(&picture);
	trace_destroy(trace);
}

static void run_all(uint64_t limit)
{
	struct metric_set set = test_set(2);
	long most;

	no_memory_at = no_memory_asked = 0;
	run(&set, limit, true);
	most = no_memory_asked;
	assert_true(most > 20);
	if (most > 300)
		most = 300;
	for (int on = 0; on < 2; on++) {
		no_memory_on = on;
		for (long i = 1; i <= most; i++) {
			no_memory_at = i;
			no_memory_asked = 0;
			run(&set, limit, false);
		}
	}
	no_memory_at = 0;
	print_message("%ld mappings\n", most);
}

static void test_ample(void **state)
{
	run_all(16 << 20);
}

static void test_short(void **state)
{
	run_all(160 << 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ample),
		cmocka_unit_test(test_short),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
