/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* The n-th allocation fails, n = 0, 1, 2...: the class stays as it is, nothing leaks. */
#include "class_test.h"

#include <stdio.h>

static int until_failure = -1; /* allocations that succeed; -1: all */

void *__real_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool fails(void)
{
	if (until_failure < 0)
		return false;
	return until_failure-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

static struct rewrite_probes give_id(void *user, const struct rewrite_method *method)
{
	static const struct rewrite_reading reading[] = {{0, 40001}, {READING_RESULT, 40002}};

	return (struct rewrite_probes){.kinds = PROBE_TIMED | PROBE_ENTRY,
		.id = 40000,
		.reading = reading,
		.readings = 2};
}

static void never_untouched(
	void *user, const struct rewrite_method *method, enum rewrite_reason why)
{
	fail_msg("untouched: %s", rewrite_reason_text(why));
}

/* A class that needs every kind of scratch: sites, exits, handlers, constructors. */
static uint8_t *demanding(size_t *size)
{
	char *code = NULL;
	size_t length;
	FILE *stream = open_memstream(&code, &length);
	struct test_method large = {
		.descriptor = "(La/B;)V",
		.max_stack = 2,
		.max_locals = 1,
		.rows = "0000 6596 6596 0000",
		.attribute = {{TEST_STACK_MAP, "0001 fb 6597"}},
	};
	static const struct test_method constructor = {
		.name = "<init>",
		.descriptor = "(I)V",
		.max_stack = 2,
		.max_locals = 2,
		.code = "1b 99 000a 2a b7 000f a7 0007 2a b7 0010 00 b1",
		.attribute = {{TEST_STACK_MAP, "0002 0b ff 0003 0002 07 000b 01 0000"}},
	};
	struct test_class test;
	uint8_t *bytes;

	fputs("1a c8 00006596", stream);
	for (unsigned i = 0; i < 24000; i++)
		fputs("00", stream);
	for (unsigned i = 0; i < 2000; i++)
		fputs("b1", stream);
	fputs("57 b1", stream);
	fclose(stream);
	large.code = code;
	test_class_begin(&test, 52);
	test_class_method(&test, &constructor);
	test_class_method(&test, &large);
	bytes = test_class_end(&test, size);
	free(code);
	return bytes;
}

static void test_each(void **state)
{
	const struct rewrite_request request = {
		.probes = give_id, .untouched = never_untouched, .probe = "Probe"};
	struct rewrite_result result = {0};
	size_t size;
	uint8_t *bytes = demanding(&size);
	int n;

	for (n = 0; n < 1000; n++) {
		enum rewrite_reason reason;

		until_failure = n;
		reason = rewrite_class(bytes, size, &request, &result);
		if (until_failure >= 0) {
			until_failure = -1;
			assert_int_equal(reason, REWRITE_OK);
			break;
		}
		assert_int_equal(reason, REWRITE_MEMORY);
		assert_null(result.bytes);
	}
	/* It did fail in many places. */
	assert_in_range(n, 30, 999);
	assert_int_equal(result.methods, 2);
	free(result.bytes);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
