/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Readings: how values are taken to probes, where, under which handler, and what cannot be read. */
#include "class_test.h"

#include <stdio.h>

enum { ACCESS_INSTANCE = 1, ACCESS_NATIVE = 0x108, ACCESS_ABSTRACT = 0x401 };

struct reading_case {
	unsigned line;
	uint16_t version;
	const char *name, *descriptor; /* as in struct test_method */
	uint16_t access;
	probe_set kinds;
	struct rewrite_reading reading[3];
	unsigned readings;
	uint16_t max_stack;
	const char *code, *rows, *frames;
	const char *new_code, *new_rows, *new_frames;
	unsigned new_max_stack;
};

/* Behind code of so many bytes that ends in a handler: its frame alone. */
#define HANDLER(delta) "ff " delta " 0000 0001 07 T"
#define BEFORE(delta)  "ff " delta " 0001 06 0001 07 T"

#define VALUE(place, number)                                                                   \
	{                                                                                      \
		{                                                                              \
			place, number                                                          \
		}                                                                              \
	}

static const struct reading_case cases[] = {
	/* Behind `enter`, under the handler of `unwind`. */
	{__LINE__, 52, NULL, "(I)V", 0, PROBE_TIMED, VALUE(0, 1), 1, 0, "b1", NULL, NULL,
		"enter 1a 85 04 valueJ exit b1 unwind bf", "0004 000a 000f 0000",
		"0001" HANDLER("000f"), 3},
	/* In front of `exit`. */
	{__LINE__, 52, NULL, "()I", 0, PROBE_TIMED, VALUE(READING_RESULT, 2), 1, 1, "03 ac",
		NULL, NULL, "enter 03 59 85 05 resultJ exit ac unwind bf",
		"0004 000b 0010 0000", "0001" HANDLER("0010"), 4},
	/* Behind all calls at the entry. */
	{__LINE__, 49, NULL, "(I)V", 0, PROBE_TIMED | PROBE_ENTRY, VALUE(0, 1), 1, 9, "00 b1",
		NULL, NULL, "enter entered 1a 85 04 valueJ 00 exit b1 unwind bf",
		"0008 000f 0014 0000", NULL, 10},
	/* A loop to the beginning reads once, and a jump to a return reads the result. */
	{__LINE__, 52, NULL, "(I)V", 0, PROBE_TIMED, VALUE(0, 1), 1, 1, "1a 9a ffff b1", NULL,
		"0001 00", "enter 1a 85 04 valueJ 1a 9a ffff exit b1 unwind bf",
		"0004 000e 0013 0000", "0002 0a" HANDLER("0008"), 3},
	{__LINE__, 52, NULL, "(I)I", 0, PROBE_TIMED, VALUE(READING_RESULT, 1), 1, 1,
		"03 1a 99 0003 ac", NULL, "0001 45 01",
		"enter 03 1a 99 0003 59 85 04 resultJ exit ac unwind bf", "0004 000f 0014 0000",
		"0002 49 01" HANDLER("000a"), 4},
	/* The method's own handler is not for the result's reading; that of `unwind` is. */
	{__LINE__, 49, NULL, "()I", 0, PROBE_TIMED, VALUE(READING_RESULT, 2), 1, 1,
		"03 ac 57 03 ac", "0000 0002 0002 000d", NULL,
		"enter 03 59 85 05 resultJ exit ac caught 57 03 59 85 05 resultJ exit ac "
		"unwind bf",
		"0004 0005 0010 000d 000f 0010 0010 000d"
		"0004 000b 0021 0000 0010 001c 0021 0000",
		NULL, 4},
	/* Without `unwind` there is no handler. */
	{__LINE__, 49, NULL, "()I", 0, PROBE_NONE, VALUE(READING_RESULT, 2), 1, 1,
		"03 ac 57 03 ac", "0000 0002 0002 000d", NULL,
		"03 59 85 05 resultJ ac 57 03 59 85 05 resultJ ac",
		"0000 0001 0008 000d 0007 0008 0008 000d", NULL, 4},
	{__LINE__, 52, NULL, "(I)I", 0, PROBE_COUNTED, {{0, 3}, {READING_RESULT, 4}}, 2, 1,
		"1a ac", NULL, NULL, "count 1a 85 06 valueJ 1a 59 85 07 resultJ ac", "", NULL,
		4},
	{__LINE__, 52, NULL, "(I)V", 0, PROBE_NONE, VALUE(0, 3), 1, 0, "b1", NULL, NULL,
		"1a 85 06 valueJ b1", "", NULL, 3},
	/* Several, in their order. */
	{__LINE__, 49, NULL, "(JLa/B;)D", ACCESS_INSTANCE, PROBE_ENTRY,
		{{1, 1}, {READING_THIS, 2}, {0, 3}}, 3, 2, "0e af", NULL, NULL,
		"entered 2d 04 valueL 2a 05 valueL 1f 06 valueJ 0e af", "", NULL, 3},
	/* A constructor's argument, while `this` is not initialised. */
	{__LINE__, 52, "<init>", "(I)V", 0, PROBE_TIMED, VALUE(0, 1), 1, 1, "2a b7 000f b1",
		NULL, NULL, "enter 1b 85 04 valueJ 2a b7 000f exit b1 unwind bf",
		"0004 000b 0013 0000", "0001" BEFORE("0013"), 3},
	/* A switch behind readings is aligned anew. */
	{__LINE__, 49, NULL, "(I)V", 0, PROBE_ENTRY, VALUE(0, 1), 1, 1,
		"1a ab 0000 0000000b 00000000 b1", NULL, NULL,
		"entered 1a 85 04 valueJ 1a ab 00000009 00000000 b1", "", NULL, 3},
};

