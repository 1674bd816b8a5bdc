/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* code: pieces by address, and the methods of compiled ones, in all forms that JVMs have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "native-tests/stack/fake_jvm.h"

static const struct fake_method method = {"acme/A", "a", "()V", 100, NULL, NULL};

static struct fake_code java_code(const uintptr_t *methods)
{
	struct fake_code code = {.name = "nmethod",
		.bytes = fake_java_bytes,
		.size = fake_java_size,
		.frame_words = FAKE_JAVA_WORDS,
		.frame_complete = fake_java_complete,
		.level = 4};

	for (int i = 0; i < 7 && methods[i]; i++)
		code.method[i] = methods[i];
	return code;
}

/* ---- pieces ---- */

static void test_find(void **state)
{
	struct fake_jvm *jvm = *state;
	const uintptr_t methods[] = {fake_method_add(jvm, &method), 0};
	struct fake_code made = java_code(methods);
	uintptr_t first = fake_code_add(jvm, &made), second;
	struct code code;

	made.name = "native nmethod";
	made.level = 0;
	second = fake_code_add(jvm, &made);
	for (uintptr_t i = 0; i < fake_java_size; i++) {
		assert_true(code_find(first + i, &code));
		assert_int_equal(code.begin, first);
	}
	assert_int_equal(code.kind, CODE_COMPILED);
	assert_int_equal(code.frame_words, FAKE_JAVA_WORDS);
	assert_int_equal(code.frame_complete, fake_java_complete);
	assert_string_equal(code.name, "nmethod");
	assert_int_equal(code_method(&code), methods[0]);
	assert_int_equal(code_level(&code), 4);
	assert_int_equal(code_entry(&code), first);
	assert_true(code_find(second, &code));
	assert_int_equal(code.kind, CODE_NATIVE);
	assert_int_equal(code_level(&code), 0);
	/* Its map goes back in several steps; at its end, too. */
	for (uintptr_t i = 0; i < FAKE_INTERPRETER_BYTES; i += 100) {
		assert_true(code_find(jvm->interpreter + i, &code));
		assert_int_equal(code.kind, CODE_INTERPRETER);
		assert_int_equal(code.begin, jvm->interpreter);
	}
	assert_true(code_find(jvm->call_stub_return, &code));
	assert_int_equal(code.kind, CODE_STUB);
}

static void test_nothing(void **state)
{
	struct fake_jvm *jvm = *state;
	const uintptr_t methods[] = {fake_method_add(jvm, &method), 0};
	struct fake_code made = java_code(methods);
	uintptr_t begin = fake_code_add(jvm, &made);
	struct code code;

	/* In front of the first piece, where its header is; behind the last one; outside. */
	assert_false(code_find(jvm->code, &code));
	assert_false(code_find(jvm->code + jvm->code_used, &code));
	assert_false(code_find(jvm->code + FAKE_CODE_BYTES - 1, &code));
	assert_false(code_find(jvm->code + FAKE_CODE_BYTES, &code));
	assert_false(code_find(jvm->code - 1, &code));
	assert_false(code_find((uintptr_t)&code, &code));
	assert_true(code_has(jvm->code));
	assert_true(code_has(jvm->code + FAKE_CODE_BYTES - 1));
	assert_false(code_has(jvm->code + FAKE_CODE_BYTES));
	assert_false(code_has(jvm->code - 1));
	assert_true(code_find(begin, &code));
	assert_false(code_find(code.end, &code));
	fake_code_free(jvm, begin);
	assert_false(code_find(begin, &code));
}

