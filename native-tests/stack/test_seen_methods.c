/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * seen_methods: a number for each method, however often it is looked at and by how many threads; memory that became
 * another method's, or never was one's; and when there is no more room. source_lines, by those numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/stack/safe_read.h"
#include "agent/stack/source_lines.h"
#include "native-tests/stack/fake_jvm.h"

static struct fake_jvm *jvm;
static struct seen_methods *seen;

/* The JVM's guarded load, for tests that read nothing that is not there. */
static intptr_t plain_load(const intptr_t *at, intptr_t otherwise)
{
	return *at;
}

static const char *name_of(uint32_t number)
{
	static char text[256];
	struct seen_names names;

	if (!seen_method_names(seen, number, &names))
		return "none";
	snprintf(text, sizeof(text), "%.*s.%.*s%.*s", names.class_length, names.class_name,
		names.name_length, names.name, names.signature_length, names.signature);
	return text;
}

/* The symbols of a Method: of its class, 0; its name, 1; its signature, 2. */
static uintptr_t symbol_of(uintptr_t method, int which)
{
	const struct vm_layout *vm = &jvm->layout;
	uintptr_t constants = *(uintptr_t *)(method + vm->method_const);
	uintptr_t pool = *(uintptr_t *)(constants + vm->const_constants);

	if (which == 0)
		return *(uintptr_t *)(*(uintptr_t *)(pool + vm->pool_holder) + vm->klass_name);
	return ((uintptr_t *)(pool + vm->pool_bytes))[which];
}

static void set_random(uintptr_t symbol, uint16_t random)
{
	((uint16_t *)symbol)[1] = random;
}

/* ---- numbers ---- */

static void test_numbers(void **state)
{
	static const struct fake_method first = {"acme/A", "a", "()V", 100, NULL, NULL};
	static const struct fake_method second = {"acme/B$1", "<init>", "(I)V", 0, NULL, NULL};
	uintptr_t a = fake_method_add(jvm, &first), b = fake_method_add(jvm, &second);
	uint32_t number = seen_method(seen, a);
	struct seen_names names;

	assert_int_equal(number, 1);
	assert_int_equal(seen_method(seen, b), 2);
	assert_int_equal(seen_method(seen, a), number);
	assert_int_equal(seen_methods_end(seen), 3);
	assert_string_equal(name_of(1), "acme/A.a()V");
	assert_string_equal(name_of(2), "acme/B$1.<init>(I)V");
	assert_int_equal(seen_method_code_size(seen, 1), 100);
	assert_int_equal(seen_method_code_size(seen, 2), 0);
	assert_int_equal(seen_method_code(seen, 1),
		*(uintptr_t *)(a + jvm->layout.method_const) + jvm->layout.const_bytes);
	assert_true(seen_method_names(seen, 1, &names));
	assert_int_equal(names.flags, 1);
	assert_int_equal(names.method, a);
	assert_true(seen_method_is_there(seen, 1));
	assert_string_equal(name_of(3), "none");
	assert_int_equal(seen_methods_lost(seen), 0);
}

/* Its class was unloaded, and the memory is another method's; the first one's samples keep their name. */
static void test_replaced(void **state)
{
	static const struct fake_method first = {"acme/A", "a", "()V", 100, NULL, NULL};
	static const struct fake_method second = {"acme/A", "a", "()V", 50, NULL, NULL};
	uintptr_t a = fake_method_add(jvm, &first), constants;

	assert_int_equal(seen_method(seen, a), 1);
	fake_method_replace(jvm, a, &second);
	assert_false(seen_method_is_there(seen, 1));
	assert_int_equal(seen_method(seen, a), 2);
	assert_int_equal(seen_method(seen, a), 2);
	assert_int_equal(seen_method_code_size(seen, 1), 100);
	assert_int_equal(seen_method_code_size(seen, 2), 50);
	/* The same addresses, and other symbols there. */
	for (int i = 0; i < 3; i++) {
		set_random(symbol_of(a, i), 0x7777);
		assert_int_equal(seen_method(seen, a), 3 + i);
		assert_string_equal(name_of(3 + (uint32_t)i), "acme/A.a()V");
	}
	constants = *(uintptr_t *)(a + jvm->layout.method_const);
	*(uintptr_t *)(a + jvm->layout.method_const) = 0;
	assert_false(seen_method_is_there(seen, 5));
	assert_int_equal(seen_method(seen, a), 0);
	*(uintptr_t *)(a + jvm->layout.method_const) = constants;
	assert_int_equal(seen_method(seen, a), 5);
}

