/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Constructors: which of their instructions are under which of the two handlers. */
#include "class_test.h"

#include <stdio.h>
#include <time.h>

#include "agent/rewrite/constructor.h"
#include "agent/rewrite/descriptor.h"

struct constructor_case {
	unsigned line;
	uint16_t version;
	const char *descriptor; /* NULL: ()V */
	const char *code, *rows, *frames;
	const char *new_code, *new_rows, *new_frames;
};

/* The handlers' frames. */
#define COMMON(delta) "ff " delta " 0000 0001 07 T"
#define BEFORE(delta) "ff " delta " 0001 06 0001 07 T"

static const struct constructor_case cases[] = {
	/* Where types are checked the call of super is under no handler; where they are
	 * inferred one handler does for all. */
	{__LINE__, 52, NULL, "2a b7 000f b1", NULL, NULL, "enter 2a b7 000f exit b1 unwind bf",
		"0004 0005 000d 0000", "0001" BEFORE("000d")},
	{__LINE__, 49, NULL, "2a b7 000f b1", NULL, NULL, "enter 2a b7 000f exit b1 unwind bf",
		"0004 0008 000d 0000", NULL},
	{__LINE__, 52, NULL, "2a b7 000f 00 b1", NULL, NULL,
		"enter 2a b7 000f 00 exit b1 unwind bf unwind bf",
		"0004 0005 0013 0000  0008 0009 000e 0000",
		"0002" COMMON("000e") BEFORE("0004")},
	{__LINE__, 49, NULL, "2a b7 000f 00 b1", NULL, NULL,
		"enter 2a b7 000f 00 exit b1 unwind bf", "0004 0009 000e 0000", NULL},
	/* super here, this there. */
	{__LINE__, 52, "(I)V", "1b 99 000a 2a b7 000f a7 0007 2a b7 0010 00 b1", NULL,
		"0002 0b ff 0003 0002 07 000b 01 0000",
		"enter 1b 99 000a 2a b7 000f a7 0007 2a b7 0010 00 exit b1"
		"unwind bf unwind bf",
		"0004 0009 001e 0000  000c 000f 0019 0000"
		"000f 0010 001e 0000  0013 0014 0019 0000",
		"0004 0f ff 0003 0002 07 000b 01 0000" COMMON("0005") BEFORE("0004")},
	/* One case calls super, the other throws. */
	{__LINE__, 52, "(I)V",
		"1b aa 0000 00000018 00000000 00000000 00000013 2a b7 000f b1 01 bf", NULL,
		"0002 14 04",
		"enter 1b aa 0000 0000001c 00000000 00000000 00000013"
		"2a b7 000f exit b1 01 bf unwind bf",
		"0004 0019 0023 0000  0021 0023 0023 0000", "0003 18 08" BEFORE("0001")},
	/* Another object's constructor. */
	{__LINE__, 52, NULL, "bb 000d 59 b7 000f 57 2a b7 000f b1", NULL, NULL,
		"enter bb 000d 59 b7 000f 57 2a b7 000f exit b1 unwind bf",
		"0004 000d 0015 0000", "0001" BEFORE("0015")},

	/* Local 0 no longer holds `this`, another does. */
	{__LINE__, 52, NULL, "2a 4c 01 4b 2b b7 000f b1", NULL, NULL,
		"enter 2a 4c 01 4b 2b b7 000f exit b1 unwind bf", "0004 0008 0011 0000",
		"0001" BEFORE("0011")},
	{__LINE__, 52, NULL, "2a c4 3a 0009 01 c4 3a 0000 c4 19 0009 b7 000f 00 b1", NULL, NULL,
		"enter 2a c4 3a 0009 01 c4 3a 0000 c4 19 0009 b7 000f 00 exit b1"
		"unwind bf unwind bf",
		"0004 000e 0020 0000  0015 0016 001b 0000",
		"0002" COMMON("001b") BEFORE("0004")},
	{__LINE__, 52, NULL, "2a 09 3f b7 000f b1", NULL, NULL,
		"enter 2a 09 3f b7 000f exit b1 unwind bf", "0004 0007 000f 0000",
		"0001" BEFORE("000f")},

	/* dup to dup2_x2, swap: the call is found by way of the copy below. */
	{__LINE__, 52, NULL, "2a 59 57 b7 000f 00 b1", NULL, NULL,
		"enter 2a 59 57 b7 000f 00 exit b1 unwind bf unwind bf",
		"0004 0007 0015 0000  000a 000b 0010 0000",
		"0002" COMMON("0010") BEFORE("0004")},
	{__LINE__, 52, NULL, "01 2a 5a 58 b7 000f 00 b1", NULL, NULL,
		"enter 01 2a 5a 58 b7 000f 00 exit b1 unwind bf unwind bf",
		"0004 0008 0016 0000  000b 000c 0011 0000",
		"0002" COMMON("0011") BEFORE("0004")},
	{__LINE__, 52, NULL, "01 01 2a 5b 57 58 b7 000f 00 b1", NULL, NULL,
		"enter 01 01 2a 5b 57 58 b7 000f 00 exit b1 unwind bf unwind bf",
		"0004 000a 0018 0000  000d 000e 0013 0000",
		"0002" COMMON("0013") BEFORE("0004")},
	{__LINE__, 52, NULL, "2a 01 5c 57 b7 000f 58 b1", NULL, NULL,
		"enter 2a 01 5c 57 b7 000f 58 exit b1 unwind bf unwind bf",
		"0004 0008 0016 0000  000b 000c 0011 0000",
		"0002" COMMON("0011") BEFORE("0004")},
	{__LINE__, 52, NULL, "01 2a 01 5d 57 58 57 b7 000f 00 b1", NULL, NULL,
		"enter 01 2a 01 5d 57 58 57 b7 000f 00 exit b1 unwind bf unwind bf",
		"0004 000b 0019 0000  000e 000f 0014 0000",
		"0002" COMMON("0014") BEFORE("0004")},
	{__LINE__, 52, NULL, "01 01 2a 01 5e 58 58 57 b7 000f 00 b1", NULL, NULL,
		"enter 01 01 2a 01 5e 58 58 57 b7 000f 00 exit b1 unwind bf unwind bf",
		"0004 000c 001a 0000  000f 0010 0015 0000",
		"0002" COMMON("0015") BEFORE("0004")},
	{__LINE__, 52, NULL, "2a 01 5f b7 000f 57 b1", NULL, NULL,
		"enter 2a 01 5f b7 000f 57 exit b1 unwind bf unwind bf",
		"0004 0007 0015 0000  000a 000b 0010 0000",
		"0002" COMMON("0010") BEFORE("0004")},
	/* Fields of two slots, an array. */
	{__LINE__, 52, NULL, "2a b2 0017 b3 0017 01 b4 0017 58 05 c5 000b 01 57 b7 000f 00 b1",
		NULL, NULL,
		"enter 2a b2 0017 b3 0017 01 b4 0017 58 05 c5 000b 01 57 b7 000f 00"
		"exit b1 unwind bf unwind bf",
		"0004 0016 0024 0000  0019 001a 001f 0000",
		"0002" COMMON("001f") BEFORE("0004")},
	{__LINE__, 52, NULL, "2a 59 09 b5 0017 b7 000f b1", NULL, NULL,
		"enter 2a 59 09 b5 0017 b7 000f exit b1 unwind bf", "0004 000a 0012 0000",
		"0001" BEFORE("0012")},

	/* A handler in front of the call. */
	{__LINE__, 52, NULL, "00 a7 0004 57 2a b7 000f b1", "0000 0001 0004 000d",
		"0002 ff 0004 0001 06 0001 07 000d 00",
		"enter 00 a7 0008 caught 57 2a b7 000f exit b1 unwind bf",
		"0004 0005 0008 000d  0004 000e 0016 0000",
		"0003 ff 0008 0001 06 0001 07 000d 04" BEFORE("0008")},
	/* A loop in front of the call. */
	{__LINE__, 52, "(I)V", "1b 9a ffff 2a b7 000f b1", NULL, "0001 00",
		"enter 1b 9a ffff 2a b7 000f exit b1 unwind bf", "0004 0009 0011 0000",
		"0002 04" BEFORE("000c")},
	/* Subroutines and code that is not reached: types are inferred. */
	{__LINE__, 49, NULL, "2a b7 000f a8 0004 b1 4c a9 01", NULL, NULL,
		"enter 2a b7 000f a8 0008 exit b1 4c a9 01 unwind bf",
		"0004 000b 0013 0000  0010 0013 0013 0000", NULL},
	{__LINE__, 49, NULL, "2a b7 000f b1 00 b1", NULL, NULL,
		"enter 2a b7 000f exit b1 00 exit b1 unwind bf",
		"0004 0008 0013 0000  000d 000e 0013 0000", NULL},
	/* So they are in version 50 if a frame is missing: one handler then, too. */
	{__LINE__, 50, "(I)V", "1b 99 0007 01 a7 0004 01 57 2a b7 000f b1", NULL, NULL,
		"enter 1b 99 0007 01 a7 0004 01 57 2a b7 000f exit b1 unwind bf",
		"0004 0012 0017 0000", "0001" COMMON("0017")},

	/* Operands and locals of a frame: `this` on the operand stack behind a long. */
	{__LINE__, 52, "(J)V", "1f 2a 00 b7 000f 58 b1", NULL,
		"0001 ff 0002 0002 06 04 0002 04 06",
		"enter 1f 2a 00 b7 000f 58 exit b1 unwind bf unwind bf",
		"0004 0007 0015 0000  000a 000b 0010 0000",
		"0003 ff 0006 0002 06 04 0002 04 06" COMMON("0009") BEFORE("0004")},
	/* A frame that is the first with `this` in local 3, behind a long; the next one
	   chops it. */
	{__LINE__, 52, "(J)V", "2a 4e 00 00 2a b7 000f b1", NULL, "0002 fc 0002 06 fa 0000",
		"enter 2a 4e 00 00 2a b7 000f exit b1 unwind bf", "0004 0009 0011 0000",
		"0003 fc 0006 06 fa 0000" BEFORE("0009")},
	{__LINE__, 52, "(J)V", "2a 4e 00 2d b7 000f b1", NULL, "0001 fc 0002 06",
		"enter 2a 4e 00 2d b7 000f exit b1 unwind bf", "0004 0008 0010 0000",
		"0002 fc 0006 06" BEFORE("0009")},
	/* A frame does not tell that local 0 is `this`. */
	{__LINE__, 52, NULL, "2a 4c 00 2b b7 000f b1", NULL, "0001 ff 0002 0002 00 06 0000",
		"enter 2a 4c 00 2b b7 000f exit b1 unwind bf", "0004 0006 0010 0000",
		"0002 ff 0006 0002 00 06 0000" BEFORE("0009")},
};

