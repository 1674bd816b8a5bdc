/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Class files as a whole: what is copied, what is refused, what is asked of the user. */
#include "class_test.h"

#include <stdio.h>

/* A class with a bit of everything. */
static uint8_t *everything(uint16_t version, size_t *size)
{
	static const struct test_method methods[] = {
		{
			.max_stack = 3,
			.max_locals = 2,
			.code = "1a 99 000a 00 00 b1 bb 000d 57 b1 57 b1",
			.rows = "0000 0006 000c 000d",
			.attribute = {{TEST_STACK_MAP, "0002 0b 40 07 000d"},
				{TEST_LINES, "0002 0000 0001 000b 0002"},
				{TEST_LOCALS, "0001 0000 000e 0014 0015 0000"},
				{TEST_TYPES, "0001 44 0007 00 0014 0000"}},
			.method_attribute = {{TEST_OTHER, "01"},
				{TEST_ANNOTATIONS, "0001 0013 0000"}},
		},
		{
			.name = "<init>",
			.descriptor = "(JI)V",
			.max_stack = 5,
			.max_locals = 4,
			.code = "1d 99 000a 2a b7 000f a7 0007 2a b7 0010 00 b1",
			.attribute = {{TEST_STACK_MAP,
				"0002 0b ff 0003 0003 07 000b 04 01 0000"}},
		},
		{.name = "native", .access = 0x108},
		{.name = "abstract", .access = 0x401},
		{
			.name = "sw",
			.max_stack = 1,
			.max_locals = 1,
			.code = "1a aa 0000 00000014 00000000 00000000 00000013 00 b1",
		},
	};
	struct test_class test;

	test_class_begin(&test, version);
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		test_class_method(&test, &methods[i]);
	return test_class_end(&test, size);
}

static struct rewrite_probes give_one(void *user, const struct rewrite_method *method)
{
	return (struct rewrite_probes){.kinds = PROBE_TIMED, .id = 1};
}

static enum rewrite_reason rewrite_one(
	const uint8_t *bytes, size_t size, struct rewrite_result *result)
{
	struct rewrite_request request = {.probes = give_one, .probe = "Probe"};

	return rewrite_class(bytes, size, &request, result);
}

/* Whatever is missing at the end; and one byte too many. */
static void test_truncated(void **state)
{
	size_t size;
	uint8_t *bytes = everything(52, &size);
	struct rewrite_result result;

	for (size_t n = 0; n <= size + 1; n++) {
		uint8_t *part = malloc(n ? n : 1);

		memcpy(part, bytes, n < size ? n : size);
		if (n > size)
			part[size] = 0;
		assert_int_equal(rewrite_one(part, n, &result),
			n == size ? REWRITE_OK : REWRITE_MALFORMED);
		assert_true((result.bytes != NULL) == (n == size));
		free(result.bytes);
		free(part);
	}
	free(bytes);
}

/* Each byte another one: whatever that means, it ends, and within bounds. */
static void test_changed(void **state)
{
	static const uint8_t changes[] = {0x01, 0x80, 0xff, 0x7f, 0x10};
	size_t size;
	uint8_t *bytes = everything(52, &size);

	for (size_t i = 0; i < size * sizeof(changes); i++) {
		struct rewrite_result result;
		uint8_t before = bytes[i / sizeof(changes)];
		enum rewrite_reason reason;

		bytes[i / sizeof(changes)] ^= changes[i % sizeof(changes)];
		reason = rewrite_one(bytes, size, &result);
		assert_true(reason == REWRITE_OK || !result.bytes);
		free(result.bytes);
		bytes[i / sizeof(changes)] = before;
	}
	free(bytes);
}

static void test_versions(void **state)
{
	static const struct {
		uint16_t version, minor;
		enum rewrite_reason reason;
	} rows[] = {
		{44, 0, REWRITE_VERSION},
		{45, 2, REWRITE_VERSION},
		{45, 3, REWRITE_OK},
		{46, 0, REWRITE_OK},
		{50, 0, REWRITE_OK},
		{69, 0, REWRITE_OK},
		{69, 65535, REWRITE_OK},
		{70, 0, REWRITE_VERSION},
	};
	struct rewrite_result result;
	size_t size;
	uint8_t *bytes = everything(52, &size);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_u2(bytes + 4, rows[i].minor);
		put_u2(bytes + 6, rows[i].version);
		assert_int_equal(rewrite_one(bytes, size, &result), rows[i].reason);
		free(result.bytes);
	}
	bytes[0] = 0;
	assert_int_equal(rewrite_one(bytes, size, &result), REWRITE_MALFORMED);
	free(bytes);
}