static void test_kinds(void **state)
{
	static const struct {
		const char *name;
		int32_t words;
		enum code_kind kind;
		uint32_t expected_words;
	} rows[] = {
		{"nmethod", 4, CODE_COMPILED, 4},
		{"native nmethod", 4, CODE_NATIVE, 4},
		{"Interpreter", 0, CODE_INTERPRETER, 0},
		{"StubRoutines (1)", 0, CODE_STUB, 0},
		{"StubRoutines (compiler stubs)", 3, CODE_STUB, 3},
		{"vtable chunks", 0, CODE_VTABLE, 0},
		{"I2C/C2I adapters", 0, CODE_ADAPTER, 0},
		{"MethodHandlesAdapterBlob", 0, CODE_ADAPTER, 0},
		{"_new_instance_Java", 8, CODE_RUNTIME, 8},
		{"DeoptimizationBlob", -1, CODE_OTHER, 0},
		{"UncommonTrapBlob", 0, CODE_OTHER, 0},
		{"", 1, CODE_RUNTIME, 1},
		{NULL, 0, CODE_OTHER, 0},
	};
	struct fake_jvm *jvm = *state;
	struct code code;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct fake_code made = {.name = rows[i].name,
			.bytes = fake_java_bytes,
			.size = fake_java_size,
			.frame_words = rows[i].words,
			.frame_complete = -1};

		assert_true(code_find(fake_code_add(jvm, &made), &code));
		assert_int_equal(code.kind, rows[i].kind);
		assert_int_equal(code.frame_words, rows[i].expected_words);
		assert_int_equal(code.frame_complete, UINT32_MAX);
	}
}

/* A piece is in the map before the JVM has written what it is: there may be anything in its place. */
static void test_half_made(void **state)
{
	struct fake_jvm *jvm = *state;
	const struct vm_layout *vm = &jvm->layout;
	const uintptr_t methods[] = {fake_method_add(jvm, &method), 0};
	struct fake_code made = java_code(methods);
	uintptr_t begin = fake_code_add(jvm, &made), nowhere = 0x123456789ab0, *name;
	struct code code;
	int32_t *size, bytes;

	assert_true(code_find(begin, &code));
	name = (uintptr_t *)(code.at + vm->blob_name);
	size = (int32_t *)(code.at + vm->blob_size);
	*name = nowhere;
	assert_true(code_find(begin, &code));
	assert_int_equal(code.kind, CODE_RUNTIME);
	assert_string_equal(code.name, "");
	*name = UINTPTR_MAX - 2;
	assert_true(code_find(begin, &code));
	assert_string_equal(code.name, "");
	bytes = *size;
	*size = INT32_MAX;
	assert_false(code_find(begin, &code));
	*size = bytes;
	assert_true(code_find(begin, &code));
	if (vm->blob_code_begin != VM_NONE)
		*(uintptr_t *)(code.at + vm->blob_code_begin) = nowhere;
	else
		*(int32_t *)(code.at + vm->blob_code_offset) = INT32_MIN;
	assert_false(code_find(begin, &code));
}

/* The heap has grown already, and its map has not. */
static void test_short_map(void **state)
{
	struct fake_jvm *jvm = *state;
	const struct vm_layout *vm = &jvm->layout;
	uintptr_t list = *vm->code_heaps;
	uintptr_t heap = **(uintptr_t **)(list + vm->array_data);
	uintptr_t *map = (uintptr_t *)(heap + vm->heap_map + vm->space_low);
	uintptr_t *map_end = (uintptr_t *)(heap + vm->heap_map + vm->space_high);
	struct code code;

	assert_true(code_find(jvm->interpreter, &code));
	*map_end = *map;
	assert_false(code_find(jvm->interpreter, &code));
	assert_false(code_find(jvm->code + FAKE_CODE_BYTES - 1, &code));
}

/* ---- scopes ---- */

/* The innermost scope at the pc as "method@bci", those that it is inlined into behind it. */
static const char *scopes(
	const uintptr_t *methods, uintptr_t begin, int32_t offset, bool exactly)
{
	static char text[256];
	struct code_scope scope;
	struct code code;
	size_t used;

	assert_true(code_find(begin, &code));
	if (!code_scope_at(&code, begin + (uintptr_t)offset, exactly, &scope))
		return "none";
	used = (size_t)snprintf(text, sizeof(text), "%c@%d",
		scope.method == methods[0]   ? 'a'
		: scope.method == methods[1] ? 'b'
					     : '?',
		scope.bci);
	while (scope.outer) {
		if (!code_scope_outer(&code, &scope))
			return "broken";
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %c@%d",
			scope.method == methods[0]   ? 'a'
			: scope.method == methods[1] ? 'b'
						     : '?',
			scope.bci);
	}
	return text;
}

