/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Branches that probes push too far, and what is too long for a method. */
#include "class_test.h"

#include <stdio.h>
#include <time.h>

/* Code put together: bytes, then so many nops and returns, and so on. */
struct text {
	char *chars;
	size_t size;
	FILE *stream;
};

static void text_begin(struct text *text)
{
	text->stream = open_memstream(&text->chars, &text->size);
}

static void text_add(struct text *text, const char *digits, unsigned times)
{
	while (times-- > 0)
		fputs(digits, text->stream);
}

static char *text_end(struct text *text)
{
	fclose(text->stream);
	return text->chars;
}

/* So many bytes of the code, without spaces. Words are four bytes each. */
static void code_at(
	const struct test_code *code, size_t offset, char *digits, size_t bytes)
{
	const char *c = code->code;
	size_t at = 0;

	*digits = '\0';
	while (*c && at < offset + bytes) {
		size_t length = strcspn(c, " ");

		if (at >= offset)
			strncat(digits, c, length);
		at += length == 2 ? 1 : 4;
		c += length + 1;
	}
}

static void expect_at(
	unsigned line, const struct test_code *code, size_t offset, const char *expected)
{
	char digits[64];

	code_at(code, offset, digits, strlen(expected) / 2);
	test_same(line, "code", digits, expected);
}

/* A branch, so many nops and returns, and the end. */
struct far {
	uint16_t version;
	const char *first;
	unsigned nops, returns;
	const char *last, *rows, *frames;
};

static struct test_code rewrite_far(const struct far *far)
{
	struct text text;
	struct test_method method = {
		.descriptor = "(IJLa/B;[F)V",
		.max_stack = 2,
		.max_locals = 6,
		.rows = far->rows,
		.attribute = {{far->frames ? TEST_STACK_MAP : 0, far->frames}},
	};
	struct test_code code;

	text_begin(&text);
	text_add(&text, far->first, 1);
	text_add(&text, "00", far->nops);
	text_add(&text, "b1", far->returns);
	text_add(&text, far->last, 1);
	method.code = text_end(&text);
	code = test_rewrite_method(far->version, &method);
	free(text.chars);
	return code;
}