static struct test_code rewrite(const struct constructor_case *c)
{
	struct test_method method = {
		.name = "<init>",
		.descriptor = c->descriptor,
		.max_stack = 6,
		.max_locals = 10,
		.code = c->code,
		.rows = c->rows,
		.attribute = {{c->frames ? TEST_STACK_MAP : 0, c->frames}},
	};

	return test_rewrite_method(c->version, &method);
}

static void test_cases(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct constructor_case *c = &cases[i];
		struct test_code got = rewrite(c);

		if (got.reason != REWRITE_OK || got.method_reason != REWRITE_OK)
			fail_msg("line %u: %s, %s", c->line, rewrite_reason_text(got.reason),
				rewrite_reason_text(got.method_reason));
		test_same(c->line, "code", got.code, c->new_code);
		test_same(c->line, "rows", got.rows, c->new_rows);
		test_same(
			c->line, "frames", test_content(&got, "StackMapTable"), c->new_frames);
		test_code_fini(&got);
	}
}

/* What cannot be followed stays as it is, the class all the same. */
static void test_not_followed(void **state)
{
	static const struct constructor_case lost[] = {
		{.line = __LINE__, .code = "57 b1"},
		{.line = __LINE__, .code = "2a b7 000f"},
		{.line = __LINE__, .code = "2a 2a 2a 2a 2a 2a 2a b1"},
		{.line = __LINE__, .code = "19 0a b1"},
		{.line = __LINE__, .code = "01 3a 0a b1"},
		{.line = __LINE__, .code = "09 37 09 b1"},
		{.line = __LINE__, .code = "b7 0001 b1"},
		{.line = __LINE__, .code = "b4 ffff b1"},
		{.line = __LINE__, .code = "5f b1"},
		{.line = __LINE__, .code = "00 b1", .frames = "0001 f9 0000"},
		{.line = __LINE__,
			.code = "00 b1",
			.frames = "0001 ff 0000 0001 06 0004 04 04 04 04"},
		{.line = __LINE__,
			.code = "00 b1",
			.frames = "0001 ff 0000 0006 04 04 04 04 04 06 0000"},
		{.line = __LINE__, .descriptor = "(V)V", .code = "b1", .rows = NULL},
	};

	for (size_t i = 0; i < sizeof(lost) / sizeof(*lost); i++) {
		struct constructor_case c = lost[i];
		struct test_code got;

		c.version = 52;
		got = rewrite(&c);
		if (c.descriptor ? got.reason != REWRITE_MALFORMED
				 : got.method_reason != REWRITE_CONSTRUCTOR)
			fail_msg("line %u: %s, %s", c.line, rewrite_reason_text(got.reason),
				rewrite_reason_text(got.method_reason));
		assert_null(got.result.bytes);
		test_code_fini(&got);
	}
}

