/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_call_kinds: what a method's code says of how its calls are to be seen, and that it is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/methods/call_kinds.h"
#include "agent/methods/methods.h"

/* In place of methods.c: so many have an id. */
static uint32_t end = METHOD_FIRST;

uint32_t methods_end(void)
{
	return end;
}

/* So many nops, and behind them the code. */
static enum call_kind see(unsigned nops, const char *code, size_t size)
{
	uint8_t *bytes = calloc(1, nops + size);
	const struct rewrite_method method = {
		.code = bytes, .code_size = (uint32_t)(nops + size)};
	enum call_kind kind;

	memcpy(bytes + nops, code, size);
	kind = call_kind_see(end, &method);
	assert_int_equal(call_kind_of(end), kind);
	end++;
	free(bytes);
	return kind;
}

#define SEE(nops, code) see(nops, code, sizeof(code) - 1)

static void test_code(void **state)
{
	/* Up to 60 instructions it is small, if it neither calls nor loops. */
	assert_int_equal(SEE(0, "\xb1"), CALL_SMALL);
	assert_int_equal(SEE(59, "\xb1"), CALL_SMALL);
	assert_int_equal(SEE(60, "\xb1"), CALL_COUNTED);
	assert_int_equal(SEE(0, "\xb8\0\1\xb1"), CALL_COUNTED);
	assert_int_equal(SEE(0, "\0\xa7\xff\xff"), CALL_COUNTED);
	assert_int_equal(SEE(5000, "\xb8\0\1\xb1"), CALL_COUNTED);
}

static void test_native(void **state)
{
	const struct rewrite_method without = {.name = "m"};

	assert_int_equal(call_kind_see(end++, NULL), CALL_TIMED);
	assert_int_equal(call_kind_see(end++, &without), CALL_TIMED);
}

/* The first sight decides, a change stays, and a recording forgets. */
static void test_kept(void **state)
{
	uint32_t id = end;

	assert_int_equal(call_kind_of(id), CALL_UNSEEN);
	assert_int_equal(SEE(0, "\xb1"), CALL_SMALL);
	assert_int_equal(call_kind_see(id, NULL), CALL_SMALL);
	call_kind_change(id, CALL_DEAR);
	assert_int_equal(call_kind_see(id, NULL), CALL_DEAR);
	call_kinds_forget();
	assert_int_equal(call_kind_of(id), CALL_UNSEEN);
	assert_int_equal(call_kind_see(id, NULL), CALL_TIMED);
}

/* Where both are planned one is left; what else is planned stays, and is not decided on. */
static void test_probes(void **state)
{
	static const uint8_t code[] = {0xb1};
	const struct rewrite_method small = {.code = code, .code_size = 1};
	static const probe_set left[] = {PROBE_NONE, PROBE_TIMED, PROBE_COUNTED, PROBE_ENTRY,
		PROBE_TIMED | PROBE_ENTRY, PROBE_COUNTED | PROBE_ENTRY};
	uint32_t id = end++, native = end++;

	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
		assert_int_equal(call_kind_probes(left[i], id, &small), left[i]);
	assert_int_equal(call_kind_of(id), CALL_UNSEEN);
	assert_int_equal(call_kind_probes(PROBE_CALLS, id, &small), PROBE_COUNTED);
	assert_int_equal(call_kind_probes(PROBE_CALLS | PROBE_ENTRY, id, &small),
		PROBE_COUNTED | PROBE_ENTRY);
	assert_int_equal(call_kind_probes(PROBE_CALLS, native, NULL), PROBE_TIMED);
	for (enum call_kind kind = CALL_SMALL; kind < CALL_KINDS; kind++) {
		call_kind_change(id, kind);
		assert_int_equal(call_kind_probes(PROBE_CALLS | PROBE_ENTRY, id, &small),
			PROBE_ENTRY | (kind == CALL_TIMED ? PROBE_TIMED : PROBE_COUNTED));
	}
}

static void test_counts(void **state)
{
	uint64_t count[CALL_KINDS], before[CALL_KINDS];

	call_kinds_count(before);
	assert_int_equal(SEE(0, "\xb1"), CALL_SMALL);
	assert_int_equal(SEE(100, "\xb1"), CALL_COUNTED);
	assert_int_equal(SEE(100, "\xb1"), CALL_COUNTED);
	call_kinds_count(count);
	assert_int_equal(count[CALL_SMALL], before[CALL_SMALL] + 1);
	assert_int_equal(count[CALL_COUNTED], before[CALL_COUNTED] + 2);
	assert_int_equal(count[CALL_TIMED], before[CALL_TIMED]);
	assert_int_equal(count[CALL_DEAR], before[CALL_DEAR]);
}

/* Ids beyond those that are kept are timed, for good. */
static void test_beyond(void **state)
{
	enum { BEYOND = 1 << 18 };
	static const uint8_t code[] = {0xb1};
	const struct rewrite_method small = {.code = code, .code_size = 1};
	uint64_t count[CALL_KINDS];

	assert_int_equal(call_kind_see(BEYOND - 1, &small), CALL_SMALL);
	assert_int_equal(call_kind_see(BEYOND, &small), CALL_TIMED);
	call_kind_change(BEYOND, CALL_DEAR);
	assert_int_equal(call_kind_of(BEYOND), CALL_UNSEEN);
	assert_int_equal(call_kind_probes(PROBE_CALLS, UINT32_MAX, &small), PROBE_TIMED);
	end = BEYOND + 10;
	call_kinds_count(count);
	assert_true(count[CALL_SMALL] > 0);
	call_kinds_forget();
	call_kinds_count(count);
	assert_int_equal(count[CALL_UNSEEN], BEYOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_native),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_probes),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_beyond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