/* What the user was asked and told. */
struct asked {
	char text[600];
	const char *only; /* name of the method that gets an id; NULL: all */
};

static struct rewrite_probes note_method(void *user, const struct rewrite_method *method)
{
	struct asked *asked = user;
	size_t used = strlen(asked->text);

	snprintf(asked->text + used, sizeof(asked->text) - used, "%s.%s%s %x%s\n",
		method->class_name, method->name, method->descriptor, method->access,
		method->intrinsic ? " intrinsic" : "");
	if (asked->only && strcmp(asked->only, method->name) != 0)
		return (struct rewrite_probes){.kinds = PROBE_NONE, .id = 1};
	return (struct rewrite_probes){.kinds = PROBE_TIMED, .id = 1};
}

static void note_untouched(
	void *user, const struct rewrite_method *method, enum rewrite_reason why)
{
	struct asked *asked = user;
	size_t used = strlen(asked->text);

	snprintf(asked->text + used, sizeof(asked->text) - used, "%s: %s\n", method->name,
		rewrite_reason_text(why));
}

static void test_asked(void **state)
{
	struct asked asked = {.text = ""};
	struct rewrite_request request = {.probes = note_method,
		.untouched = note_untouched,
		.user = &asked,
		.probe = "Probe"};
	struct rewrite_result result;
	size_t size;
	uint8_t *bytes = everything(52, &size);

	assert_int_equal(rewrite_class(bytes, size, &request, &result), REWRITE_OK);
	assert_string_equal(asked.text, "Test.m()V 8 intrinsic\n"
					"Test.<init>(JI)V 0\n"
					"Test.native()V 108\n"
					"Test.abstract()V 401\n"
					"Test.sw()V 8\n");
	assert_int_equal(result.methods, 3);
	free(result.bytes);

	/* Nobody wants anything: nothing is made. */
	asked = (struct asked){.only = "abstract"};
	assert_int_equal(rewrite_class(bytes, size, &request, &result), REWRITE_OK);
	assert_null(result.bytes);
	assert_int_equal(result.methods, 0);
	free(bytes);
}

/* Where a text begins in some bytes. */
static size_t find(const uint8_t *bytes, size_t size, const uint8_t *what, size_t length)
{
	const uint8_t *at = memmem(bytes, size, what, length);

	assert_non_null(at);
	return (size_t)(at - bytes);
}

/* All but the code that was asked for is the same, byte by byte. */
static void test_verbatim(void **state)
{
	struct asked asked = {.only = "sw"};
	struct rewrite_request request = {
		.probes = note_method, .user = &asked, .probe = "Probe"};
	static const uint8_t code_start[] = {0x1a, 0xaa};
	struct rewrite_result result;
	size_t size, pool, rest, code, new_code;
	uint8_t *bytes = everything(52, &size);

	assert_int_equal(rewrite_class(bytes, size, &request, &result), REWRITE_OK);
	assert_int_equal(result.methods, 1);
	/* The pool ends with the last method's names; behind it the flags are 0021. */
	pool = find(bytes, size, (const uint8_t *)"sw\1\0\3()V", 8) + 8;
	assert_memory_equal(result.bytes, bytes, 8);
	assert_memory_equal(result.bytes + 10, bytes + 10, pool - 10);
	rest = find(result.bytes + pool, result.size - pool, bytes + pool, 40) + pool;
	code = find(bytes, size, code_start, 2);
	new_code = find(result.bytes, result.size, code_start, 2);
	/* Up to the attribute's size; the code is 4 behind the enter probe. */
	assert_memory_equal(bytes + pool, result.bytes + rest, code - 12 - pool);
	assert_int_equal(new_code - rest, code - pool + 4);
	/* The class's attributes. */
	assert_memory_equal(bytes + size - 10, result.bytes + result.size - 10, 10);
	free(result.bytes);
	free(bytes);
}

/* A pool of so many constants. */
static struct test_code rewrite_pool(uint16_t constants, uint32_t id)
{
	static const struct test_method method = {.max_stack = 1, .code = "00 b1"};
	struct test_class test;
	struct test_code code;
	uint8_t *bytes;
	size_t size;

	test_class_begin(&test, 52);
	test_class_method(&test, &method);
	while (test.constants < constants)
		test_class_utf8(&test, "");
	bytes = test_class_end(&test, &size);
	test_first_id = id;
	code = test_rewrite(bytes, size);
	test_first_id = 1;
	free(bytes);
	return code;
}