static void test_scopes(void **state)
{
	static const struct fake_scope list[] = {
		{-1, 0, 5}, {-1, 0, -1}, {0, 1, 70}, {2, 1, 3}, {0, 0, 0}, {.bci = -2}};
	static const struct fake_place places[] = {
		{8, 1}, {16, 0}, {20, 2}, {24, 3}, {28, -1}, {32, 4}, {-1, 0}};
	static const struct {
		int line;
		int32_t offset;
		bool exactly;
		const char *expected;
	} rows[] = {
		{__LINE__, 0, false, "a@-1"},
		{__LINE__, 0, true, "none"},
		{__LINE__, 8, true, "a@-1"},
		{__LINE__, 9, false, "a@5"},
		{__LINE__, 16, true, "a@5"},
		{__LINE__, 17, true, "none"},
		{__LINE__, 20, true, "b@70 a@5"},
		{__LINE__, 24, true, "b@3 b@70 a@5"},
		{__LINE__, 28, true, "none"},
		{__LINE__, 30, false, "a@0 a@5"},
		{__LINE__, 32, true, "a@0 a@5"},
		/* Behind the last place there is none. */
		{__LINE__, 33, false, "none"},
	};
	struct fake_jvm *jvm = *state;
	const uintptr_t methods[] = {
		fake_method_add(jvm, &method), fake_method_add(jvm, &method), 0};
	struct fake_code made = java_code(methods);
	uintptr_t begin;

	made.scope = list;
	made.place = places;
	begin = fake_code_add(jvm, &made);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *found = scopes(methods, begin, rows[i].offset, rows[i].exactly);

		if (strcmp(found, rows[i].expected) != 0)
			fail_msg("row of line %d: %s", rows[i].line, found);
	}
}

static void test_empty(void **state)
{
	static const struct fake_place nothing[] = {{-1, 0}};
	struct fake_jvm *jvm = *state;
	const uintptr_t methods[] = {fake_method_add(jvm, &method), 0};
	struct fake_code made = java_code(methods);

	assert_string_equal(scopes(methods, fake_code_add(jvm, &made), 8, false), "none");
	made.place = nothing;
	assert_string_equal(scopes(methods, fake_code_add(jvm, &made), 8, false), "none");
	assert_string_equal(scopes(methods, fake_code_add(jvm, &made), 0, true), "none");
}

/* Numbers of one to five bytes. */
static void test_numbers(void **state)
{
	static const int32_t bcis[] = {-1, 0, 1, 189, 190, 191, 192, 193, 12000, 12478, 12479,
		12480, 12481, 798911, 798912, 1 << 20, 51131583, 51131584, 1 << 30,
		INT32_MAX - 1};
	struct fake_jvm *jvm = *state;
	const uintptr_t methods[] = {fake_method_add(jvm, &method), 0};
	size_t longest = 0;

	for (size_t i = 0; i < sizeof(bcis) / sizeof(*bcis); i++) {
		const struct fake_scope list[] = {{-1, 0, bcis[i]}, {.bci = -2}};
		const struct fake_place places[] = {{8, 0}, {-1, 0}};
		struct fake_code made = java_code(methods);
		char expected[32];
		uint8_t bytes[5];
		size_t length =
			fake_number(bytes, jvm->layout.number_base, (uint32_t)bcis[i] + 1);

		longest = length > longest ? length : longest;
		made.scope = list;
		made.place = places;
		snprintf(expected, sizeof(expected), "a@%d", bcis[i]);
		assert_string_equal(
			scopes(methods, fake_code_add(jvm, &made), 8, true), expected);
	}
	assert_int_equal(longest, 5);
}

/* Scopes that cannot be: a byte of 0 where there is none, a way outwards that does not end, a method that there is
 * not, memory that is not there. */
