/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Names of arguments: by MethodParameters, by LocalVariableTable, and where neither tells. */
#include "class_test.h"

/* The names that classes here have, by index. */
enum { NAME_PARAMETERS = TEST_CONSTANTS, NAME_A, NAME_B, NAME_THIS };

struct name_case {
	unsigned line;
	const char *descriptor;
	bool instance;
	const char *parameters;       /* NULL: no such attribute */
	const char *locals, *locals2; /* the same; two tables */
	const char *name;
	int place;
};

static const struct name_case cases[] = {
	/* MethodParameters: count; name, access. */
	{__LINE__, "(IJ)V", false, "02 0019 0000 001a 0010", NULL, NULL, "a", 0},
	{__LINE__, "(IJ)V", false, "02 0019 0000 001a 0010", NULL, NULL, "b", 1},
	{__LINE__, "(IJ)V", true, "02 0019 0000 001a 0010", NULL, NULL, "b", 1},
	{__LINE__, "(IJ)V", false, "02 0019 0000 001a 0010", NULL, NULL, "c", -1},
	{__LINE__, "(IJ)V", false, "02 0019 0000 001a 0010", NULL, NULL, "", -1},
	/* A row without a name. */
	{__LINE__, "(IJ)V", false, "02 0000 1000 001a 0000", NULL, NULL, "b", 1},
	{__LINE__, "(IJ)V", false, "02 0000 1000 001a 0000", NULL, NULL, "a", -1},
	/* Another number of rows than of arguments; rows that are not whole; a name that is none. */
	{__LINE__, "(IJ)V", false, "01 0019 0000", NULL, NULL, "a", -1},
	{__LINE__, "(IJ)V", false, "03 0019 0000 001a 0000 0019 0000", NULL, NULL, "a", -1},
	{__LINE__, "(IJ)V", false, "02 0019 0000", NULL, NULL, "a", -1},
	{__LINE__, "(IJ)V", false, "02 0019 0000 001a 0000 00", NULL, NULL, "a", -1},
	{__LINE__, "(IJ)V", false, "02 ffff 0000 000b 0000", NULL, NULL, "a", -1},
	{__LINE__, "(I)V", false, "", NULL, NULL, "a", -1},
	{__LINE__, "()V", false, "00", NULL, NULL, "a", -1},

	/* LocalVariableTable: start, length, name, type, local. */
	{__LINE__, "(JI)V", false, NULL,
		"0002 0000 0002 0019 0015 0000 0000 0002 001a 0015 0002", NULL, "b", 1},
	{__LINE__, "(JI)V", false, NULL,
		"0002 0000 0002 0019 0015 0000 0000 0002 001a 0015 0002", NULL, "a", 0},
	{__LINE__, "(JI)V", true, NULL,
		"0002 0000 0002 001b 0015 0000 0000 0002 001a 0015 0003", NULL, "b", 1},
	/* `this` is not an argument, nor what begins later, at another local, or in the middle of a long. */
	{__LINE__, "(JI)V", true, NULL, "0001 0000 0002 001b 0015 0000", NULL, "this", -1},
	{__LINE__, "(JI)V", false, NULL, "0001 0001 0001 001a 0015 0002", NULL, "b", -1},
	{__LINE__, "(JI)V", false, NULL, "0001 0000 0002 001a 0015 0003", NULL, "b", -1},
	{__LINE__, "(JI)V", false, NULL, "0001 0000 0002 001a 0015 0001", NULL, "b", -1},
	/* A variable of the same name that begins later does not hide it. */
	{__LINE__, "(JI)V", false, NULL,
		"0002 0001 0001 001a 0015 0000 0000 0002 001a 0015 0002", NULL, "b", 1},
	/* A second table. */
	{__LINE__, "(JI)V", false, NULL, "0001 0000 0002 0019 0015 0000",
		"0001 0000 0002 001a 0015 0002", "b", 1},
	/* Not whole. */
	{__LINE__, "(JI)V", false, NULL, "0002 0000 0002 001a 0015 0002", NULL, "b", -1},
	{__LINE__, "(JI)V", false, NULL, "0001 0000 0002 001a 0015 0002 00", NULL, "b", -1},

	/* What the first does not know the other may tell. */
	{__LINE__, "(JI)V", false, "01 0019 0000", "0001 0000 0002 001a 0015 0002", NULL, "b",
		1},
	{__LINE__, "(JI)V", false, "02 0000 0000 0000 0000", "0001 0000 0002 001a 0015 0002",
		NULL, "b", 1},
	/* The first is what the program's author wrote. */
	{__LINE__, "(JI)V", false, "02 001a 0000 0019 0000", "0001 0000 0002 001a 0015 0002",
		NULL, "b", 0},
	/* Neither is there. */
	{__LINE__, "(JI)V", false, NULL, NULL, NULL, "a", -1},
	{__LINE__, "(X)V", false, "01 0019 0000", NULL, NULL, "a", -1},
};

struct asked {
	const char *name;
	int place;
	unsigned methods;
};

static struct rewrite_probes ask(void *user, const struct rewrite_method *method)
{
	struct asked *asked = user;

	asked->place = rewrite_argument_place(method, asked->name);
	asked->methods++;
	return (struct rewrite_probes){.kinds = PROBE_NONE};
}

static void check(const struct name_case *c, bool has_code)
{
	struct asked asked = {.name = c->name, .place = -2};
	const struct rewrite_request request = {
		.probes = ask, .user = &asked, .probe = "Probe"};
	struct test_method method = {
		.descriptor = c->descriptor,
		.access = (uint16_t)((c->instance ? 1 : 8) | (has_code ? 0 : 0x100)),
		.max_locals = 9,
		.code = has_code ? "00 b1" : NULL,
		.attribute = {{c->locals ? TEST_LOCALS : 0, c->locals},
			{c->locals2 ? TEST_LOCALS : 0, c->locals2}},
		.method_attribute = {{c->parameters ? NAME_PARAMETERS : 0, c->parameters}},
	};
	struct rewrite_result result;
	struct test_class test;
	uint8_t *bytes;
	size_t size;

	test_class_begin(&test, 52);
	assert_int_equal(test_class_utf8(&test, "MethodParameters"), NAME_PARAMETERS);
	assert_int_equal(test_class_utf8(&test, "a"), NAME_A);
	test_class_utf8(&test, "b");
	assert_int_equal(test_class_utf8(&test, "this"), NAME_THIS);
	test_class_method(&test, &method);
	bytes = test_class_end(&test, &size);
	assert_int_equal(rewrite_class(bytes, size, &request, &result), REWRITE_OK);
	assert_int_equal(asked.methods, 1);
	if (asked.place != c->place)
		fail_msg("line %u: '%s' is at %d", c->line, c->name, asked.place);
	free(bytes);
}

static void test_cases(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		check(&cases[i], true);
		if (!cases[i].locals)
			check(&cases[i], false);
	}
}

/* A method that nothing is known of. */
static void test_nothing(void **state)
{
	const struct rewrite_method method = {.name = "m", .descriptor = "(I)V"};

	assert_int_equal(rewrite_argument_place(&method, "a"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
