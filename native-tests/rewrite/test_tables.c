/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Tables of lines and locals, and annotations of types, move with their instructions. */
#include "class_test.h"

struct table_case {
	unsigned line;
	uint16_t name;
	const char *content, *new_content; /* NULL: the class is malformed */
};

/* nop, iload of two bytes, return, pop in a handler, return: 0, 1, 3, 4, 5, and 6 the end.
 * New: 4, 5, 7 (exit, return at 11), 12 (caught, pop at 16), 17 (exit, return at 21), 22. */
#define CODE "00 15 00 b1 57 b1"
#define ROWS "0000 0003 0004 0000 0000 0001 0004 000d"

static const struct table_case cases[] = {
	{__LINE__, TEST_LINES, "0000", "0000"},
	{__LINE__, TEST_LINES, "0003 0000 0007 0003 0008 0004 0009",
		"0003 0000 0007 0007 0008 000c 0009"},
	/* Inside an instruction: JVMs do not mind. */
	{__LINE__, TEST_LINES, "0001 0002 0007", "0001 0006 0007"},
	{__LINE__, TEST_LINES, "0001 0006 0007", NULL},
	{__LINE__, TEST_LINES, "0001 0000 00", NULL},
	{__LINE__, TEST_LINES, "0000 00", NULL},
	{__LINE__, TEST_LINES, "00", NULL},

	/* From the beginning to the end, of the code that was. */
	{__LINE__, TEST_LOCALS, "0001 0000 0006 0014 0015 0000",
		"0001 0000 0016 0014 0015 0000"},
	{__LINE__, TEST_LOCALS, "0002 0001 0002 0014 0015 0001 0003 0001 0014 0015 0002",
		"0002 0005 0002 0014 0015 0001 0007 0005 0014 0015 0002"},
	{__LINE__, TEST_LOCALS, "0002 0000 0000 0014 0015 0001 0006 0000 0014 0015 0002",
		"0002 0000 0000 0014 0015 0001 0016 0000 0014 0015 0002"},
	{__LINE__, TEST_LOCALS, "0001 0002 0003 0014 0015 0001",
		"0001 0006 000b 0014 0015 0001"},
	{__LINE__, TEST_LOCALS, "0001 0000 0007 0014 0015 0000", NULL},
	{__LINE__, TEST_LOCALS, "0001 ffff ffff 0014 0015 0000", NULL},
	{__LINE__, TEST_LOCALS, "0001 0000 0006 0014 0015", NULL},

	/* Local and resource variables, with a path; two places each. */
	{__LINE__, TEST_TYPES,
		"0001 40 0002 0000 0006 0001 0001 0002 0002 02 0300 0001 0014 0000",
		"0001 40 0002 0000 0016 0001 0005 0002 0002 02 0300 0001 0014 0000"},
	{__LINE__, TEST_TYPES, "0001 41 0001 0003 0003 0001 00 0014 0000",
		"0001 41 0001 0007 000f 0001 00 0014 0000"},
	/* An exception. */
	{__LINE__, TEST_TYPES, "0002 42 0000 00 0014 0000 42 0001 00 0014 0000",
		"0002 42 0000 00 0014 0000 42 0001 00 0014 0000"},
	/* instanceof, new, ::new, :: and casts with their arguments. */
	{__LINE__, TEST_TYPES,
		"0004 43 0001 00 0014 0000 44 0000 00 0014 0000"
		"45 0003 00 0014 0000 46 0004 00 0014 0000",
		"0004 43 0005 00 0014 0000 44 0004 00 0014 0000"
		"45 0007 00 0014 0000 46 000c 00 0014 0000"},
	{__LINE__, TEST_TYPES,
		"0005 47 0001 01 00 0014 0000 48 0001 01 00 0014 0000"
		"49 0001 01 00 0014 0000 4a 0001 01 00 0014 0000 4b 0001 02 00 0014 0000",
		"0005 47 0005 01 00 0014 0000 48 0005 01 00 0014 0000"
		"49 0005 01 00 0014 0000 4a 0005 01 00 0014 0000 4b 0005 02 00 0014 "
		"0000"},
	/* Places that are none stay; compilers wrote such. */
	{__LINE__, TEST_TYPES, "0002 44 ffff 00 0014 0000 42 0007 00 0014 0000",
		"0002 44 ffff 00 0014 0000 42 0007 00 0014 0000"},
	/* Values of all kinds. */
	{__LINE__, TEST_TYPES,
		"0001 44 0001 00 0014 0004 0014 42 0001 0014 65 0001 0002"
		"0014 40 0014 0001 0014 73 0001 0014 5b 0002 63 0001 5b 0000",
		"0001 44 0005 00 0014 0004 0014 42 0001 0014 65 0001 0002"
		"0014 40 0014 0001 0014 73 0001 0014 5b 0002 63 0001 5b 0000"},
	{__LINE__, TEST_TYPES, "0001 13 00 0014 0000", NULL},
	{__LINE__, TEST_TYPES, "0001 44 0001 00 0014 0001 0014 00 0001", NULL},
	{__LINE__, TEST_TYPES, "0001 44 0001 00 0014 0001 0014 58 0001", NULL},
	{__LINE__, TEST_TYPES, "0001 44 0001 02 0300", NULL},
	{__LINE__, TEST_TYPES, "0001 44 0001 00 0014 0001 0014 5b 0003 73 0001", NULL},
	{__LINE__, TEST_TYPES, "0001 44 0001 00 0014 0000 00", NULL},
	{__LINE__, TEST_TYPES, "0001 40 0002 0000 0006 0001 00 0014 0000", NULL},
	{__LINE__, TEST_TYPES, "0002 44 0001 00 0014 0000", NULL},

	/* What is not known is left out. */
	{__LINE__, TEST_OTHER, "0102", ""},
};