static void test_garbage(void **state)
{
	static const struct fake_method first = {"acme/A", "a", "()V", 100, NULL, NULL};
	static const uintptr_t words[] = {0, 1, 8, 4096, 4104, UINTPTR_MAX, UINTPTR_MAX - 7,
		(uintptr_t)1 << 63, (uintptr_t)1 << 47, 0xdeadbeefdeadbee8};
	uintptr_t a = fake_method_add(jvm, &first), method_const = a + jvm->layout.method_const;
	uintptr_t constants = *(uintptr_t *)method_const, bytes[32];

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		assert_int_equal(seen_method(seen, words[i]), 0);
	memset(bytes, 0x41, sizeof(bytes));
	assert_int_equal(seen_method(seen, (uintptr_t)bytes), 0);
	for (size_t i = 0; i < 32; i++)
		bytes[i] = (uintptr_t)bytes;
	assert_int_equal(seen_method(seen, (uintptr_t)bytes), 0);
	for (uintptr_t i = 1; i < 8; i++)
		assert_int_equal(seen_method(seen, a + i), 0);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		*(uintptr_t *)method_const = words[i];
		assert_int_equal(seen_method(seen, a), 0);
	}
	*(uintptr_t *)method_const = constants;
	assert_int_equal(seen_methods_end(seen), 1);
	assert_int_equal(seen_methods_lost(seen), 0);
	assert_int_equal(seen_method(seen, a), 1);
}

/* What could be a method by its pointers, and has names of 64 KB: however often it is seen, there is room
 * for those that are. */
static void test_no_names(void **state)
{
	static char text[65000];
	static const struct fake_method good = {"acme/A", "a", "()V", 100, NULL, NULL};
	struct fake_method bad = {text, "a", "XV)", 100, NULL, NULL};
	uintptr_t a;

	memset(text, 'x', sizeof(text) - 1);
	a = fake_method_add(jvm, &bad);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(seen_method(seen, a), 0);
	bad = (struct fake_method){"acme/A", "a", "()", 100, NULL, NULL};
	assert_int_equal(seen_method(seen, fake_method_add(jvm, &bad)), 0);
	bad = (struct fake_method){"acme/A", "", "()V", 100, NULL, NULL};
	assert_int_equal(seen_method(seen, fake_method_add(jvm, &bad)), 0);
	bad = (struct fake_method){"", "a", "()V", 100, NULL, NULL};
	assert_int_equal(seen_method(seen, fake_method_add(jvm, &bad)), 0);
	assert_int_equal(seen_methods_lost(seen), 0);
	assert_int_equal(seen_method(seen, fake_method_add(jvm, &good)), 1);
}

/* ---- no more room ---- */

static void test_full(void **state)
{
	static const struct fake_method first = {"acme/A", "a", "()V", 100, NULL, NULL};
	uintptr_t a = fake_method_add(jvm, &first), other;
	uint32_t number;

	safe_read_by(plain_load);
	for (uint32_t i = 1; i < SEEN_METHODS_MAX; i++) {
		set_random(symbol_of(a, 0), (uint16_t)i);
		set_random(symbol_of(a, 1), (uint16_t)(i >> 16));
		assert_int_equal(seen_method(seen, a), i);
	}
	assert_int_equal(seen_methods_lost(seen), 0);
	other = fake_method_add(jvm, &first);
	number = seen_method(seen, a);
	assert_int_equal(number, SEEN_METHODS_MAX - 1);
	for (int i = 1; i <= 5; i++) {
		assert_int_equal(seen_method(seen, other), 0);
		assert_int_equal(seen_methods_lost(seen), i);
	}
	assert_int_equal(seen_method(seen, a), number);
	assert_string_equal(name_of(number), "acme/A.a()V");
	assert_int_equal(seen_methods_end(seen), SEEN_METHODS_MAX);
	safe_read_by(NULL);
}