static void readings_set(const struct rewrite_reading *reading, unsigned readings)
{
	test_reading = reading;
	test_readings = readings;
}

static void test_cases(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct reading_case *c = &cases[i];
		struct test_method method = {
			.name = c->name,
			.descriptor = c->descriptor,
			.access = c->access,
			.max_stack = c->max_stack,
			.max_locals = 300,
			.code = c->code,
			.rows = c->rows,
			.attribute = {{c->frames ? TEST_STACK_MAP : 0, c->frames}},
		};
		struct test_code got;

		test_kinds = c->kinds;
		readings_set(c->reading, c->readings);
		got = test_rewrite_method(c->version, &method);
		if (got.reason != REWRITE_OK || got.method_reason != REWRITE_OK || got.unread)
			fail_msg("line %u: %s, %s, %s", c->line,
				rewrite_reason_text(got.reason),
				rewrite_reason_text(got.method_reason),
				rewrite_reason_text(got.unread_reason));
		test_same(c->line, "code", got.code, c->new_code);
		test_same(c->line, "rows", got.rows, c->new_rows);
		test_same(
			c->line, "frames", test_content(&got, "StackMapTable"), c->new_frames);
		if (got.max_stack != c->new_max_stack)
			fail_msg("line %u: a stack of %u", c->line, got.max_stack);
		assert_int_equal(got.result.read, 1);
		test_code_fini(&got);
	}
	test_kinds = PROBE_TIMED;
}