static void test_broken(void **state)
{
	static const struct fake_scope list[] = {{-1, 0, 5}, {0, 0, 9}, {.bci = -2}};
	static const struct fake_place places[] = {{8, 1}, {-1, 0}};
	struct fake_jvm *jvm = *state;
	const uintptr_t methods[] = {fake_method_add(jvm, &method), 0};
	struct fake_code made = java_code(methods);
	uint8_t base = jvm->layout.number_base;
	uintptr_t begin, at;
	struct code_scope scope;
	struct code code;
	uint8_t *bytes;

	made.scope = list;
	made.place = places;
	begin = fake_code_add(jvm, &made);
	assert_string_equal(scopes(methods, begin, 8, true), "a@9 a@5");
	assert_true(code_find(begin, &code));
	assert_true(code_scope_at(&code, begin + 8, true, &scope));
	assert_int_equal(scope.outer, 8);
	/* Two scopes of three bytes each are at 8 and 11. */
	at = jvm->layout.nmethod_scopes != VM_NONE
		     ? *(uintptr_t *)(code.at + jvm->layout.nmethod_scopes)
		     : *(uintptr_t *)(code.at + jvm->layout.nmethod_immutable) +
			       (uintptr_t) *
				       (int32_t *)(code.at + jvm->layout.nmethod_scopes_offset);
	bytes = (uint8_t *)at + 11;
	bytes[0] = (uint8_t)(base + 11); /* into itself */
	assert_string_equal(scopes(methods, begin, 8, true), "none");
	bytes[0] = (uint8_t)(base + 100);
	assert_string_equal(scopes(methods, begin, 8, true), "none");
	bytes[0] = (uint8_t)(base + 9); /* to bytes that are another number's */
	assert_string_not_equal(scopes(methods, begin, 8, true), "a@9 a@5");
	bytes[0] = base; /* inlined into none */
	assert_string_equal(scopes(methods, begin, 8, true), "a@9");
	bytes[1] = base; /* no method */
	assert_string_equal(scopes(methods, begin, 8, true), "none");
	bytes[1] = (uint8_t)(base + 1);
	assert_string_equal(scopes(methods, begin, 8, true), "a@9");
	if (base == 1) {
		bytes[2] = 0;
		assert_string_equal(scopes(methods, begin, 8, true), "none");
		/* The description is gone. */
		*(uintptr_t *)(code.at + jvm->layout.nmethod_immutable) = 4096;
		assert_string_equal(scopes(methods, begin, 8, true), "none");
	}
}

/* ---- deoptimised frames ---- */

static void test_deopt(void **state)
{
	struct fake_jvm *jvm = *state;
	const uintptr_t methods[] = {fake_method_add(jvm, &method), 0};
	struct fake_code made = java_code(methods);
	uintptr_t begin, handler, frame[FAKE_JAVA_WORDS] = {0};
	struct code code;

	made.original_pc = 16;
	begin = fake_code_add(jvm, &made);
	assert_true(code_find(begin, &code));
	frame[2] = begin + 20;
	for (int i = 0; i < 2; i++) {
		handler = fake_code_handler(&made, begin, i == 1);
		assert_true(code_is_deopt(&code, handler));
		assert_int_equal(code_original_place(&code, handler, (uintptr_t)frame),
			(uintptr_t)&frame[2]);
	}
	assert_false(code_is_deopt(&code, begin + 20));
	assert_int_equal(code_original_place(&code, begin + 20, (uintptr_t)frame), 0);
	/* Not within the frame. */
	made.original_pc = FAKE_JAVA_WORDS * sizeof(uintptr_t);
	begin = fake_code_add(jvm, &made);
	assert_true(code_find(begin, &code));
	handler = fake_code_handler(&made, begin, false);
	assert_int_equal(code_original_place(&code, handler, (uintptr_t)frame), 0);
}

static int create(void **state)
{
	static int form;

	*state = fake_jvm_create((enum fake_form)(form++ % FAKE_FORMS));
	return *state ? 0 : -1;
}

static int destroy(void **state)
{
	fake_jvm_destroy(*state);
	return 0;
}

int main(void)
{
#define IN_ALL_FORMS(test)                                                                     \
	cmocka_unit_test_setup_teardown(test, create, destroy),                                \
		cmocka_unit_test_setup_teardown(test, create, destroy),                        \
		cmocka_unit_test_setup_teardown(test, create, destroy)
	const struct CMUnitTest tests[] = {
		IN_ALL_FORMS(test_find),
		IN_ALL_FORMS(test_nothing),
		IN_ALL_FORMS(test_kinds),
		IN_ALL_FORMS(test_half_made),
		IN_ALL_FORMS(test_short_map),
		IN_ALL_FORMS(test_scopes),
		IN_ALL_FORMS(test_empty),
		IN_ALL_FORMS(test_numbers),
		IN_ALL_FORMS(test_broken),
		IN_ALL_FORMS(test_deopt),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
