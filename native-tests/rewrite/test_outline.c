/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What code looks like from afar: its instructions, whether it loops or calls; and what is no code ends there. */
#include "agent/rewrite/opcode.h"
#include "class_test.h"

struct outline_case {
	unsigned line;
	const char *code;
	uint32_t instructions;
	bool loops, calls;
};

static const struct outline_case cases[] = {
	{__LINE__, "", 0, false, false},
	{__LINE__, "b1", 1, false, false},
	/* getfield and a return of it; arithmetic with all widths of operands. */
	{__LINE__, "2a b4 0017 ad", 3, false, false},
	{__LINE__, "10 07 11 0100 60 12 01 57 14 0011 58 ac", 8, false, false},
	{__LINE__, "bb 000d 57 bc 0a 57 bd 000d be c5 000d 02 57 b1", 9, false, false},

	/* Jumps ahead; back; to itself. Each kind. */
	{__LINE__, "1a 99 0004 00 b1", 4, false, false},
	{__LINE__, "00 1a 99 fffe b1", 4, true, false},
	{__LINE__, "1a 1a 9f fffe b1", 4, true, false},
	{__LINE__, "2a 2a a6 fffe b1", 4, true, false},
	{__LINE__, "2a c6 ffff b1", 3, true, false},
	{__LINE__, "2a c7 ffff b1", 3, true, false},
	{__LINE__, "2a c7 0003 b1", 3, false, false},
	{__LINE__, "a7 0003 b1", 2, false, false},
	{__LINE__, "a7 0000", 1, true, false},
	{__LINE__, "00 a7 ffff", 2, true, false},
	{__LINE__, "a8 0004 b1 4b a9 00", 4, false, false},
	{__LINE__, "4b a9 00 a8 fffd b1", 4, true, false},
	/* With 32 bits. */
	{__LINE__, "c8 00000005 b1", 2, false, false},
	{__LINE__, "c8 00000000", 1, true, false},
	{__LINE__, "00 c8 ffffffff", 2, true, false},
	{__LINE__, "c9 00000006 b1 4b a9 00", 4, false, false},
	{__LINE__, "4b a9 00 c9 fffffffd b1", 4, true, false},
	/* A jump back in the middle counts as one at the end does. */
	{__LINE__, "00 1a 99 fffe a7 0003 b1", 5, true, false},

	/* Calls, and locks. */
	{__LINE__, "2a b6 000f b1", 3, false, true},
	{__LINE__, "2a b7 000f b1", 3, false, true},
	{__LINE__, "b8 000f b1", 2, false, true},
	{__LINE__, "2a b9 000f 0100 b1", 3, false, true},
	{__LINE__, "ba 000f 0000 b1", 2, false, true},
	{__LINE__, "2a c2 b1", 3, false, true},
	{__LINE__, "2a c3 b1", 3, false, false},
	{__LINE__, "2a bf", 2, false, false},
	{__LINE__, "b8 000f a7 fffd", 2, true, true},
	/* What is an operand is neither. */
	{__LINE__, "10 b6 57 11 b8c2 57 b1", 5, false, false},
	{__LINE__, "a7 00c2 b1", 2, false, false},

	/* Long forms are one instruction. */
	{__LINE__, "c4 15 0100 57 c4 84 0100 0001 c4 36 0100 b1", 5, false, false},
	{__LINE__, "c4 a9 0100", 1, false, false},
	/* Switches, at each distance of their operands. A jump back from one is none. */
	{__LINE__, "aa 000000 00000014 00000007 00000007 00000014 b1", 2, false, false},
	{__LINE__, "1a aa 0000 00000013 00000007 00000007 00000013 b1", 3, false, false},
	{__LINE__, "00 1a aa 00 00000012 00000007 00000007 00000012 b1", 4, false, false},
	{__LINE__, "00 00 1a aa 00000011 00000007 00000007 00000011 b1", 5, false, false},
	{__LINE__, "1a ab 0000 00000013 00000001 00000007 00000013 b1", 3, false, false},
	{__LINE__, "1a ab 0000 00000000 00000000 b1", 3, false, false},
	{__LINE__, "1a aa 0000 ffffffff 00000007 00000007 ffffffff b1", 3, false, false},

	/* What is malformed ends it; what stood before counts. */
	{__LINE__, "ca", 0, false, false},
	{__LINE__, "00 ff b8 000f", 1, false, false},
	{__LINE__, "b8 000f ca a7 fffc", 1, false, true},
	{__LINE__, "00 11 00", 1, false, false},
	{__LINE__, "00 10", 1, false, false},
	{__LINE__, "00 b8 00", 1, false, false},
	{__LINE__, "00 b9 000f 01", 1, false, false},
	{__LINE__, "00 99", 1, false, false},
	{__LINE__, "00 99 ff", 1, false, false},
	{__LINE__, "00 c8 ffffff", 1, false, false},
	{__LINE__, "00 c4", 1, false, false},
	{__LINE__, "00 c4 15 00", 1, false, false},
	{__LINE__, "00 c4 84 0100 00", 1, false, false},
	{__LINE__, "00 c4 b8 000f b1", 1, false, false},
	{__LINE__, "00 c4 c4 15 0000 b1", 1, false, false},
	{__LINE__, "00 aa", 1, false, false},
	{__LINE__, "00 ab", 1, false, false},
	{__LINE__, "00 00 00 aa", 3, false, false},
	{__LINE__, "00 aa 0000 00000000 00000000", 1, false, false},
	{__LINE__, "00 ab 0000 00000000 000000", 1, false, false},
	{__LINE__, "00 aa 0000 00000000 00000001 00000000 b1", 1, false, false},
	{__LINE__, "00 aa 0000 00000000 80000000 7fffffff b1", 1, false, false},
	{__LINE__, "00 aa 0000 00000000 00000000 00000000 000000", 1, false, false},
	{__LINE__, "00 ab 0000 00000000 ffffffff b1", 1, false, false},
	{__LINE__, "00 ab 0000 00000000 00000001 00000000 000000", 1, false, false},
	/* A jump out of the code is one all the same. */
	{__LINE__, "99 7fff b1", 2, false, false},
	{__LINE__, "99 8000 b1", 2, true, false},
	{__LINE__, "c8 7fffffff b1", 2, false, false},
	{__LINE__, "c8 80000000 b1", 2, true, false},
};