/* goto and jsr become wide; a condition is turned round where there are no frames. */
static void test_inferred(void **state)
{
	/* 0x6593 is 3 + 24,000 + 2,000; 0x84d5 is 5 + 24,000 + 5 * 2,000. */
	static const struct {
		const char *first, *expected;
	} cases[] = {
		{"a7 6593", "c8000084d5"},
		{"a8 6593", "c9000084d5"},
		{"99 6593", "9a0008c8000084d5"},
		{"9a 6593", "990008c8000084d5"},
		{"9d 6593", "9e0008c8000084d5"},
		{"9f 6593", "a00008c8000084d5"},
		{"a5 6593", "a60008c8000084d5"},
		{"a6 6593", "a50008c8000084d5"},
		{"c6 6593", "c70008c8000084d5"},
		{"c7 6593", "c60008c8000084d5"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct far far = {49, cases[i].first, 24000, 2000, "00 b1", NULL, NULL};
		struct test_code code = rewrite_far(&far);

		assert_int_equal(code.method_reason, REWRITE_OK);
		expect_at((unsigned)i, &code, 4, cases[i].expected);
		test_code_fini(&code);
	}
}

/* 32,767 bytes are near enough, with one return more it is too far. Both ways. */
static void test_edge(void **state)
{
	(void)state;
	for (unsigned returns = 1; returns <= 2; returns++) {
		unsigned nops = 32767 - 3 - 5, distance = 3 + nops + returns * 5;
		char first[16], last[16], expected[32];
		struct far far = {49, first, nops, returns, "00 b1", NULL, NULL};
		struct test_code code;

		snprintf(first, sizeof(first), "99 %04x", 3 + nops + returns);
		snprintf(expected, sizeof(expected),
			returns == 1 ? "99%04x" : "9a0008c8%08x",
			returns == 1 ? distance : distance - 3 + 5);
		code = rewrite_far(&far);
		assert_int_equal(code.method_reason, REWRITE_OK);
		expect_at(returns, &code, 4, expected);
		test_code_fini(&code);

		/* Back to the nop behind the first one. */
		nops = 32767 - 5;
		distance = nops + returns * 5;
		snprintf(last, sizeof(last), "a7 %04x", 0x10000 - nops - returns);
		snprintf(expected, sizeof(expected), returns == 1 ? "a7%04x" : "c8%08x",
			returns == 1 ? 0x10000 - distance : 0u - distance);
		far = (struct far){49, "00", nops, returns, last, NULL, NULL};
		code = rewrite_far(&far);
		assert_int_equal(code.method_reason, REWRITE_OK);
		expect_at(returns, &code, 5 + distance, expected);
		test_code_fini(&code);
	}
}

/* With frames the condition goes to an island: as near as there is a place. */
static void test_island(void **state)
{
	/* To the handler behind 24,000 nops and 2,000 returns. Its frame has a local more. */
	struct far far = {52, "1a 99 6593", 24000, 2000, "57 b1",
		"0000 6593 6594 0000 0000 5dc5 6594 000d",
		"0001 ff 6594 0001 08 0000 0001 07 000d"};
	struct test_code code = rewrite_far(&far);
	const char *frames;

	(void)state;
	assert_int_equal(code.method_reason, REWRITE_OK);
	/* The island is behind the first return, at 8 + 24,000 + 5. The handler is at 8 +
	 * 24,000 + 5 * 2,000, and 5 more for the island. */
	expect_at(__LINE__, &code, 5, "995dc8");
	expect_at(__LINE__, &code, 8 + 24000 + 4, "b1c800002710");
	/* No row is over it. */
	test_same(__LINE__, "rows", strndupa(code.rows, 3 * 24),
		"0004 5dc8 84dd 0000  5dcc 5dcd 84dd 0000  5dd6 5dd7 84dd 0000");
	test_same(__LINE__, "rows", strndupa(code.rows + 2000 * 24, 3 * 24),
		"0004 5dc8 84dd 000d  5dcc 5dcd 84dd 000d  0004 5dc8 84e7 0000");
	/* Its frame is that of the target. */
	frames = test_content(&code, "StackMapTable");
	test_same(__LINE__, "frames", frames,
		"0003 ff 5dcd 0001 08 0004 0001 07 000d ff 270f 0001 08 0004 0001 07 000d"
		"ff 0009 0000 0001 07 T");
	test_code_fini(&code);
}

/* What the method begins with is told in full: an int, a long, two classes. */
static void test_island_locals(void **state)
{
	/* A float more at 4, which is 8 now; at the island, as at its target, it is gone. */
	struct far far = {52, "1a 99 6593", 24000, 2000, "00 b1", NULL,
		"0003 fc 0004 02 fa 658d fb 0001"};
	struct test_code code = rewrite_far(&far);
	char *frames = strdup(test_content(&code, "StackMapTable"));

	(void)state;
	assert_int_equal(code.method_reason, REWRITE_OK);
	/* The classes are new constants, wherever. */
	for (char *at = frames; (at = strstr(at, "07 ")) != NULL; at += 3)
		if (at[3] != 'T')
			memset(at + 3, 'c', 5);
	test_same(__LINE__, "frames", frames,
		"0005 ff 0008 0005 01 04 07ccccc07ccccc 02 0000"
		"ff 5dc4 0004 01 04 07ccccc07ccccc 0000"
		"ff 2705 0004 01 04 07ccccc07ccccc 0000"
		"ff 0009 0004 01 04 07ccccc07ccccc 0000"
		"ff 0005 0000 0001 07 T");
	free(frames);
	test_code_fini(&code);
}

/* Two branches to one place share an island, two to two places do not. */
static void test_islands(void **state)
{
	(void)state;
	for (unsigned same = 0; same < 2; same++) {
		/* To 26008, and to 26008 or 26009. */
		struct far far = {52,
			same ? "1a 99 6597 1a 99 6593" : "1a 99 6597 1a 99 6594", 24000,
			2000, "00 00 b1", NULL, "0002 fb 6598 00"};
		struct test_code code = rewrite_far(&far);

		assert_int_equal(code.method_reason, REWRITE_OK);
		expect_at(__LINE__, &code, 5, "995dcc");
		expect_at(__LINE__, &code, 9, same ? "995dc8" : "995dcd");
		expect_at(__LINE__, &code, 12 + 24000 + 5,
			same ? "c800002710" : "c800002715c800002711");
		test_code_fini(&code);
	}
}

/* In front of a handler with a frame, where nothing nearer is without one: jumped over. No
 * frame, no place. */
static void test_joins(void **state)
{
	struct far far = {
		.version = 52, .first = "1a 99 7efd", .nops = 32506, .last = "00 b1"};
	struct text rows;
	struct test_code code;

	(void)state;
	/* 200 handlers with a probe each. */
	text_begin(&rows);
	for (unsigned i = 0; i < 200; i++)
		fprintf(rows.stream, "0004 0005 %04x 0000 ", 5 + i);
	far.rows = text_end(&rows);
	far.frames = "0001 fb 7efe";
	code = rewrite_far(&far);
	assert_int_equal(code.method_reason, REWRITE_BRANCH);
	assert_null(code.result.bytes);
	test_code_fini(&code);
	far.frames = "0002 45 07 000d fb 7ef8";
	code = rewrite_far(&far);
	assert_int_equal(code.method_reason, REWRITE_OK);
	expect_at(__LINE__, &code, 5, "990007");
	/* 32,506 - 1 nops and 200 probes; the first handler is behind the island. */
	expect_at(__LINE__, &code, 9, "a70008c80000821e");
	test_code_fini(&code);
	free(rows.chars);
}

/* The longest that fits, and one more. */
static void test_code_full(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		/* enter, nops, exit, return, handler */
		struct far far = {49, "", 65535 - 4 - 5 - 5 + more, 1, "", NULL, NULL};
		struct test_code code = rewrite_far(&far);

		assert_int_equal(code.reason, REWRITE_OK);
		assert_int_equal(code.method_reason, more ? REWRITE_CODE : REWRITE_OK);
		assert_true(more ? !code.result.bytes : code.length == 65535);
		test_code_fini(&code);
	}
}

