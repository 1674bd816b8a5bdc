/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Methods: where jumps arrive, what is under which handler, how frames move. */
#include "class_test.h"

#include <stdio.h>

struct method_case {
	unsigned line;
	uint16_t version;
	const char *code, *rows, *frames;
	const char *new_code, *new_rows, *new_frames;
};

/* Behind code of so many bytes that ends in a handler: its frame alone. */
#define HANDLER(delta) "ff " delta " 0000 0001 07 T"

#define NOPS_29 "0000000000 0000000000 0000000000 0000000000 0000000000 00000000"
#define NOPS_58 NOPS_29 NOPS_29

static const struct method_case cases[] = {
	/* Nothing can throw: no handler. */
	{__LINE__, 52, "b1", NULL, NULL, "enter exit b1", "", NULL},
	{__LINE__, 52, "00 b1", NULL, NULL, "enter 00 exit b1 unwind bf", "0004 0005 000a 0000",
		"0001" HANDLER("000a")},
	{__LINE__, 49, "00 b1", NULL, NULL, "enter 00 exit b1 unwind bf", "0004 0005 000a 0000",
		NULL},
	{__LINE__, 49, "03 ac", NULL, NULL, "enter 03 exit ac unwind bf", "0004 0005 000a 0000",
		NULL},
	{__LINE__, 49, "09 ad", NULL, NULL, "enter 09 exit ad unwind bf", "0004 0005 000a 0000",
		NULL},
	{__LINE__, 49, "0b ae", NULL, NULL, "enter 0b exit ae unwind bf", "0004 0005 000a 0000",
		NULL},
	{__LINE__, 49, "0e af", NULL, NULL, "enter 0e exit af unwind bf", "0004 0005 000a 0000",
		NULL},
	{__LINE__, 49, "01 b0", NULL, NULL, "enter 01 exit b0 unwind bf", "0004 0005 000a 0000",
		NULL},
	/* It leaves by an exception only. */
	{__LINE__, 49, "01 bf", NULL, NULL, "enter 01 bf unwind bf", "0004 0006 0006 0000",
		NULL},

	/* A jump to a return goes through its probe. */
	{__LINE__, 52, "1a 99 0004 00 b1", NULL, "0001 05",
		"enter 1a 99 0004 00 exit b1 unwind bf", "0004 0009 000e 0000",
		"0002 09" HANDLER("0004")},
	/* A jump to the beginning does not enter again. */
	{__LINE__, 52, "1a 9a ffff b1", NULL, "0001 00", "enter 1a 9a ffff exit b1 unwind bf",
		"0004 0008 000d 0000", "0002 04" HANDLER("0008")},
	/* Over a probe, forwards and backwards. */
	{__LINE__, 52, "1a 99 0004 b1 b1", NULL, "0001 05",
		"enter 1a 99 0008 exit b1 exit b1 unwind bf", "0004 0008 0012 0000",
		"0002 0d" HANDLER("0004")},
	{__LINE__, 49, "a7 0004 b1 a7 ffff", NULL, NULL,
		"enter a7 0008 exit b1 a7 fffb unwind bf",
		"0004 0007 000f 0000 000c 000f 000f 0000", NULL},
	{__LINE__, 49, "c8 00000006 b1 c8 ffffffff", NULL, NULL,
		"enter c8 0000000a exit b1 c8 fffffffb unwind bf",
		"0004 0009 0013 0000 000e 0013 0013 0000", NULL},
	/* A subroutine. */
	{__LINE__, 49, "a8 0004 b1 4b a9 00", NULL, NULL,
		"enter a8 0008 exit b1 4b a9 00 unwind bf",
		"0004 0007 000f 0000 000c 000f 000f 0000", NULL},
	{__LINE__, 49, "c9 00000006 b1 4b a9 00", NULL, NULL,
		"enter c9 0000000a exit b1 4b a9 00 unwind bf",
		"0004 0009 0011 0000 000e 0011 0011 0000", NULL},
	/* Long forms. */
	{__LINE__, 49, "c4 15 0100 57 c4 84 0100 0001 c4 36 0100 b1", NULL, NULL,
		"enter c4 15 0100 57 c4 84 0100 0001 c4 36 0100 exit b1 unwind bf",
		"0004 0013 0018 0000", NULL},

	/* A row around two returns becomes three, and its handler gets a probe. */
	{__LINE__, 52, "00 1a 99 0004 b1 00 b1 57 b1", "0000 0008 0008 000d",
		"0002 06 41 07 000d",
		"enter 00 1a 99 0008 exit b1 00 exit b1 caught 57 exit b1 unwind bf",
		"0004 0009 0014 000d  000d 000f 0014 000d  0013 0014 0014 000d"
		"0004 0009 001e 0000  000e 000f 001e 0000  0014 0019 001e 0000",
		"0003 0e 45 07 000d" HANDLER("0009")},
	/* A row over a return alone: over the return itself. */
	{__LINE__, 49, "b1 57 b1", "0000 0001 0001 000d", NULL,
		"enter exit b1 caught 57 exit b1 unwind bf",
		"0008 0009 0009 000d  0009 000e 0013 0000", NULL},
	/* Two rows for the same place, in their order; one to the code's end. */
	{__LINE__, 49, "00 00 57 b1", "0000 0002 0002 000d 0001 0004 0002 0000", NULL,
		"enter 00 00 caught 57 exit b1 unwind bf",
		"0004 0006 0006 000d  0005 0006 0006 0000  000a 000b 0006 0000"
		"000f 0010 0006 0000  0004 000b 0010 0000",
		NULL},
	/* A handler under itself is not at its probe. */
	{__LINE__, 49, "00 b1 57 b1", "0000 0001 0002 000d 0002 0003 0002 000d", NULL,
		"enter 00 exit b1 caught 57 exit b1 unwind bf",
		"0004 0005 000a 000d  000e 000f 000a 000d"
		"0004 0005 0014 0000  000a 000f 0014 0000",
		NULL},
	/* But it is under others there. */
	{__LINE__, 49, "00 b1 57 b1 57 b1", "0000 0001 0002 000d 0000 0003 0004 000d", NULL,
		"enter 00 exit b1 caught 57 exit b1 caught 57 exit b1 unwind bf",
		"0004 0005 000a 000d"
		"0004 0005 0014 000d 0009 000f 0014 000d"
		"0004 0005 001e 0000  000a 000f 001e 0000  0014 0019 001e 0000",
		NULL},
	/* A handler that gives back a monitor at once has no probe. */
	{__LINE__, 49, "2a c3 b1 4c 2a c3 2b bf", "0000 0002 0003 0000", NULL,
		"enter 2a c3 exit b1 4c 2a c3 2b bf unwind bf",
		"0004 0006 000b 0000  0004 0006 0010 0000  000b 0010 0010 0000", NULL},
	{__LINE__, 49, "2a c3 b1 4c a7 0004 00 2a c3 2b bf", "0000 0002 0003 0000", NULL,
		"enter 2a c3 exit b1 4c a7 0004 00 2a c3 2b bf unwind bf",
		"0004 0006 000b 0000  0004 0006 0014 0000  000b 0014 0014 0000", NULL},
	/* A handler that is a return; one that jumps. */
	{__LINE__, 49, "00 b1 b1", "0000 0001 0002 0000", NULL,
		"enter 00 exit b1 caught exit b1 unwind bf",
		"0004 0005 000a 0000  0004 0005 0013 0000  000a 000e 0013 0000", NULL},
	{__LINE__, 49, "00 b1 a7 ffff", "0000 0001 0002 0000", NULL,
		"enter 00 exit b1 caught a7 fff7 unwind bf",
		"0004 0005 000a 0000  0004 0005 0011 0000  000a 0011 0011 0000", NULL},

	/* Frames whose distance outgrows their form: 16 returns take 5 bytes each. */
	{__LINE__, 52, "b1b1b1b1 b1b1b1b1 b1b1b1b1 b1b1b1b1 00 b1", NULL, "0001 10",
		"enter exitb1exitb1exitb1exitb1 exitb1exitb1exitb1exitb1"
		"exitb1exitb1exitb1exitb1 exitb1exitb1exitb1exitb1 00 exit b1 unwind bf",
		"0054 0055 005a 0000", "0002 fb 0054" HANDLER("0005")},
	{__LINE__, 52, "b1b1b1b1 b1b1b1b1 b1b1b1b1 b1b1b1b1 00 b1", NULL, "0001 50 01",
		"enter exitb1exitb1exitb1exitb1 exitb1exitb1exitb1exitb1"
		"exitb1exitb1exitb1exitb1 exitb1exitb1exitb1exitb1 00 exit b1 unwind bf",
		"0054 0055 005a 0000", "0002 f7 0054 01" HANDLER("0005")},
	/* The last distance that fits, and the next. */
	{__LINE__, 52, NOPS_58 "00 b1", NULL, "0001 3b", "enter" NOPS_58 "00 exit b1 unwind bf",
		"0004 003f 0044 0000", "0002 3f" HANDLER("0004")},
	{__LINE__, 52, NOPS_58 "00 00 b1", NULL, "0001 3c",
		"enter" NOPS_58 "00 00 exit b1 unwind bf", "0004 0040 0045 0000",
		"0002 fb 0040" HANDLER("0004")},
	/* Forms longer than they need be become short. */
	{__LINE__, 52, "00 00 b1", NULL, "0002 fb 0001 f7 0000 02",
		"enter 00 00 exit b1 unwind bf", "0004 0006 000b 0000",
		"0003 05 40 02" HANDLER("0004")},
	/* Chop, append, full; a place in the code is where the instruction is. */
	{__LINE__, 52, "00 b1 00 00 00 b1", NULL,
		"0004 fa 0002 fe 0000 01 02 07 000b fc 0000 08 0000"
		"ff 0000 0003 01 08 0002 06 0002 08 0003 00",
		"enter 00 exit b1 00 00 00 exit b1 unwind bf",
		"0004 0005 0012 0000  000a 000d 0012 0000",
		"0005 fa 000a fe 0000 01 02 07 000b fc 0000 08 0004"
		"ff 0000 0003 01 08 000a 06 0002 08 000b 00" HANDLER("0004")},
	/* `new` in a handler is behind the probe. */
	{__LINE__, 52, "00 b1 bb 000d 57 57 b1", "0000 0001 0002 000d",
		"0002 42 07 000d ff 0002 0000 0002 07 000d 08 0002",
		"enter 00 exit b1 caught bb 000d 57 57 exit b1 unwind bf",
		"0004 0005 000a 000d  0004 0005 0018 0000  000a 0013 0018 0000",
		"0003 4a 07 000d ff 0006 0000 0002 07 000d 08 000e" HANDLER("0006")},
};

