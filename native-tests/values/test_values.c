/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* values: numbers of texts, their bounds, and many threads at once. What is right is worked out by the test itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/lock/lock.h"
#include "agent/values/value_text.h"
#include "agent/values/values.h"

static int forget(void **state)
{
	values_forget();
	values_bound(VALUES_BYTES, VALUES_LENGTH);
	return 0;
}

static void check_text(uint32_t number, uint32_t parameter, const char *text, size_t length)
{
	struct value value = value_get(number);

	assert_int_equal(value.kind, VALUE_TEXT);
	assert_int_equal(value.parameter, parameter);
	assert_int_equal(value.length, length);
	if (length > 0)
		assert_memory_equal(value.text, text, length);
}

static void test_parameters(void **state)
{
	uint32_t first = parameter_make("user", false, KEEP_PLAIN, 10);
	uint32_t tag = parameter_make("user", true, KEEP_HASH, 20);
	struct parameter is;

	assert_int_equal(first, 1);
	assert_int_equal(tag, 2);
	assert_int_equal(parameters_count(), 2);
	/* The same again: the first one's. */
	assert_int_equal(parameter_make("user", true, KEEP_PLAIN, 5), tag);
	is = parameter_get(tag);
	assert_string_equal(is.name, "user");
	assert_true(is.is_tag);
	assert_int_equal(is.keep, KEEP_HASH);
	assert_int_equal(is.limit, 20);

	assert_int_equal(value_get(value_others(tag)).kind, VALUE_OTHERS);
	assert_int_equal(value_get(value_others(tag)).parameter, tag);
	assert_int_equal(value_get(value_null(first)).kind, VALUE_NULL);
	assert_int_equal(value_get(value_null(first)).parameter, first);
	assert_int_equal(values_count(), 4);
}

static void test_any_bytes(void **state)
{
	static const struct {
		int line;
		const char *text;
		size_t length;
	} rows[] = {
		{__LINE__, "", 0},
		{__LINE__, "\0", 1},
		{__LINE__, "\0\0", 2},
		{__LINE__, "a\0b", 3},
		{__LINE__, "a\0c", 3},
		{__LINE__, "a", 1},
		{__LINE__, "\xff\xfe\x80", 3},
		{__LINE__, "\xc3", 1},
		{__LINE__, "\x1b]0;title\x07\r\n", 12},
		{__LINE__, "\xed\xa0\x80", 3},
		{__LINE__, "(others)", 8},
		{__LINE__, "null", 4},
		{__LINE__, "0123456789abcdef", 16},
		{__LINE__, "0123456789abcdefg", 17},
		{__LINE__, "0123456789abcdeg", 16},
	};
	enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
	uint32_t parameter[2] = {parameter_make("a", false, KEEP_PLAIN, 100),
		parameter_make("b", false, KEEP_PLAIN, 100)};
	uint32_t number[2][ROWS];

	for (size_t i = 0; i < 2 * ROWS; i++)
		number[i % 2][i / 2] =
			value_of(parameter[i % 2], rows[i / 2].text, rows[i / 2].length);
	assert_int_equal(values_count(), 4 + 2 * ROWS);
	for (size_t i = 0; i < ROWS; i++)
		for (size_t p = 0; p < 2; p++) {
			if (value_of(parameter[p], rows[i].text, rows[i].length) !=
				number[p][i])
				fail_msg("row of line %d has two values", rows[i].line);
			check_text(number[p][i], parameter[p], rows[i].text, rows[i].length);
			for (size_t j = 0; j < i; j++)
				assert_int_not_equal(number[p][i], number[p][j]);
		}
	assert_int_equal(values_count(), 4 + 2 * ROWS);
}

/* Of every length, and with one bit changed at each place: other texts, other values. */
static void test_lengths(void **state)
{
	uint32_t parameter = parameter_make("p", false, KEEP_PLAIN, 100000), known = 0;
	char text[200];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 31 + 7);
	for (size_t length = 1; length <= sizeof(text); length += length < 40 ? 1 : 13) {
		uint32_t whole = value_of(parameter, text, length);

		check_text(whole, parameter, text, length);
		for (size_t at = 0; at < length; at++) {
			uint32_t other;

			text[at] ^= 1;
			other = value_of(parameter, text, length);
			assert_int_not_equal(other, whole);
			check_text(other, parameter, text, length);
			text[at] ^= 1;
			known++;
		}
		known++;
		assert_int_equal(value_of(parameter, text, length), whole);
	}
	assert_int_equal(values_count(), 2 + known);
}

static void test_cut(void **state)
{
	static const char text[] = "0123456789ABCDEF";
	uint32_t parameter, a, b;

	values_bound(VALUES_BYTES, 10);
	parameter = parameter_make("p", false, KEEP_PLAIN, 100);
	a = value_of(parameter, text, 11);
	check_text(a, parameter, "0123456...", 10);
	/* Behind the cut. */
	b = value_of(parameter, text, 16);
	assert_int_equal(a, b);
	/* What looks like one that was cut is the same text. */
	assert_int_equal(value_of(parameter, "0123456...", 10), a);
	assert_int_not_equal(value_of(parameter, text, 10), a);
	check_text(value_of(parameter, text, 10), parameter, text, 10);
}