/* As many rows as fit, and one more; and a table that would be endless takes no time. */
static void test_table_full(void **state)
{
	static const struct {
		unsigned rows, returns;
		const char *row;
		enum rewrite_reason reason;
	} cases[] = {
		{65534, 0, "0000 0001 0000 0000", REWRITE_OK},
		{65535, 0, "0000 0001 0000 0000", REWRITE_TABLE},
		{32768, 1, "0000 0003 0001 0000", REWRITE_TABLE},
		{65535, 10000, "0000 2712 0001 0000", REWRITE_TABLE},
		{1, 12000, "0000 2ee2 0001 0000", REWRITE_OK},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct far far = {49, "01", 0, cases[i].returns, "01 bf", NULL, NULL};
		clock_t before = clock();
		struct text rows;
		struct test_code code;

		text_begin(&rows);
		text_add(&rows, cases[i].row, cases[i].rows);
		far.rows = text_end(&rows);
		code = rewrite_far(&far);
		assert_int_equal(code.method_reason, cases[i].reason);
		assert_true(clock() - before < CLOCKS_PER_SEC);
		test_code_fini(&code);
		free(rows.chars);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inferred),
		cmocka_unit_test(test_edge),
		cmocka_unit_test(test_island),
		cmocka_unit_test(test_island_locals),
		cmocka_unit_test(test_islands),
		cmocka_unit_test(test_joins),
		cmocka_unit_test(test_code_full),
		cmocka_unit_test(test_table_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
