/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What has no room for probes: branches at the end of their reach, code and tables at
 * their size limits. It stays as it is. */
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
static void code_at(const struct test_code *code, size_t offset, char *digits, size_t bytes)
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
	const char *last, *rows;
};

static struct test_code rewrite_far(const struct far *far)
{
	struct text text;
	struct test_method method = {
		.descriptor = "(IJLa/B;[F)V",
		.max_stack = 2,
		.max_locals = 6,
		.rows = far->rows,
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

/* 32,767 bytes are near enough; with one return more, whose probe is in between, it is
 * too far, and the method stays as it is. Ahead and back, for each kind of branch. */
static void test_reach(void **state)
{
	static const char *const branches[] = {"99", "9f", "a5", "a7", "a8", "c6"};

	for (size_t i = 0; i < sizeof(branches) / sizeof(*branches); i++) {
		for (unsigned returns = 1; returns <= 2; returns++) {
			bool near = returns == 1;
			unsigned nops = 32767 - 3 - 5, distance = 3 + nops + returns * 5;
			char first[16], last[16], expected[16];
			struct far far = {49, first, nops, returns, "00 b1", NULL};
			struct test_code code;

			snprintf(first, sizeof(first), "%s %04x", branches[i],
				3 + nops + returns);
			snprintf(expected, sizeof(expected), "%s%04x", branches[i], distance);
			code = rewrite_far(&far);
			assert_int_equal(
				code.method_reason, near ? REWRITE_OK : REWRITE_BRANCH);
			if (near)
				expect_at((unsigned)i, &code, 4, expected);
			else
				assert_null(code.result.bytes);
			test_code_fini(&code);

			/* Back to the nop behind the first one, and one byte further. */
			nops = 32768 - 5;
			distance = nops + returns * 5;
			snprintf(last, sizeof(last), "%s %04x", branches[i],
				0x10000 - nops - returns);
			snprintf(expected, sizeof(expected), "%s%04x", branches[i],
				(0x10000 - distance) & 0xffff);
			far = (struct far){49, "00", nops, returns, last, NULL};
			code = rewrite_far(&far);
			assert_int_equal(
				code.method_reason, near ? REWRITE_OK : REWRITE_BRANCH);
			if (near)
				expect_at((unsigned)i, &code, 5 + distance, expected);
			test_code_fini(&code);
		}
	}
}

/* goto_w, jsr_w and switches reach everything. */
static void test_wide(void **state)
{
	/* From 0 to 5 + 24,000 + 2,000 or, of the switch, 16 more: four times as far
	 * behind each return's probe. */
	static const struct {
		const char *first, *expected;
	} cases[] = {
		{"c8 00006595", "c8000084d5"},
		{"c9 00006595", "c9000084d5"},
		{"aa 000000 000065a4 00000000 00000000 000065a4",
			"aa000000000084e40000000000000000000084e4"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct far far = {49, cases[i].first, 24000, 2000, "00 b1", NULL};
		struct test_code code = rewrite_far(&far);

		assert_int_equal(code.method_reason, REWRITE_OK);
		expect_at((unsigned)i, &code, 4, cases[i].expected);
		test_code_fini(&code);
	}
}

/* A branch that begins a handler is behind the handler's probe; a branch to a handler
 * arrives in front of it. */
static void test_reach_handler(void **state)
{
	struct far far = {49, "00 a7 7fff", 32767 - 3, 0, "00 b1", "0000 0001 0001 0000"};
	struct test_code code = rewrite_far(&far);

	assert_int_equal(code.method_reason, REWRITE_OK);
	expect_at(__LINE__, &code, 4, "00");
	expect_at(__LINE__, &code, 9, "a77fff");
	test_code_fini(&code);
	for (unsigned more = 0; more < 2; more++) {
		unsigned nops = 32768 - 4 + more;
		char last[16];

		snprintf(last, sizeof(last), "a7 %04x", 0x10000 - nops);
		far = (struct far){49, "00", nops, 0, last, "0000 0001 0001 0000"};
		code = rewrite_far(&far);
		assert_int_equal(code.method_reason, more ? REWRITE_BRANCH : REWRITE_OK);
		if (!more)
			expect_at(__LINE__, &code, 5 + 32768, "a78000");
		test_code_fini(&code);
	}
}

/* The longest that fits, and one more. */
static void test_code_full(void **state)
{
	for (unsigned more = 0; more < 2; more++) {
		/* enter, nops, exit, return, handler */
		struct far far = {49, "", 65535 - 4 - 5 - 5 + more, 1, "", NULL};
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

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct far far = {49, "01", 0, cases[i].returns, "01 bf", NULL};
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
		cmocka_unit_test(test_reach),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_reach_handler),
		cmocka_unit_test(test_code_full),
		cmocka_unit_test(test_table_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