/* A probe at the entry alone: what is behind it has moved, and is as it was. */
static const struct method_case entry_cases[] = {
	{__LINE__, 52, "b1", NULL, NULL, "entered b1", "", NULL},
	{__LINE__, 52, "00 b1", NULL, NULL, "entered 00 b1", "", NULL},
	{__LINE__, 49, "01 bf", NULL, NULL, "entered 01 bf", "", NULL},
	/* A jump to the beginning does not enter again. */
	{__LINE__, 52, "1a 9a ffff b1", NULL, "0001 00", "entered 1a 9a ffff b1", "",
		"0001 04"},
	{__LINE__, 52, "1a 99 0004 b1 b1", NULL, "0001 05", "entered 1a 99 0004 b1 b1", "",
		"0001 09"},
	{__LINE__, 49, "c8 00000006 b1 c8 ffffffff", NULL, NULL,
		"entered c8 00000006 b1 c8 ffffffff", "", NULL},
	/* Rows are one still, also around a return, and of a handler that is under itself. */
	{__LINE__, 52, "00 1a 99 0004 b1 00 b1 57 b1", "0000 0008 0008 000d",
		"0002 06 41 07 000d", "entered 00 1a 99 0004 b1 00 b1 57 b1",
		"0004 000c 000c 000d", "0002 0a 41 07 000d"},
	{__LINE__, 49, "2a c3 b1 4c 2a c3 2b bf", "0000 0002 0003 0000 0003 0006 0003 0000",
		NULL, "entered 2a c3 b1 4c 2a c3 2b bf",
		"0004 0006 0007 0000 0007 000a 0007 0000", NULL},
	{__LINE__, 52, NOPS_58 "00 00 00 b1", NULL, "0001 3c", "entered" NOPS_58 "00 00 00 b1",
		"", "0001 fb 0040"},
	/* Chop, append, full; a place in the code is where the instruction is. */
	{__LINE__, 52, "00 b1 bb 000d 57 57 b1", "0000 0001 0002 000d",
		"0002 42 07 000d ff 0002 0000 0002 07 000d 08 0002",
		"entered 00 b1 bb 000d 57 57 b1", "0004 0005 0006 000d",
		"0002 46 07 000d ff 0002 0000 0002 07 000d 08 0006"},
};