static void test_names_full(void **state)
{
	static char text[65000];
	const struct fake_method large = {text, "a", "()V", 100, NULL, NULL};
	static const struct fake_method small = {"acme/A", "a", "()V", 100, NULL, NULL};
	uintptr_t a;
	uint32_t number = 0, last;

	memset(text, 'x', sizeof(text) - 1);
	a = fake_method_add(jvm, &large);
	safe_read_by(plain_load);
	do {
		last = number;
		set_random(symbol_of(a, 1), (uint16_t)(last + 1000));
		number = seen_method(seen, a);
	} while (number > 0);
	assert_true(last > 300 && last < 400);
	assert_int_equal(seen_methods_lost(seen), 1);
	/* A small one has room. */
	assert_int_equal(seen_method(seen, fake_method_add(jvm, &small)), last + 1);
	assert_string_equal(name_of(last + 1), "acme/A.a()V");
	safe_read_by(NULL);
}

/* ---- many threads ---- */

enum { THREADS = 8, METHODS = 300, ROUNDS = 30 };

static uintptr_t many[METHODS];
static pthread_barrier_t barrier;

static void *look_at_all(void *place)
{
	size_t begin = (size_t)place;

	pthread_barrier_wait(&barrier);
	for (size_t i = 0; i < (size_t)METHODS * ROUNDS; i++) {
		uint32_t which = (uint32_t)((i + begin * 7) % METHODS);
		uint32_t number = seen_method(seen, many[which]);
		struct seen_names names;
		char expected[16];

		snprintf(expected, sizeof(expected), "m%u", which);
		if (number == 0 || !seen_method_names(seen, number, &names) ||
			names.name_length != strlen(expected) ||
			memcmp(names.name, expected, names.name_length) != 0)
			return "another method's name";
		if (seen_method_code_size(seen, number) != which)
			return "another method's size";
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t thread[THREADS];
	void *failure;
	uint32_t number[METHODS];

	for (int i = 0; i < METHODS; i++) {
		char name[16];
		const struct fake_method made = {
			"acme/A", name, "()V", (uint16_t)i, NULL, NULL};

		snprintf(name, sizeof(name), "m%d", i);
		many[i] = fake_method_add(jvm, &made);
	}
	safe_read_by(plain_load);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, look_at_all, (void *)i), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &failure);
		if (failure)
			fail_msg("%s", (const char *)failure);
	}
	pthread_barrier_destroy(&barrier);
	/* Some may have two numbers; from now on each has one. */
	assert_true(seen_methods_end(seen) <= THREADS * METHODS + 1);
	for (int i = 0; i < METHODS; i++)
		number[i] = seen_method(seen, many[i]);
	for (int i = 0; i < METHODS; i++)
		assert_int_equal(seen_method(seen, many[i]), number[i]);
	assert_int_equal(seen_methods_lost(seen), 0);
	safe_read_by(NULL);
}

/* ---- lines ---- */

static struct source_lines *lines_of(uintptr_t method)
{
	return source_lines_read(&jvm->layout, seen, seen_method(seen, method));
}