/* Its bytes exactly, so that a sanitizer sees what is read behind them. */
static uint8_t *bytes_of(const char *digits, uint32_t *size)
{
	struct writer writer = {0};
	uint8_t *bytes;

	test_hex(&writer, digits);
	*size = (uint32_t)writer.size;
	bytes = malloc(writer.size);
	if (writer.size > 0)
		memcpy(bytes, writer.bytes, writer.size);
	free(writer.bytes);
	return bytes;
}

static void test_cases(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct outline_case *c = &cases[i];
		uint32_t size;
		uint8_t *bytes = bytes_of(c->code, &size);
		const struct rewrite_method method = {.code = bytes, .code_size = size};
		struct rewrite_outline outline = rewrite_outline(&method);

		if (outline.instructions != c->instructions || outline.loops != c->loops ||
			outline.calls != c->calls)
			fail_msg("line %u: %u instructions%s%s", c->line, outline.instructions,
				outline.loops ? ", loops" : "", outline.calls ? ", calls" : "");
		free(bytes);
	}
}

/* Each of them, cut at each place: the rest is not read. */
static void test_cut(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t size;
		uint8_t *whole = bytes_of(cases[i].code, &size);

		for (uint32_t cut = 0; cut < size; cut++) {
			uint8_t *bytes = malloc(cut);
			const struct rewrite_method method = {.code = bytes, .code_size = cut};

			memcpy(bytes, whole, cut);
			assert_true(
				rewrite_outline(&method).instructions <= cases[i].instructions);
			free(bytes);
		}
		free(whole);
	}
}

/* Where a probe's handler is, with each way to push an id; of less than that nothing is said, and nothing behind it is read. */
static void test_handler(void **state)
{
	static const struct {
		unsigned line;
		uint8_t bytes[8];
		uint32_t size; /* 0: it is none */
	} handlers[] = {
		{__LINE__, {OP_ICONST_0 + 5, OP_INVOKESTATIC, 0, 9, OP_ATHROW}, 5},
		{__LINE__, {OP_BIPUSH, 100, OP_INVOKESTATIC, 0, 9, OP_ATHROW}, 6},
		{__LINE__, {OP_SIPUSH, 1, 0, OP_INVOKESTATIC, 0, 9, OP_ATHROW}, 7},
		{__LINE__, {OP_LDC, 7, OP_INVOKESTATIC, 0, 9, OP_ATHROW}, 6},
		{__LINE__, {OP_LDC_W, 1, 7, OP_INVOKESTATIC, 0, 9, OP_ATHROW}, 7},
		/* A handler of a program's keeps what it has caught first. */
		{__LINE__, {0x4c /* astore_1 */, OP_INVOKESTATIC, 0, 9, OP_ATHROW}, 0},
		{__LINE__, {OP_BIPUSH, 100, OP_INVOKESTATIC, 0, 9, 0xb1 /* return */}, 0},
	};

	for (size_t i = 0; i < sizeof(handlers) / sizeof(*handlers); i++) {
		for (uint32_t size = 0; size <= sizeof(handlers[i].bytes); size++) {
			uint8_t *bytes = malloc(size);
			uint32_t expected = size >= handlers[i].size ? handlers[i].size : 0;

			memcpy(bytes, handlers[i].bytes, size);
			if (rewrite_handler_size(bytes, size) != expected)
				fail_msg("line %u, %u bytes", handlers[i].line, size);
			free(bytes);
		}
	}
}