/* The same of one that counts. */
static const struct method_case count_cases[] = {
	{__LINE__, 52, "b1", NULL, NULL, "count b1", "", NULL},
	{__LINE__, 52, "1a 9a ffff b1", NULL, "0001 00", "count 1a 9a ffff b1", "", "0001 04"},
	{__LINE__, 52, "00 1a 99 0004 b1 00 b1 57 b1", "0000 0008 0008 000d",
		"0002 06 41 07 000d", "count 00 1a 99 0004 b1 00 b1 57 b1",
		"0004 000c 000c 000d", "0002 0a 41 07 000d"},
};

/* Behind that of stacks. */
static const struct method_case entry_count_cases[] = {
	{__LINE__, 52, "b1", NULL, NULL, "entered count b1", "", NULL},
};

/* Both: the entry's behind `enter`, under its handler no more than that is. */
static const struct method_case both_cases[] = {
	{__LINE__, 52, "b1", NULL, NULL, "enter entered exit b1", "", NULL},
	{__LINE__, 52, "1a 9a ffff b1", NULL, "0001 00",
		"enter entered 1a 9a ffff exit b1 unwind bf", "0008 000c 0011 0000",
		"0002 08" HANDLER("0008")},
	{__LINE__, 52, "00 1a 99 0004 b1 00 b1 57 b1", "0000 0008 0008 000d",
		"0002 06 41 07 000d",
		"enter entered 00 1a 99 0008 exit b1 00 exit b1 caught 57 exit b1 unwind bf",
		"0008 000d 0018 000d  0011 0013 0018 000d  0017 0018 0018 000d"
		"0008 000d 0022 0000  0012 0013 0022 0000  0018 001d 0022 0000",
		"0003 12 45 07 000d" HANDLER("0009")},
};