/* The last of the arguments, of each type and at each slot; and the same type as a result. */
static void test_types(void **state)
{
	static const struct {
		unsigned line;
		const char *type, *value, *result; /* up to the number, which is 1 */
		uint16_t access;
		const char *before; /* types of the arguments in front of it */
		const char *load;
	} rows[] = {
		{__LINE__, "Z", "85 04 valueJ", "59 85 04 resultJ", 0, "", "1a"},
		{__LINE__, "B", "85 04 valueJ", "59 85 04 resultJ", 0, "", "1a"},
		{__LINE__, "C", "85 04 valueJ", "59 85 04 resultJ", 0, "", "1a"},
		{__LINE__, "S", "85 04 valueJ", "59 85 04 resultJ", 0, "", "1a"},
		{__LINE__, "I", "85 04 valueJ", "59 85 04 resultJ", 0, "I", "1b"},
		{__LINE__, "I", "85 04 valueJ", "59 85 04 resultJ", ACCESS_INSTANCE, "I", "1c"},
		{__LINE__, "I", "85 04 valueJ", "59 85 04 resultJ", ACCESS_INSTANCE, "J", "1d"},
		{__LINE__, "I", "85 04 valueJ", "59 85 04 resultJ", ACCESS_INSTANCE, "JD",
			"15 05"},
		{__LINE__, "J", "04 valueJ", "5c 04 resultJ", 0, "", "1e"},
		{__LINE__, "J", "04 valueJ", "5c 04 resultJ", 0, "[[J[D[La/B;", "21"},
		{__LINE__, "J", "04 valueJ", "5c 04 resultJ", 0, "JJ", "16 04"},
		{__LINE__, "F", "8d 04 valueD", "59 8d 04 resultD", 0, "", "22"},
		{__LINE__, "F", "8d 04 valueD", "59 8d 04 resultD", 0, "IFS", "25"},
		{__LINE__, "F", "8d 04 valueD", "59 8d 04 resultD", 0, "ZBCS", "17 04"},
		{__LINE__, "D", "04 valueD", "5c 04 resultD", 0, "", "26"},
		{__LINE__, "D", "04 valueD", "5c 04 resultD", 0, "D", "28"},
		{__LINE__, "D", "04 valueD", "5c 04 resultD", 0, "DDF", "18 05"},
		{__LINE__, "La/B;", "04 valueL", "59 04 resultL", 0, "", "2a"},
		{__LINE__, "La/B;", "04 valueL", "59 04 resultL", ACCESS_INSTANCE, "", "2b"},
		{__LINE__, "La/B;", "04 valueL", "59 04 resultL", 0, "JJ", "19 04"},
		{__LINE__, "[I", "04 valueL", "59 04 resultL", 0, "La/B;", "2b"},
		{__LINE__, "[[J", "04 valueL", "59 04 resultL", 0, "J[D", "2d"},
	};

	test_kinds = PROBE_COUNTED;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rewrite_reading reading[] = {{0, 1}, {READING_RESULT, 1}};
		char descriptor[64], expected[128];
		struct test_method method = {.max_stack = 7, .max_locals = 9, .code = "00 ac"};
		struct test_code got;

		snprintf(descriptor, sizeof(descriptor), "(%s%s)%s", rows[i].before,
			rows[i].type, rows[i].type);
		method.descriptor = descriptor;
		method.access = rows[i].access;
		for (const char *c = rows[i].before; *c; c += *c == 'L' ? 5 : 1)
			reading[0].where += *c != '[';
		readings_set(reading, 2);
		got = test_rewrite_method(49, &method);
		snprintf(expected, sizeof(expected), "count %s %s 00 %s ac", rows[i].load,
			rows[i].value, rows[i].result);
		assert_int_equal(got.unread, 0);
		test_same(rows[i].line, "code", got.code, expected);
		test_code_fini(&got);
	}
	test_kinds = PROBE_TIMED;
}

