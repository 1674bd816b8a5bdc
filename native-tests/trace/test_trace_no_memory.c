/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* The n-th mapping fails, n = 1, 2, 3...: alone, or with all after it. Whatever it is,
 * nothing is lost but detail, and everything is given back. */
#include "trace_test.h"

#include <errno.h>
#include <sys/mman.h>

enum { A = METHOD_FIRST };

static long fail_at; /* 0: never */
static bool fail_on; /* and all after it */
static long mappings;

void *__real_mmap(
	void *address, size_t length, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(
	void *address, size_t length, int protection, int flags, int fd, off_t offset);
void *__real_mremap(void *address, size_t old, size_t length, int flags, ...);
void *__wrap_mremap(void *address, size_t old, size_t length, int flags, ...);

static bool fails(void)
{
	mappings++;
	return fail_at != 0 && (fail_on ? mappings >= fail_at : mappings == fail_at);
}

void *__wrap_mmap(
	void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	if (!fails())
		return __real_mmap(address, length, protection, flags, fd, offset);
	errno = ENOMEM;
	return MAP_FAILED;
}

/* Also the ones that shrink: the kernel may have to split a mapping for that. */
void *__wrap_mremap(void *address, size_t old, size_t length, int flags, ...)
{
	if (!fails())
		return __real_mremap(address, old, length, flags);
	errno = ENOMEM;
	return MAP_FAILED;
}

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

	fail_at = mappings = 0;
	run(&set, limit, true);
	most = mappings;
	assert_true(most > 20);
	if (most > 300)
		most = 300;
	for (int on = 0; on < 2; on++) {
		fail_on = on;
		for (long i = 1; i <= most; i++) {
			fail_at = i;
			mappings = 0;
			run(&set, limit, false);
		}
	}
	fail_at = 0;
	print_message("%ld mappings\n", most);
}

static void test_ample(void **state)
{
	(void)state;
	run_all(16 << 20);
}

static void test_short(void **state)
{
	(void)state;
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