static void check_cases(const struct method_case *row, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct method_case *c = &row[i];
		struct test_method method = {
			.max_stack = 3,
			.max_locals = 300,
			.code = c->code,
			.rows = c->rows,
			.attribute = {{c->frames ? TEST_STACK_MAP : 0, c->frames}},
		};
		struct test_code got = test_rewrite_method(c->version, &method);

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

static void test_cases(void **state)
{
	check_cases(cases, sizeof(cases) / sizeof(*cases));
	test_kinds = PROBE_ENTRY;
	check_cases(entry_cases, sizeof(entry_cases) / sizeof(*entry_cases));
	test_kinds = PROBE_COUNTED;
	check_cases(count_cases, sizeof(count_cases) / sizeof(*count_cases));
	test_kinds = PROBE_ENTRY | PROBE_COUNTED;
	check_cases(entry_count_cases, sizeof(entry_count_cases) / sizeof(*entry_count_cases));
	test_kinds = PROBE_TIMED | PROBE_ENTRY;
	check_cases(both_cases, sizeof(both_cases) / sizeof(*both_cases));
	test_kinds = PROBE_TIMED;
}

/* A class has the constants of those probes alone that its methods have. */
static void test_constants(void **state)
{
	static const char *const of_timed[] = {
		"exit", "unwind", "caught", "java/lang/Throwable"};
	struct test_method method = {.code = "00 b1"};
	struct test_code got;

	test_kinds = PROBE_ENTRY;
	got = test_rewrite_method(52, &method);
	for (size_t i = 0; i < sizeof(of_timed) / sizeof(*of_timed); i++)
		assert_null(memmem(
			got.result.bytes, got.result.size, of_timed[i], strlen(of_timed[i])));
	test_code_fini(&got);
	test_kinds = PROBE_TIMED;
	got = test_rewrite_method(52, &method);
	assert_null(memmem(got.result.bytes, got.result.size, "entered", strlen("entered")));
	test_code_fini(&got);
}

static void test_max_stack(void **state)
{
	static const unsigned sizes[][2] = {{0, 2}, {1, 2}, {2, 3}, {65534, 65535}};
	static const unsigned entry_sizes[][2] = {{0, 1}, {1, 1}, {2, 2}, {65535, 65535}};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct test_method method = {
			.code = "00 b1", .max_stack = (uint16_t)sizes[i][0], .max_locals = 7};
		struct test_code got = test_rewrite_method(52, &method);

		assert_int_equal(got.max_stack, sizes[i][1]);
		assert_int_equal(got.max_locals, 7);
		test_code_fini(&got);

		method.max_stack = (uint16_t)entry_sizes[i][0];
		test_kinds = PROBE_ENTRY;
		got = test_rewrite_method(52, &method);
		assert_int_equal(got.max_stack, entry_sizes[i][1]);
		test_code_fini(&got);
		test_kinds = PROBE_TIMED;
	}
}