static void test_lines(void **state)
{
	/* In the order of the source and not; of numbers of one byte, of several; a line of two places. */
	static const struct fake_line table[] = {{0, 10}, {3, 11}, {3, 12}, {40, 12}, {100, 2},
		{90, 60000}, {65535, 65535}, {20, 13}, {0}};
	static const struct {
		int32_t bci;
		uint32_t line;
	} rows[] = {{0, 10}, {2, 10}, {3, 12}, {19, 12}, {20, 13}, {39, 13}, {40, 12}, {89, 12},
		{90, 60000}, {99, 60000}, {100, 2}, {65534, 2}, {65535, 65535}, {-1, 0}};
	const struct fake_method made = {"acme/A", "a", "()V", 200, "A.java", table};
	uintptr_t a = fake_method_add(jvm, &made);
	struct source_lines *lines = lines_of(a);
	char *file;

	assert_non_null(lines);
	assert_int_equal(lines->count, 8);
	for (uint32_t i = 0; i < lines->count; i++) {
		assert_int_equal(lines->row[i].bci, table[i].bci);
		assert_int_equal(lines->row[i].line, table[i].line);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(source_lines_at(lines, rows[i].bci), rows[i].line);
	free(lines);
	assert_int_equal(source_lines_at(NULL, 5), 0);
	file = source_file_read(&jvm->layout, seen, seen_method(seen, a));
	assert_string_equal(file, "A.java");
	free(file);
}

static void test_no_lines(void **state)
{
	static const struct fake_line table[] = {{0, 10}, {0}};
	const struct fake_method with = {"acme/A", "a", "()V", 200, "A.java", table};
	const struct fake_method without = {"acme/A", "b", "()V", 200, NULL, NULL};
	uintptr_t a = fake_method_add(jvm, &with), b = fake_method_add(jvm, &without);
	uint32_t number = seen_method(seen, a);
	struct source_lines *lines;
	uintptr_t size;

	assert_null(lines_of(b));
	assert_null(source_file_read(&jvm->layout, seen, seen_method(seen, b)));
	/* It is said to have some, and ends in front of them. */
	size = *(uintptr_t *)(a + jvm->layout.method_const) + jvm->layout.const_size;
	for (uint32_t words = 0; words < 10; words++) {
		*(uint32_t *)size = words;
		assert_null(lines_of(a));
	}
	/* Larger than any is: what is behind its lines does not matter, and may not be there. */
	*(uint32_t *)size = UINT32_MAX;
	lines = lines_of(a);
	assert_true(!lines || lines->count == 1);
	free(lines);
	/* The class is unloaded. */
	fake_method_replace(jvm, a, &with);
	assert_null(source_lines_read(&jvm->layout, seen, number));
	assert_null(source_file_read(&jvm->layout, seen, number));
}

/* Bytes that no compiler writes: rows that lead anywhere, and no end. */
static void test_broken_lines(void **state)
{
	static const struct fake_line table[] = {{0, 10}, {3, 11}, {30, 12}, {0}};
	const struct fake_method made = {"acme/A", "a", "()V", 8, "A.java", table};
	uintptr_t a = fake_method_add(jvm, &made);
	uint8_t *bytes = (uint8_t *)(*(uintptr_t *)(a + jvm->layout.method_const) +
				     jvm->layout.const_bytes + 8);

	for (unsigned value = 0; value < 256; value++) {
		struct source_lines *lines;

		memset(bytes, (int)value, 8);
		lines = lines_of(a);
		assert_non_null(lines);
		assert_true(lines->count <= 8);
		free(lines);
		bytes[0] = 0xff;
		free(lines_of(a));
	}
}

static int create(void **state)
{
	static int form;

	jvm = fake_jvm_create((enum fake_form)(form++ % FAKE_FORMS));
	seen = jvm ? seen_methods_create(&jvm->layout) : NULL;
	return seen ? 0 : -1;
}

static int destroy(void **state)
{
	seen_methods_destroy(seen);
	fake_jvm_destroy(jvm);
	return 0;
}

int main(void)
{
#define WITH_JVM(test)     cmocka_unit_test_setup_teardown(test, create, destroy)
#define IN_ALL_FORMS(test) WITH_JVM(test), WITH_JVM(test), WITH_JVM(test)
	const struct CMUnitTest tests[] = {
		IN_ALL_FORMS(test_numbers),
		IN_ALL_FORMS(test_replaced),
		IN_ALL_FORMS(test_garbage),
		WITH_JVM(test_no_names),
		WITH_JVM(test_full),
		WITH_JVM(test_names_full),
		IN_ALL_FORMS(test_threads),
		IN_ALL_FORMS(test_lines),
		IN_ALL_FORMS(test_no_lines),
		IN_ALL_FORMS(test_broken_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
