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

/* ---- what has no room for timing ---- */

static void set_kinds(probe_set kinds, probe_set otherwise)
{
	test_kinds = kinds;
	test_otherwise = otherwise;
}

/* Of code that is too long, of a branch too far, and of too deep a stack: the other probe instead, and its alone. */
static void test_otherwise_fits(void **state)
{
	struct far code_full = {49, "00", 65535 - 4 - 2, 1, "", NULL};
	struct far branch = {49, "99 7fff", 32767 - 5, 2, "00 b1", NULL};
	struct test_method deep = {.max_stack = UINT16_MAX, .max_locals = 1, .code = "00 b1"};
	struct test_code code;

	set_kinds(PROBE_TIMED, PROBE_COUNTED);
	code = rewrite_far(&code_full);
	assert_int_equal(code.reason, REWRITE_OK);
	assert_int_equal(code.untouched, 0);
	assert_int_equal(code.result.methods, 1);
	assert_int_equal(code.length, 65535);
	assert_true(strncmp(code.code, "count 00 ", 9) == 0);
	assert_null(strstr(code.code, "enter"));
	assert_null(strstr(code.code, "exit"));
	test_same(__LINE__, "rows", code.rows, "");
	test_code_fini(&code);

	code = rewrite_far(&branch);
	assert_int_equal(code.untouched, 0);
	expect_at(__LINE__, &code, 4, "997fff");
	assert_true(strncmp(code.code, "count 99 ", 9) == 0);
	test_code_fini(&code);

	code = test_rewrite_method(52, &deep);
	assert_int_equal(code.untouched, 0);
	assert_int_equal(code.max_stack, UINT16_MAX);
	test_same(__LINE__, "code", code.code, "count 00 b1");
	test_same(__LINE__, "frames", test_content(&code, "StackMapTable"), NULL);
	test_code_fini(&code);

	/* With the entry's beside, both times. */
	set_kinds(PROBE_TIMED | PROBE_ENTRY, PROBE_COUNTED | PROBE_ENTRY);
	code = test_rewrite_method(52, &deep);
	test_same(__LINE__, "code", code.code, "entered count 00 b1");
	test_code_fini(&code);

	/* Where there is room it is not used. */
	set_kinds(PROBE_TIMED, PROBE_COUNTED);
	deep.max_stack = UINT16_MAX - 1;
	code = test_rewrite_method(49, &deep);
	test_same(__LINE__, "code", code.code, "enter 00 exit b1 unwind bf");
	test_code_fini(&code);
	set_kinds(PROBE_TIMED, PROBE_NONE);
}

/* For neither is there room: it stays, and is told once, with the reason of the last. */
static void test_otherwise_does_not_fit(void **state)
{
	struct far far = {49, "00", 65535 - 4 - 1, 1, "", NULL};
	struct test_code code;

	set_kinds(PROBE_TIMED, PROBE_COUNTED);
	code = rewrite_far(&far);
	assert_int_equal(code.reason, REWRITE_OK);
	assert_int_equal(code.method_reason, REWRITE_CODE);
	assert_int_equal(code.untouched, 1);
	assert_null(code.result.bytes);
	test_code_fini(&code);
	/* What fits for itself does not beside another. */
	set_kinds(PROBE_TIMED, PROBE_COUNTED | PROBE_ENTRY);
	far.nops--;
	code = rewrite_far(&far);
	assert_int_equal(code.untouched, 1);
	test_code_fini(&code);
	set_kinds(PROBE_TIMED, PROBE_NONE);
	/* And there may be nothing else. */
	code = rewrite_far(&far);
	assert_int_equal(code.method_reason, REWRITE_CODE);
	assert_int_equal(code.untouched, 1);
	test_code_fini(&code);
}

/* What is not well-formed is not tried in another way: the class stays. */
static void test_otherwise_malformed(void **state)
{
	struct test_method method = {.max_stack = 1, .max_locals = 1, .code = "00 ca"};
	struct test_code code;

	set_kinds(PROBE_TIMED, PROBE_COUNTED);
	code = test_rewrite_method(49, &method);
	assert_int_equal(code.reason, REWRITE_MALFORMED);
	assert_int_equal(code.untouched, 0);
	test_code_fini(&code);
	set_kinds(PROBE_TIMED, PROBE_NONE);
}

/* Methods around it are as they would be without it. */
static void test_otherwise_among_others(void **state)
{
	static const struct {
		unsigned nops;
		unsigned methods, untouched;
	} rows[] = {{65535 - 4 - 1, 3, 0}, {65535 - 4, 2, 1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct test_class test;
		struct test_method small = {.max_stack = 1, .max_locals = 1, .code = "03 ac"};
		struct test_method large = {.max_stack = 1, .max_locals = 1};
		struct test_code code;
		struct text text;
		uint8_t *bytes;
		size_t size;

		text_begin(&text);
		text_add(&text, "00", rows[i].nops);
		text_add(&text, "b1", 1);
		large.code = text_end(&text);
		test_class_begin(&test, 49);
		test_class_method(&test, &small);
		test_class_method(&test, &large);
		test_class_method(&test, &small);
		bytes = test_class_end(&test, &size);
		set_kinds(PROBE_TIMED, PROBE_COUNTED);
		code = test_rewrite(bytes, size);
		set_kinds(PROBE_TIMED, PROBE_NONE);
		assert_int_equal(code.reason, REWRITE_OK);
		assert_int_equal(code.method_reason, REWRITE_OK);
		assert_int_equal(code.untouched, rows[i].untouched);
		assert_int_equal(code.result.methods, rows[i].methods);
		test_same(__LINE__, "code", code.code, "enter 03 exit ac unwind bf");
		test_code_fini(&code);
		free(text.chars);
		free(bytes);
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
		cmocka_unit_test(test_otherwise_fits),
		cmocka_unit_test(test_otherwise_does_not_fit),
		cmocka_unit_test(test_otherwise_malformed),
		cmocka_unit_test(test_otherwise_among_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