/* A switch behind so many nops, its operands aligned, with the targets default and case. */
static char *switch_text(bool table, unsigned nops, unsigned at, const char *before,
	unsigned standard, unsigned one)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	fputs(before, stream);
	for (unsigned i = 0; i < nops; i++)
		fputs(" 00", stream);
	fputs(table ? " 1a aa" : " 1a ab", stream);
	for (unsigned i = 3 - (at & 3); i > 0; i--)
		fputs(" 00", stream);
	fprintf(stream, " %08x", standard - at);
	fprintf(stream, table ? " 00000007 00000007" : " 00000001 00000007");
	fprintf(stream, " %08x", one - at);
	fclose(stream);
	return text;
}

/* Every alignment, before and after. */
static void test_switch(void **state)
{
	static const struct {
		uint32_t id;
		unsigned size; /* of a probe's call */
	} probes[] = {{1, 4}, {6, 5}, {200, 6}};

	for (unsigned i = 0; i < 24; i++) {
		unsigned nops = i % 4, probe = probes[i / 4 % 3].size;
		unsigned at = nops + 1, end = at + 1 + 3 - (at & 3) + 16;
		unsigned new_at = probe + at, new_end = new_at + 1 + 3 - (new_at & 3) + 16;
		/* To the return behind it, and to the beginning. */
		char *old = switch_text(i < 12, nops, at, "", end, 0);
		char *new = switch_text(i < 12, nops, new_at, "enter", new_end, probe);
		char old_code[200], new_code[200];
		struct test_method method = {.max_stack = 1, .max_locals = 1};
		struct test_code got;

		snprintf(old_code, sizeof(old_code), "%s b1", old);
		snprintf(new_code, sizeof(new_code), "%s exit b1 unwind bf", new);
		method.code = old_code;
		test_first_id = probes[i / 4 % 3].id;
		got = test_rewrite_method(49, &method);
		test_same(i, "code", got.code, new_code);
		test_code_fini(&got);
		free(old);
		free(new);
	}
	test_first_id = 1;
}

/* All ways to push an id. */
static void test_ids(void **state)
{
	static const struct {
		uint32_t id;
		unsigned size;
	} ids[] = {{1, 4}, {5, 4}, {6, 5}, {127, 5}, {128, 6}, {32767, 6}, {32768, 5},
		{UINT32_MAX, 5}};
	struct test_method method = {.max_stack = 1, .code = "00 b1"};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		struct test_code got;

		test_first_id = ids[i].id;
		got = test_rewrite_method(52, &method);
		test_same((unsigned)i, "code", got.code, "enter 00 exit b1 unwind bf");
		assert_int_equal(got.length, 3 * ids[i].size + 3);
		test_code_fini(&got);
	}
	test_first_id = 1;
}