static void test_keeps(void **state)
{
	uint32_t shape = parameter_make("sql", false, KEEP_SHAPE, 100);
	uint32_t own = parameter_make("auto", false, KEEP_AUTO, 100);
	uint32_t hash = parameter_make("hash", true, KEEP_HASH, 100);
	uint32_t a = value_of(shape, "select 1", 8), b;

	check_text(a, shape, "select ?", 8);
	/* Others of the same shape, twice each: looked through, and known. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(value_of(shape, "select 2", 8), a);
		assert_int_equal(value_of(shape, "select ?", 8), a);
		check_text(value_of(own, "select 2", 8), own, "select ?", 8);
		check_text(value_of(own, "order 2", 7), own, "order 2", 7);
	}
	a = value_of(hash, "alice", 5);
	b = value_of(hash, "bob", 3);
	assert_int_not_equal(a, b);
	assert_int_equal(value_of(hash, "alice", 5), a);
	assert_int_equal(value_get(a).length, 17);
	assert_int_equal(value_get(a).text[0], '#');
	assert_int_equal(strspn(value_get(a).text + 1, "0123456789abcdef") >= 16, 1);
}

/* A million distinct ones for a limit of 10,000; each of the first keeps its number. */
static void test_limit(void **state)
{
	enum { LIMIT = 10000, MANY = 1000000 };
	uint32_t parameter = parameter_make("p", false, KEEP_PLAIN, LIMIT);
	uint32_t other = parameter_make("q", false, KEEP_PLAIN, 1);
	uint32_t *number = calloc(LIMIT, sizeof(*number));
	char text[32];

	assert_non_null(number);
	for (uint32_t i = 0; i < MANY; i++) {
		size_t length = (size_t)snprintf(text, sizeof(text), "value %u", i);
		uint32_t value = value_of(parameter, text, length);

		if (i < LIMIT)
			number[i] = value;
		else
			assert_int_equal(value, value_others(parameter));
	}
	assert_int_equal(values_count(), 4 + LIMIT);
	for (uint32_t i = 0; i < LIMIT; i++) {
		size_t length = (size_t)snprintf(text, sizeof(text), "value %u", i);

		assert_int_equal(value_of(parameter, text, length), number[i]);
		check_text(number[i], parameter, text, length);
	}
	/* The limit is each parameter's own. */
	check_text(value_of(other, "x", 1), other, "x", 1);
	assert_int_equal(value_of(other, "y", 1), value_others(other));
	assert_true(values_bytes() < 2000000);
	free(number);
}

static void test_bytes(void **state)
{
	enum { BOUND = 1 << 20 };
	uint32_t parameter, values = 0;
	char text[200] = {0};

	values_bound(BOUND, sizeof(text));
	parameter = parameter_make("p", false, KEEP_PLAIN, 1000000);
	for (uint32_t i = 0; i < 100000; i++) {
		memcpy(text, &i, sizeof(i));
		values += value_of(parameter, text, sizeof(text)) != value_others(parameter);
	}
	assert_true(values_bytes() <= BOUND);
	/* Texts, and rows and slots of tables for them. */
	assert_in_range(values, BOUND / 400, BOUND / 200);
	/* Those that there are stay; parameters can be made still. */
	memset(text, 0, 4);
	check_text(value_of(parameter, text, sizeof(text)), parameter, text, sizeof(text));
	assert_int_not_equal(parameter_make("more", false, KEEP_PLAIN, 1), 0);
}

static void test_many_parameters(void **state)
{
	char name[32];

	for (int i = 0; i < PARAMETERS_MAX; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		assert_int_equal(
			parameter_make(name, i < TAG_KEYS_MAX, KEEP_PLAIN, 1), (uint32_t)i + 1);
		if (i == TAG_KEYS_MAX)
			assert_int_equal(parameter_make("tag", true, KEEP_PLAIN, 1), 0);
	}
	assert_int_equal(parameter_make("one more", false, KEEP_PLAIN, 1), 0);
	assert_int_equal(parameter_make("p17", true, KEEP_PLAIN, 1), 18);
}

static void test_forget(void **state)
{
	uint32_t parameter = parameter_make("p", false, KEEP_SHAPE, 10);

	value_of(parameter, "select 1", 8);
	value_of(parameter, "select x", 8);
	values_forget();
	assert_int_equal(values_count(), 0);
	assert_int_equal(parameters_count(), 0);
	assert_int_equal(values_bytes(), 0);
	parameter = parameter_make("q", false, KEEP_SHAPE, 10);
	assert_int_equal(parameter, 1);
	check_text(value_of(parameter, "select x", 8), 1, "select x", 8);
	assert_int_equal(values_count(), 3);
}

static void test_errno(void **state)
{
	uint32_t parameter;

	errno = 4711;
	parameter = parameter_make("p", false, KEEP_HASH, 10);
	value_of(parameter, "a", 1);
	assert_int_equal(errno, 4711);
}

enum { THREADS = 64, TEXTS = 3000 };

struct work {
	uint32_t parameter[3], seed;
	uint32_t number[3][TEXTS];
};

static size_t text_of(uint32_t i, char text[64])
{
	return (size_t)snprintf(
		text, 64, i % 2 ? "select %c%u" : "%c text %u", 'a' + i % 26, i);
}

/* All texts of three parameters, each thread in an order of its own. */
static void *intern(void *data)
{
	struct work *work = data;
	char text[64];

	for (uint32_t i = 0; i < TEXTS; i++) {
		/* TEXTS has no factor 7 or 11: every index once. */
		uint32_t at = (i * (work->seed % 2 ? 7 : 11) + work->seed * 131) % TEXTS;

		for (int p = 0; p < 3; p++)
			work->number[p][at] =
				value_of(work->parameter[p], text, text_of(at, text));
	}
	return NULL;
}

/* While others add: all that is counted can be read. */
static void *look(void *data)
{
	_Atomic bool *end = data;
	uint64_t bytes = 0;

	while (!*end)
		for (uint32_t i = 1, count = values_count(); i <= count; i++) {
			struct value value = value_get(i);

			assert_in_range(value.parameter, 1, parameters_count());
			for (uint32_t b = 0; b < value.length; b++)
				bytes += (unsigned char)value.text[b];
		}
	return (void *)(uintptr_t)(bytes & 1);
}

static void test_threads(void **state)
{
	static struct work work[THREADS];
	static _Atomic bool end;
	pthread_t thread[THREADS], reader;
	uint32_t parameter[3] = {parameter_make("plain", false, KEEP_PLAIN, TEXTS),
		parameter_make("auto", false, KEEP_AUTO, TEXTS),
		parameter_make("few", true, KEEP_PLAIN, 100)};
	uint32_t few = 0;
	char text[64];

	assert_int_equal(pthread_create(&reader, NULL, look, &end), 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		memcpy(work[i].parameter, parameter, sizeof(parameter));
		work[i].seed = i;
		assert_int_equal(pthread_create(&thread[i], NULL, intern, &work[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	end = true;
	pthread_join(reader, NULL);

	for (uint32_t at = 0; at < TEXTS; at++) {
		size_t length = text_of(at, text);

		for (int i = 1; i < THREADS; i++)
			for (int p = 0; p < 2; p++)
				assert_int_equal(work[i].number[p][at], work[0].number[p][at]);
		check_text(work[0].number[0][at], parameter[0], text, length);
	}
	/* Of the third one 100 texts have a value, each the same for all who found it so. */
	for (uint32_t at = 0; at < TEXTS; at++) {
		uint32_t value = value_of(parameter[2], text, text_of(at, text));

		few += value != value_others(parameter[2]);
		for (int i = 0; i < THREADS; i++)
			assert_true(work[i].number[2][at] == value ||
				    work[i].number[2][at] == value_others(parameter[2]));
	}
	assert_int_equal(few, 100);
	assert_int_equal(lock_violations(), 0);
}

enum { MAKERS = 16, NAMES = 500 };

static void *make_parameters(void *data)
{
	uint32_t *number = data;
	char name[16];

	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		number[i] = parameter_make(name, false, KEEP_PLAIN, 10);
	}
	return NULL;
}

/* All at once make the same ones: a name has one number, whoever was first. */
static void test_making(void **state)
{
	static uint32_t number[MAKERS][NAMES];
	pthread_t thread[MAKERS];
	char name[16];

	for (int t = 0; t < MAKERS; t++)
		assert_int_equal(
			pthread_create(&thread[t], NULL, make_parameters, number[t]), 0);
	for (int t = 0; t < MAKERS; t++)
		pthread_join(thread[t], NULL);
	assert_int_equal(parameters_count(), NAMES);
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		for (int t = 0; t < MAKERS; t++)
			assert_int_equal(number[t][i], number[0][i]);
		assert_string_equal(parameter_get(number[0][i]).name, name);
	}
	assert_int_equal(lock_violations(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_parameters, forget),
		cmocka_unit_test_teardown(test_any_bytes, forget),
		cmocka_unit_test_teardown(test_lengths, forget),
		cmocka_unit_test_teardown(test_cut, forget),
		cmocka_unit_test_teardown(test_keeps, forget),
		cmocka_unit_test_teardown(test_limit, forget),
		cmocka_unit_test_teardown(test_bytes, forget),
		cmocka_unit_test_teardown(test_many_parameters, forget),
		cmocka_unit_test_teardown(test_forget, forget),
		cmocka_unit_test_teardown(test_errno, forget),
		cmocka_unit_test_teardown(test_threads, forget),
		cmocka_unit_test_teardown(test_making, forget),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