/* The probes take 21 constants, an id may take one more. */
static void test_pool_full(void **state)
{
	static const struct {
		uint16_t constants;
		uint32_t id;
		enum rewrite_reason reason;
	} rows[] = {
		{65535 - 21, 1, REWRITE_OK},
		{65535 - 20, 1, REWRITE_POOL},
		{65535, 1, REWRITE_POOL},
		{65535 - 22, 100000, REWRITE_OK},
		{65535 - 21, 100000, REWRITE_POOL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct test_code code = rewrite_pool(rows[i].constants, rows[i].id);

		assert_int_equal(code.reason, REWRITE_OK);
		assert_int_equal(code.method_reason, rows[i].reason);
		test_same((unsigned)i, "code", code.code,
			rows[i].reason == REWRITE_OK ? "enter 00 exit b1 unwind bf" : NULL);
		test_code_fini(&code);
	}
}

static void test_stack_full(void **state)
{
	static const struct test_method method = {.max_stack = 65535, .code = "00 b1"};
	struct test_code code = rewrite_pool(100, 1);

	test_code_fini(&code);
	code = test_rewrite_method(52, &method);
	assert_int_equal(code.reason, REWRITE_OK);
	assert_int_equal(code.method_reason, REWRITE_STACK);
	assert_null(code.result.bytes);
	test_code_fini(&code);
}

/* A method that cannot be done stays as it is between two that can. */
static void test_untouched_between(void **state)
{
	static const struct test_method good = {.max_stack = 1, .code = "00 b1"};
	static const struct test_method bad = {
		.name = "<init>", .max_locals = 1, .code = "57 00 57 00 57 b1"};
	static const uint8_t bad_code[] = {0x57, 0, 0x57, 0, 0x57, 0xb1};
	struct test_class test;
	struct test_code code;
	uint8_t *bytes;
	size_t size, old_at, new_at;

	test_class_begin(&test, 52);
	test_class_method(&test, &good);
	test_class_method(&test, &bad);
	test_class_method(&test, &good);
	bytes = test_class_end(&test, &size);
	code = test_rewrite(bytes, size);
	assert_int_equal(code.result.methods, 2);
	test_same(__LINE__, "code", code.code, "enter 00 exit b1 unwind bf");
	old_at = find(bytes, size, bad_code, sizeof(bad_code));
	new_at = find(code.result.bytes, code.result.size, bad_code, sizeof(bad_code));
	/* From its flags to its last attribute, and the head of the method behind it. */
	assert_memory_equal(
		bytes + old_at - 22, code.result.bytes + new_at - 22, 22 + 6 + 4 + 8);
	test_code_fini(&code);
	free(bytes);
}

/* Names that no NUL-ended text can hold. */
static void test_names(void **state)
{
	static const struct test_method method = {.name = "n\1m", .code = "00 b1"};
	struct rewrite_result result;
	struct test_class test;
	uint8_t *bytes;
	size_t size;

	test_class_begin(&test, 52);
	test_class_method(&test, &method);
	bytes = test_class_end(&test, &size);
	bytes[find(bytes, size, (const uint8_t *)"n\1m", 3) + 1] = 0;
	assert_int_equal(rewrite_one(bytes, size, &result), REWRITE_MALFORMED);
	free(bytes);
}

/* Object's own constructor has no `this` to wait for. */
static void test_object(void **state)
{
	static const struct test_method method = {
		.name = "<init>", .max_locals = 1, .code = "00 b1"};
	struct rewrite_result result;
	struct test_class test;
	uint8_t *bytes;
	size_t size, at;

	test_class_begin(&test, 52);
	test_class_method(&test, &method);
	bytes = test_class_end(&test, &size);
	/* this_class: the class java/lang/Object */
	at = find(bytes, size, (const uint8_t *)"\0\x21\0\xb\0\xd", 6);
	bytes[at + 3] = TEST_SUPER;
	assert_int_equal(rewrite_one(bytes, size, &result), REWRITE_OK);
	assert_non_null(result.bytes);
	/* A frame with no locals, of the handler at 10. */
	find(result.bytes, result.size, (const uint8_t *)"\0\1\xff\0\xa\0\0\0\1\7", 10);
	free(result.bytes);
	free(bytes);
}

static void test_reasons(void **state)
{
	for (enum rewrite_reason i = REWRITE_OK; i <= REWRITE_MEMORY; i++)
		assert_true(strlen(rewrite_reason_text(i)) > 8);
	assert_string_equal(rewrite_reason_text(REWRITE_MEMORY + 1), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_asked),
		cmocka_unit_test(test_verbatim),
		cmocka_unit_test(test_pool_full),
		cmocka_unit_test(test_stack_full),
		cmocka_unit_test(test_untouched_between),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_object),
		cmocka_unit_test(test_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