/* What is not well-formed leaves the class as it is. */
static void test_malformed(void **state)
{
	static const struct method_case malformed[] = {
		{.line = __LINE__, .code = ""},
		{.line = __LINE__, .code = "ca b1"},
		{.line = __LINE__, .code = "ff"},
		{.line = __LINE__, .code = "11 00"},
		{.line = __LINE__, .code = "b1 99 00"},
		{.line = __LINE__, .code = "b1 c8 0000 00"},
		{.line = __LINE__, .code = "99 0004 b1"},
		{.line = __LINE__, .code = "99 fffe b1"},
		{.line = __LINE__, .code = "99 0001 b1"},
		{.line = __LINE__, .code = "c8 80000000 b1"},
		{.line = __LINE__, .code = "c4"},
		{.line = __LINE__, .code = "c4 15 00"},
		{.line = __LINE__, .code = "c4 00 0000 b1"},
		{.line = __LINE__, .code = "c4 10 0000 b1"},
		{.line = __LINE__, .code = "c4 bc 0000 b1"},
		{.line = __LINE__, .code = "c4 c4 15 0000 b1"},
		{.line = __LINE__, .code = "aa 000000 00000000 00000000"},
		{.line = __LINE__, .code = "aa 000000 00000014 00000001 00000000 b1"},
		{.line = __LINE__, .code = "aa 000000 00000014 80000000 7fffffff b1"},
		{.line = __LINE__, .code = "aa 000000 00000010 80000000 7fffffff b1"},
		{.line = __LINE__, .code = "aa 000000 00000010 00000000 ffffffff b1"},
		{.line = __LINE__, .code = "aa 000000 0000000f 00000000 00000000 00000014 b1"},
		{.line = __LINE__, .code = "ab 000000 0000000c ffffffff b1"},
		{.line = __LINE__, .code = "ab 000000 0000000c 20000000 b1"},
		{.line = __LINE__, .code = "ab 000000 0000000d 00000000 b1"},
		{.line = __LINE__, .code = "00 b1", .rows = "0000 0000 0000 0000"},
		{.line = __LINE__, .code = "00 b1", .rows = "0001 0000 0000 0000"},
		{.line = __LINE__, .code = "00 b1", .rows = "0000 0003 0000 0000"},
		{.line = __LINE__, .code = "00 b1", .rows = "0002 0003 0000 0000"},
		{.line = __LINE__, .code = "00 b1", .rows = "0000 0001 0002 0000"},
		{.line = __LINE__, .code = "10 00 b1", .rows = "0001 0002 0000 0000"},
		{.line = __LINE__, .code = "10 00 b1", .rows = "0000 0001 0000 0000"},
		{.line = __LINE__, .code = "10 00 b1", .rows = "0000 0002 0001 0000"},
		{.line = __LINE__, .code = "00 b1", .frames = ""},
		{.line = __LINE__, .code = "00 b1", .frames = "00"},
		{.line = __LINE__, .code = "00 b1", .frames = "0001"},
		{.line = __LINE__, .code = "00 b1", .frames = "0001 80"},
		{.line = __LINE__, .code = "00 b1", .frames = "0001 02"},
		{.line = __LINE__, .code = "00 b1", .frames = "0001 01 00"},
		{.line = __LINE__, .code = "10 00 b1", .frames = "0001 01"},
		{.line = __LINE__, .code = "00 b1", .frames = "0002 01 00"},
		{.line = __LINE__, .code = "00 b1", .frames = "0001 41 09"},
		{.line = __LINE__, .code = "00 b1", .frames = "0001 41 07 00"},
		{.line = __LINE__, .code = "00 b1", .frames = "0001 41 08 0002"},
		{.line = __LINE__, .code = "10 00 b1", .frames = "0001 42 08 0001"},
		{.line = __LINE__, .code = "00 b1", .frames = "0001 ff 0001 0002 01"},
		{.line = __LINE__, .code = "00 b1", .frames = "0001 fe 0001 01 01"},
	};

	for (size_t i = 0; i < sizeof(malformed) / sizeof(*malformed); i++) {
		const struct method_case *c = &malformed[i];
		struct test_method method = {
			.max_stack = 3,
			.max_locals = 3,
			.code = c->code,
			.rows = c->rows,
			.attribute = {{c->frames ? TEST_STACK_MAP : 0, c->frames}},
		};
		struct test_code got = test_rewrite_method(52, &method);

		if (got.reason != REWRITE_MALFORMED)
			fail_msg("line %u: %s", c->line, rewrite_reason_text(got.reason));
		test_code_fini(&got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_max_stack),
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