/* All ways to push a number; the id's stays its own. */
static void test_numbers(void **state)
{
	static const struct {
		uint32_t number;
		const char *push;
	} rows[] = {{0, "03"}, {5, "08"}, {6, "10 06"}, {127, "10 7f"}, {128, "11 0080"},
		{32767, "11 7fff"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rewrite_reading reading = {0, rows[i].number};
		struct test_method method = {.descriptor = "(J)V", .code = "b1"};
		struct test_code got;
		char expected[80];

		readings_set(&reading, 1);
		test_kinds = PROBE_ENTRY;
		got = test_rewrite_method(49, &method);
		snprintf(expected, sizeof(expected), "entered 1e %s valueJ b1", rows[i].push);
		test_same((unsigned)i, "code", got.code, expected);
		test_code_fini(&got);
	}
	test_kinds = PROBE_TIMED;
}

/* A number above 32,767 is a constant, by a short or long form. */
static void test_wide_number(void **state)
{
	static const struct rewrite_reading reading = {0, 0xfedcba98};

	for (unsigned constants = 0; constants <= 300; constants += 300) {
		static const struct test_method method = {.descriptor = "(J)V", .code = "b1"};
		struct test_class test;
		struct test_code got;
		uint8_t *bytes;
		size_t size;

		test_class_begin(&test, 49);
		for (unsigned i = 0; i < constants; i++)
			test_class_utf8(&test, "more");
		test_class_method(&test, &method);
		bytes = test_class_end(&test, &size);
		readings_set(&reading, 1);
		test_kinds = PROBE_NONE;
		got = test_rewrite(bytes, size);
		assert_int_equal(got.reason, REWRITE_OK);
		assert_non_null(
			memmem(got.result.bytes, got.result.size, "\3\xfe\xdc\xba\x98", 5));
		assert_memory_equal(got.code, constants ? "1e 13 " : "1e 12 ", 6);
		assert_int_equal(got.length, 1 + (constants ? 3 : 2) + 3 + 1);
		test_code_fini(&got);
		free(bytes);
	}
	test_kinds = PROBE_TIMED;
}

/* What cannot be read is told, and the others are read. */
static void test_unread(void **state)
{
	static const struct {
		unsigned line;
		const char *name, *descriptor;
		uint16_t access;
		int where;
		enum rewrite_reason why;
	} rows[] = {
		{__LINE__, NULL, "(I)V", 0, 1, REWRITE_NO_ARGUMENT},
		{__LINE__, NULL, "(JD)V", 0, 2, REWRITE_NO_ARGUMENT},
		{__LINE__, NULL, "(I)V", ACCESS_INSTANCE, 1, REWRITE_NO_ARGUMENT},
		{__LINE__, NULL, "(I)V", 0, -3, REWRITE_NO_ARGUMENT},
		{__LINE__, NULL, "(I)V", 0, INT32_MAX, REWRITE_NO_ARGUMENT},
		{__LINE__, NULL, "(I)V", 0, READING_RESULT, REWRITE_NO_RESULT},
		{__LINE__, "<init>", "(I)V", 0, READING_RESULT, REWRITE_NO_RESULT},
		{__LINE__, NULL, "(I)V", 0, READING_THIS, REWRITE_NO_THIS},
		{__LINE__, "<init>", "(I)V", 0, READING_THIS, REWRITE_UNINITIALIZED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct rewrite_reading reading[] = {{rows[i].where, 7}, {0, 1}};
		struct test_method method = {.name = rows[i].name,
			.descriptor = rows[i].descriptor,
			.access = rows[i].access,
			.max_stack = 3,
			.max_locals = 4,
			.code = "2a b7 000f b1"};
		struct test_code got;

		readings_set(reading, 2);
		got = test_rewrite_method(49, &method);
		if (got.unread != 1 || got.unread_last != 0 || got.unread_reason != rows[i].why)
			fail_msg("line %u: %u unread, %s", rows[i].line, got.unread,
				rewrite_reason_text(got.unread_reason));
		assert_non_null(strstr(got.code, "04 valueJ"));
		assert_int_equal(got.untouched, 0);
		test_code_fini(&got);
		/* And alone, without other probes: there is nothing to be done. */
		readings_set(reading, 1);
		test_kinds = PROBE_NONE;
		got = test_rewrite_method(49, &method);
		assert_int_equal(got.reason, REWRITE_OK);
		assert_null(got.result.bytes);
		assert_int_equal(got.unread, 1);
		test_kinds = PROBE_TIMED;
		test_code_fini(&got);
	}
}

/* Methods without code: a native one's reading is told, nobody waits for an abstract one's. */
static void test_no_code(void **state)
{
	static const struct rewrite_reading reading[] = {{0, 7}};

	readings_set(reading, 1);
	for (unsigned native = 0; native < 2; native++) {
		struct test_method method = {.descriptor = "(I)V",
			.access = native ? ACCESS_NATIVE : ACCESS_ABSTRACT};
		struct test_code got = test_rewrite_method(52, &method);

		assert_int_equal(got.reason, REWRITE_OK);
		assert_null(got.result.bytes);
		assert_int_equal(got.unread, native);
		if (native)
			assert_int_equal(got.unread_reason, REWRITE_NATIVE);
		test_code_fini(&got);
	}
}

/* The first eight, and no more. */
static void test_many(void **state)
{
	struct rewrite_reading reading[READINGS_MAX + 2];
	struct test_method method = {.descriptor = "(JJJJJJJJJJ)V", .code = "b1"};
	struct test_code got;

	for (unsigned i = 0; i < READINGS_MAX + 2; i++)
		reading[i] = (struct rewrite_reading){(int)i, 300 + i};
	readings_set(reading, READINGS_MAX + 2);
	test_kinds = PROBE_NONE;
	got = test_rewrite_method(49, &method);
	assert_int_equal(got.unread, 2);
	assert_int_equal(got.unread_reason, REWRITE_READINGS);
	assert_int_equal(got.unread_last, READINGS_MAX + 1);
	test_same(__LINE__, "code", got.code,
		"1e 11 012c valueJ 20 11 012d valueJ 16 04 11 012e valueJ 16 06 11 012f valueJ"
		"16 08 11 0130 valueJ 16 0a 11 0131 valueJ 16 0c 11 0132 valueJ 16 0e 11 0133 "
		"valueJ b1");
	test_code_fini(&got);
	test_kinds = PROBE_TIMED;
}

/* As many slots as a method may have, and one more. */
static void test_slots(void **state)
{
	static const struct rewrite_reading reading[] = {{127, 1}};

	readings_set(reading, 1);
	test_kinds = PROBE_NONE;
	for (unsigned instance = 0; instance < 2; instance++) {
		char descriptor[140] = "(";
		struct test_method method = {.descriptor = descriptor,
			.access = instance ? ACCESS_INSTANCE : 0,
			.max_locals = 255,
			.code = "b1"};
		struct test_code got;

		memset(descriptor + 1, 'D', 127);
		strcpy(descriptor + 128, "I)V");
		got = test_rewrite_method(49, &method);
		assert_int_equal(got.reason, instance ? REWRITE_MALFORMED : REWRITE_OK);
		if (!instance)
			test_same(__LINE__, "code", got.code, "15 fe 85 04 valueJ b1");
		test_code_fini(&got);
	}
	test_kinds = PROBE_TIMED;
}

static void test_malformed(void **state)
{
	static const struct rewrite_reading reading[] = {{0, 1}};
	static const char *const descriptors[] = {
		"", "I", "(", "()", "(I", "(V)V", "(La/B)V", "([)V", "(X)V", "()VV"};

	readings_set(reading, 1);
	for (size_t i = 0; i < sizeof(descriptors) / sizeof(*descriptors); i++) {
		struct test_method method = {.descriptor = descriptors[i], .code = "b1"};
		struct test_code got = test_rewrite_method(49, &method);

		assert_int_equal(got.reason, REWRITE_MALFORMED);
		test_code_fini(&got);
	}
}

/* Where there is no room for readings the other probes are there. */
static void test_no_room(void **state)
{
	static const struct rewrite_reading reading[] = {{READING_RESULT, 1}, {0, 1}};
	struct test_method deep = {.descriptor = "(I)I", .max_locals = 1, .code = "03 ac"};
	struct test_method large = {.descriptor = "(I)V", .max_locals = 1};
	/* enter, nops, exit, return, handler */
	const size_t nops = 65535 - 4 - 5 - 5;
	char *code = calloc(1, 2 * nops + 3);
	struct test_code got;

	readings_set(reading, 2);
	for (unsigned more = 0; more < 2; more++) {
		deep.max_stack = (uint16_t)(UINT16_MAX - 3 + more);
		got = test_rewrite_method(49, &deep);
		assert_int_equal(got.untouched, 0);
		assert_int_equal(got.unread, more ? 2 : 0);
		assert_int_equal(got.result.methods, 1);
		assert_int_equal(got.result.read, !more);
		assert_int_equal(got.max_stack, more ? UINT16_MAX - 1 : UINT16_MAX);
		if (more) {
			assert_int_equal(got.unread_reason, REWRITE_STACK);
			test_same(__LINE__, "code", got.code, "enter 03 exit ac unwind bf");
		}
		test_code_fini(&got);
	}
	memset(code, '0', 2 * nops);
	strcpy(code + 2 * nops, "b1");
	large.code = code;
	readings_set(reading + 1, 1);
	got = test_rewrite_method(49, &large);
	assert_int_equal(got.untouched, 0);
	assert_int_equal(got.unread, 1);
	assert_int_equal(got.unread_reason, REWRITE_CODE);
	assert_int_equal(got.length, 65535);
	assert_null(strstr(got.code, "value"));
	test_code_fini(&got);
	free(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_wide_number),
		cmocka_unit_test(test_unread),
		cmocka_unit_test(test_no_code),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