static const char *const names[] = {[TEST_LINES] = "LineNumberTable",
	[TEST_LOCALS] = "LocalVariableTable",
	[TEST_TYPES] = "RuntimeVisibleTypeAnnotations",
	[TEST_OTHER] = "Other"};

static void test_cases(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct table_case *c = &cases[i];
		struct test_method method = {
			.max_stack = 2,
			.max_locals = 3,
			.code = CODE,
			.rows = ROWS,
			.attribute = {{c->name, c->content}},
		};
		struct test_code got = test_rewrite_method(49, &method);

		if (got.reason != (c->new_content ? REWRITE_OK : REWRITE_MALFORMED))
			fail_msg("line %u: %s", c->line, rewrite_reason_text(got.reason));
		test_same(
			c->line, "content", test_content(&got, names[c->name]), c->new_content);
		test_code_fini(&got);
	}
}

/* Rows of exceptions that are split move the ones behind them. */
static void test_split_rows(void **state)
{
	struct test_method method = {
		.max_stack = 1,
		.code = "00 b1 00 b1 57 b1",
		.rows = "0000 0004 0004 0000 0000 0001 0004 000d",
		.attribute = {{TEST_TYPES, "0002 42 0000 00 0014 0000 42 0001 00 0014 0000"}},
	};
	struct test_code got = test_rewrite_method(49, &method);

	test_same(__LINE__, "rows", got.rows,
		"0004 0005 0010 0000  0009 000b 0010 0000  000f 0010 0010 0000"
		"0004 0005 0010 000d"
		"0004 0005 001a 0000  000a 000b 001a 0000  0010 0015 001a 0000");
	test_same(__LINE__, "annotations", test_content(&got, "RuntimeVisibleTypeAnnotations"),
		"0002 42 0000 00 0014 0000 42 0003 00 0014 0000");
	test_code_fini(&got);
}

/* Annotations within annotations, deeper than the limit and not. */
static void test_nesting(void **state)
{
	for (unsigned depth = 50; depth <= 5000; depth *= 100) {
		struct writer text = {0};
		struct test_method method = {.code = "00 b1"};
		struct test_code got;

		write_copy(&text, "0001440000 00 0014 0001 0014", 28);
		for (unsigned i = 0; i < depth; i++)
			write_copy(&text, "5b0001", 6);
		write_copy(&text, "730001", 7);
		method.attribute[0] = (struct test_attribute){TEST_TYPES, (char *)text.bytes};
		got = test_rewrite_method(49, &method);
		assert_int_equal(got.reason, depth == 50 ? REWRITE_OK : REWRITE_MALFORMED);
		test_code_fini(&got);
		free(text.bytes);
	}
}

/* Frames of a class file from before stack maps are left out, and none are added. */
static void test_frames_unused(void **state)
{
	struct test_method method = {.code = "00 b1", .attribute = {{TEST_STACK_MAP, "ff"}}};
	struct test_code got = test_rewrite_method(49, &method);

	assert_non_null(got.result.bytes);
	assert_int_equal(got.attributes, 0);
	test_code_fini(&got);
	method.attribute[0].content = "0000";
	method.attribute[1] = method.attribute[0];
	got = test_rewrite_method(50, &method);
	assert_int_equal(got.reason, REWRITE_MALFORMED);
	test_code_fini(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_split_rows),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_frames_unused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