/* As large as it gets, and not longer than a moment: a frame with all slots at every
 * instruction. */
static void test_effort(void **state)
{
	enum { FRAMES = 60000 };
	struct writer code = {0}, frames = {0};
	struct test_method method = {.name = "<init>"};
	struct test_code got;

	for (unsigned i = 0; i < FRAMES; i++) {
		write_copy(&code, "00", 2);
		write_copy(&frames, "00", 2);
	}
	write_copy(&code, "2ab7000fb1", 11);
	write_copy(&frames, "", 1);
	method.code = (char *)code.bytes;
	for (unsigned large = 0; large < 2; large++) {
		clock_t before = clock();
		char *all;

		method.max_stack = method.max_locals = large ? 65534 : 20;
		assert_true(asprintf(&all, "%04x %s", FRAMES, frames.bytes) > 0);
		method.attribute[0] = (struct test_attribute){TEST_STACK_MAP, all};
		got = test_rewrite_method(52, &method);
		assert_int_equal(got.method_reason, large ? REWRITE_CONSTRUCTOR : REWRITE_OK);
		assert_true(clock() - before < CLOCKS_PER_SEC);
		test_code_fini(&got);
		free(all);
	}
	free(code.bytes);
	free(frames.bytes);
}

static void test_descriptors(void **state)
{
	static const struct {
		unsigned line;
		const char *text;
		bool good;
		uint32_t arguments, result;
	} rows[] = {
		{__LINE__, "()V", true, 0, 0},
		{__LINE__, "(IJLjava/lang/String;[J[[DZ)D", true, 7, 2},
		{__LINE__, "(BCFSZD)[J", true, 7, 1},
		{__LINE__, "J", true, 0, 2},
		{__LINE__, "[La/B;", true, 0, 1},
		{__LINE__, "", false, 0, 0},
		{__LINE__, "(", false, 0, 0},
		{__LINE__, "()", false, 0, 0},
		{__LINE__, "(V)V", false, 0, 0},
		{__LINE__, "()VV", false, 0, 0},
		{__LINE__, "()[V", false, 0, 0},
		{__LINE__, "(La/B)V", false, 0, 0},
		{__LINE__, "([)V", false, 0, 0},
		{__LINE__, "(X)V", false, 0, 0},
		{__LINE__, "[", false, 0, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text text = {rows[i].text, (uint16_t)strlen(rows[i].text)};
		struct descriptor got;
		bool good = descriptor_read(text, &got);

		if (good != rows[i].good || (good && (got.slots != rows[i].arguments ||
							     got.result != rows[i].result)))
			fail_msg("line %u: %u slots, %u", rows[i].line, got.slots, got.result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_not_followed),
		cmocka_unit_test(test_effort),
		cmocka_unit_test(test_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
