/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * The n-th allocation fails, n = 0, 1, 2... until all succeed: every failure is told, and
 * leaves nothing behind. The linker's --wrap puts the functions here before the C
 * library's, for jansson too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "calibration/adjust.h"
#include "calibration/calibration_file.h"
#include "native-tests/calibration/fixture.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
void __real_free(void *block);

static long until_failure = -1; /* allocations that still succeed; below 0: all */
static bool refused;

/* The blocks that were allocated here and not freed. Blocks of the C library's own, as
 * open_memstream gives them, are freed here too, and not counted. */
static void *blocks[4096];
static size_t block_count;

static void forget(const void *block)
{
	for (size_t i = 0; i < block_count; i++)
		if (blocks[i] == block) {
			blocks[i] = blocks[--block_count];
			return;
		}
}

static void *keep(void *block)
{
	if (block && block_count < sizeof(blocks) / sizeof(blocks[0]))
		blocks[block_count++] = block;
	return block;
}

static bool is_refused(void)
{
	if (until_failure > 0)
		until_failure--;
	else if (until_failure == 0)
		return refused = true;
	return false;
}

void *__wrap_malloc(size_t size)
{
	return is_refused() ? NULL : keep(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_refused() ? NULL : keep(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
	if (is_refused())
		return NULL;
	forget(block);
	return keep(__real_realloc(block, size));
}

char *__wrap_strdup(const char *text)
{
	return is_refused() ? NULL : keep(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t length)
{
	return is_refused() ? NULL : keep(__real_strndup(text, length));
}

void __wrap_free(void *block)
{
	forget(block);
	__real_free(block);
}

/* jansson takes some of its failed allocations for bad syntax (2.14: lex_scan_string). */
static bool is_memory_failure(const struct error *error)
{
	return error->code == ERROR_MEMORY ||
	       (error->code == ERROR_FORMAT && strstr(error->text, "not JSON"));
}

/* Runs `job` with one allocation more each time, from none, until it is refused none;
 * every run before must fail for want of memory, and free what it took. At least `least`
 * runs must fail: else the job does not do what the test thinks. */
static void run_short_of_memory(int (*job)(struct error *error), long least)
{
	for (long n = 0; n < 10000; n++) {
		struct error error = {0};
		size_t before = block_count;
		refused = false;
		until_failure = n;
		int failed = job(&error);
		until_failure = -1;
		if (block_count != before)
			fail_msg("allocation %ld: %zu blocks left", n, block_count - before);
		if (!refused) {
			assert_int_equal(failed, 0);
			if (n < least)
				fail_msg("only %ld allocations", n);
			return;
		}
		if (failed != -(int)error.code || !is_memory_failure(&error))
			fail_msg("allocation %ld: %d '%s'", n, failed, error.text);
	}
	fail_msg("never succeeds");
}

static int parse_text(struct error *error)
{
	struct calibration *calibration;
	int failed =
		calibration_parse(&calibration, fixture_text, strlen(fixture_text), "x", error);

	calibration_destroy(calibration);
	return failed;
}

/* Set before the allocations are counted. */
static struct calibration *made;

static int write_text(struct error *error)
{
	char *text = calibration_text(made);

	if (!text)
		return error_set(error, ERROR_MEMORY, "no memory");
	free(text);
	return 0;
}

static int adjust_one(struct error *error)
{
	static const uint64_t base[2] = {100, 200};
	struct profile_method method[2] = {{0}};
	struct profile_thread thread = {.id = 1};
	struct profile_node node = {.base = base, .transition = {{1, 1}, {1, 1}}};
	size_t first[2] = {0, 1};
	struct profile profile = {.metric_count = 2,
		.metric = {{.name = "wall"}, {.name = "alloc"}},
		.method = method,
		.method_count = 2,
		.thread = &thread,
		.thread_count = 1,
		.node = &node,
		.node_count = 1,
		.thread_first = first};
	struct adjusted adjusted;
	int failed = adjust_profile(&adjusted, &profile, made, error);

	if (!failed)
		adjusted_fini(&adjusted);
	return failed;
}

static void reading_runs_short(void **state)
{
	run_short_of_memory(parse_text, 20);
}

static void writing_runs_short(void **state)
{
	run_short_of_memory(write_text, 20);
}

static void adjusting_runs_short(void **state)
{
	run_short_of_memory(adjust_one, 6);
}

static int make(void **state)
{
	return calibration_parse(&made, fixture_text, strlen(fixture_text), "x", NULL);
}

static int drop(void **state)
{
	calibration_destroy(made);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_runs_short),
		cmocka_unit_test(writing_runs_short),
		cmocka_unit_test(adjusting_runs_short),
	};

	return cmocka_run_group_tests(tests, make, drop);
}