/* Any instruction as the last byte of code, and as the last but some. */
static void test_last(void **state)
{
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		for (uint32_t size = 1; size <= 18; size++) {
			uint8_t *bytes = calloc(1, size);
			const struct rewrite_method method = {.code = bytes, .code_size = size};
			uint32_t instructions;

			bytes[0] = (uint8_t)opcode;
			instructions = rewrite_outline(&method).instructions;
			assert_true(instructions <= size);
			/* nop behind whatever it is. */
			if (opcode == 0)
				assert_int_equal(instructions, size);
			free(bytes);
		}
	}
}

/* As many as there can be, and a jump over all of them. */
static void test_long(void **state)
{
	enum { SIZE = 65535 };
	uint8_t *bytes = calloc(1, SIZE);
	const struct rewrite_method method = {.code = bytes, .code_size = SIZE};
	struct rewrite_outline outline = rewrite_outline(&method);

	assert_int_equal(outline.instructions, SIZE);
	assert_false(outline.loops);
	bytes[SIZE - 5] = 0xc8; /* goto_w */
	put_u4(bytes + SIZE - 4, (uint32_t) - (SIZE - 5));
	outline = rewrite_outline(&method);
	assert_int_equal(outline.instructions, SIZE - 4);
	assert_true(outline.loops);
	free(bytes);
}

/* A native or abstract one has none. */
static void test_none(void **state)
{
	const struct rewrite_method method = {.name = "m"};
	struct rewrite_outline outline = rewrite_outline(&method);

	assert_int_equal(outline.instructions, 0);
	assert_false(outline.loops || outline.calls);
}

/* ---- what the rewriter shows ---- */

static struct rewrite_probes note_outline(void *user, const struct rewrite_method *method)
{
	struct rewrite_outline *outline = user;

	if (method->code)
		*outline = rewrite_outline(method);
	else
		assert_int_equal(method->code_size, 0);
	return (struct rewrite_probes){.kinds = PROBE_NONE};
}

/* The code of a class file, without what is around it. */
static void test_of_class(void **state)
{
	struct rewrite_outline outline = {0};
	const struct rewrite_request request = {
		.probes = note_outline, .user = &outline, .probe = "Probe"};
	struct rewrite_result result;
	struct test_class test;
	uint8_t *bytes;
	size_t size;

	test_class_begin(&test, 52);
	test_class_method(&test, &(struct test_method){.access = 0x0108});
	test_class_method(&test, &(struct test_method){.code = "00 b8 000f a7 fffc",
					 .rows = "0000 0004 0004 0000",
					 .attribute = {{TEST_OTHER, "b1 b1"}}});
	test_class_method(&test, &(struct test_method){.access = 0x0401});
	bytes = test_class_end(&test, &size);
	assert_int_equal(rewrite_class(bytes, size, &request, &result), REWRITE_OK);
	assert_null(result.bytes);
	assert_int_equal(outline.instructions, 3);
	assert_true(outline.loops && outline.calls);
	free(bytes);
}

/* Its length is more than there is: no code is shown. */
static void test_broken_length(void **state)
{
	struct rewrite_outline outline = {.instructions = 77};
	struct rewrite_request request = {
		.probes = note_outline, .user = &outline, .probe = "Probe"};
	struct test_method method = {.code = "00 b1"};
	struct rewrite_result result;
	struct test_class test;
	uint8_t *bytes, *at;
	size_t size;

	test_class_begin(&test, 52);
	test_class_method(&test, &method);
	bytes = test_class_end(&test, &size);
	at = memmem(bytes, size, "\0\0\0\2\0\xb1", 6);
	assert_non_null(at);
	at[3] = 200;
	assert_int_equal(rewrite_class(bytes, size, &request, &result), REWRITE_OK);
	assert_int_equal(outline.instructions, 77);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_handler),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_of_class),
		cmocka_unit_test(test_broken_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
