/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * test_call_choice: which methods become timed, and which counted: single turns, worked out by hand, and
 * programs that run for many turns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/methods/call_choice.h"

/* A turn of a second in which a timed call takes 100 ns: the budget, 10 %, is 1,000,000 calls. A timed method may have
 * 5,000 of them, a class that is rare 200, and all that become timed 5,000. */
enum { OF_ALL = 1000000, OF_METHOD = 5000, OF_CLASS = 200, OF_TURN = 5000 };

static const struct call_limits limits = {.call_ns = 100, .share = 0.1, .ns = 1000000000};

/* ---- one turn ---- */

enum { ROWS = 6 };

struct turn_case {
	unsigned line;
	uint64_t noted_calls, noted_ns;
	size_t changes;
	struct {
		const char *class_name; /* NULL: no more */
		enum call_kind kind;
		uint64_t timed, counted;
		uint32_t dear, rare; /* before */
		enum call_kind to;
		uint32_t new_dear, new_rare;
	} row[ROWS];
};

static const struct turn_case cases[] = {
	/* One that takes its part, and one that takes more. */
	{__LINE__, 0, 0, 1,
		{{"b.B", CALL_TIMED, 5000, 0, 0, 0, CALL_TIMED, 0, 0},
			{"a.A", CALL_TIMED, 5001, 0, 0, 0, CALL_DEAR, 1, 0}}},
	/* Each within its part, together 20 % over what threads have: the dearest is enough. */
	{__LINE__, 12000, 10000000, 1,
		{{"a.A", CALL_TIMED, 2500, 0, 0, 0, CALL_TIMED, 0, 0},
			{"b.B", CALL_TIMED, 3000, 0, 0, 0, CALL_TIMED, 0, 0},
			{"c.C", CALL_TIMED, 4000, 0, 0, 0, CALL_DEAR, 1, 0},
			{"d.D", CALL_TIMED, 2500, 0, 0, 0, CALL_TIMED, 0, 0}}},
	/* 140 % over: 12,000 - 4,000 - 3,000 calls are within it. */
	{__LINE__, 12000, 5000000, 2,
		{{"a.A", CALL_TIMED, 2500, 0, 0, 0, CALL_TIMED, 0, 0},
			{"b.B", CALL_TIMED, 3000, 0, 0, 0, CALL_DEAR, 1, 0},
			{"c.C", CALL_TIMED, 4000, 0, 0, 0, CALL_DEAR, 1, 0},
			{"d.D", CALL_TIMED, 2500, 0, 0, 0, CALL_TIMED, 0, 0}}},
	/* One that takes more than its part goes, though the rest is within the budget; the next is not needed. */
	{__LINE__, 9000, 1000000000, 1,
		{{"a.A", CALL_TIMED, 6000, 0, 0, 0, CALL_DEAR, 1, 0},
			{"b.B", CALL_TIMED, 3000, 0, 0, 0, CALL_TIMED, 0, 0}}},
	/* All of them, however rare: threads have no time for any. */
	{__LINE__, 30, 1, 2,
		{{"a.A", CALL_TIMED, 20, 0, 0, 7, CALL_DEAR, 1, 0},
			{"b.B", CALL_TIMED, 10, 0, 3, 7, CALL_DEAR, 4, 0}}},
	/* A dear one that is timed still is changed once more, and does not become dear again. */
	{__LINE__, 0, 0, 1, {{"a.A", CALL_DEAR, 9000, 0, 2, 5, CALL_DEAR, 2, 0}}},

	/* A class with 200 calls: those that were called and are not small. */
	{__LINE__, 0, 0, 1,
		{{"a.A", CALL_COUNTED, 0, 100, 0, 0, CALL_TIMED, 0, 1},
			{"a.A", CALL_SMALL, 0, 50, 0, 0, CALL_SMALL, 0, 1},
			{"a.A", CALL_COUNTED, 0, 0, 0, 0, CALL_COUNTED, 0, 1},
			{"a.A", CALL_TIMED, 49, 1, 0, 0, CALL_TIMED, 0, 1}}},
	/* One call more. */
	{__LINE__, 0, 0, 0,
		{{"a.A", CALL_COUNTED, 0, 101, 0, 0, CALL_COUNTED, 0, 0},
			{"a.A", CALL_SMALL, 0, 50, 0, 0, CALL_SMALL, 0, 0},
			{"a.A", CALL_TIMED, 50, 0, 0, 0, CALL_TIMED, 0, 0}}},
	/* Of a class with a hot method none becomes timed, whatever kind the hot one is of; another class's do. */
	{__LINE__, 0, 0, 1,
		{{"a.Hot", CALL_COUNTED, 0, 1, 0, 9, CALL_COUNTED, 0, 0},
			{"a.Hot", CALL_SMALL, 0, 100000000, 0, 0, CALL_SMALL, 0, 0},
			{"a.Hotter", CALL_COUNTED, 0, 1, 0, 0, CALL_TIMED, 0, 1},
			{"b.Hot", CALL_COUNTED, 0, 1, 0, 0, CALL_COUNTED, 0, 0},
			{"b.Hot", CALL_COUNTED, 0, 100000000, 0, 0, CALL_COUNTED, 0, 0}}},
	{__LINE__, 0, 0, 1,
		{{"a.Hot", CALL_COUNTED, 0, 1, 0, 0, CALL_COUNTED, 0, 0},
			{"a.Hot", CALL_TIMED, 5001, 0, 0, 0, CALL_DEAR, 1, 0}}},

	/* The first time four turns in a row, then sixteen, at the eighth no more. */
	{__LINE__, 0, 0, 0, {{"a.A", CALL_DEAR, 0, 10, 1, 2, CALL_DEAR, 1, 3}}},
	{__LINE__, 0, 0, 1, {{"a.A", CALL_DEAR, 0, 10, 1, 3, CALL_TIMED, 1, 4}}},
	{__LINE__, 0, 0, 0, {{"a.A", CALL_DEAR, 0, 10, 2, 14, CALL_DEAR, 2, 15}}},
	{__LINE__, 0, 0, 1, {{"a.A", CALL_DEAR, 0, 10, 2, 15, CALL_TIMED, 2, 16}}},
	{__LINE__, 0, 0, 0, {{"a.A", CALL_DEAR, 0, 10, 7, 16382, CALL_DEAR, 7, 16383}}},
	{__LINE__, 0, 0, 1, {{"a.A", CALL_DEAR, 0, 10, 7, 16383, CALL_TIMED, 7, 16384}}},
	{__LINE__, 0, 0, 0, {{"a.A", CALL_DEAR, 0, 10, 8, 1000000, CALL_DEAR, 8, 1000001}}},
	/* In a row: the class was not rare. */
	{__LINE__, 0, 0, 0,
		{{"a.A", CALL_DEAR, 0, 10, 1, 3, CALL_DEAR, 1, 0},
			{"a.A", CALL_SMALL, 0, 191, 0, 0, CALL_SMALL, 0, 0}}},
	/* Those of its class do not wait for it. */
	{__LINE__, 0, 0, 1,
		{{"a.A", CALL_DEAR, 0, 10, 1, 0, CALL_DEAR, 1, 1},
			{"a.A", CALL_COUNTED, 0, 10, 0, 0, CALL_TIMED, 0, 1}}},

	/* What is not left open stays, however often it is called. */
	{__LINE__, 100000, 1, 0,
		{{"a.A", CALL_UNSEEN, 100000, 0, 0, 0, CALL_UNSEEN, 0, 0},
			{"b.B", CALL_UNSEEN, 0, 1, 0, 0, CALL_UNSEEN, 0, 1},
			{"c.C", CALL_UNSEEN, 0, 1, 1, 100, CALL_UNSEEN, 1, 101}}},
	{__LINE__, 100, 1, 0, {{.class_name = NULL}}},
};

static size_t fill(const struct turn_case *c, struct call_turn *turn)
{
	size_t count = 0;

	for (; count < ROWS && c->row[count].class_name; count++)
		turn[count] = (struct call_turn){.method = (uint32_t)count,
			.class_name = c->row[count].class_name,
			.kind = c->row[count].kind,
			.timed = c->row[count].timed,
			.counted = c->row[count].counted,
			.dear = c->row[count].dear,
			.rare = c->row[count].rare};
	return count;
}

static void test_turns(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct turn_case *c = &cases[i];
		struct call_limits noted = limits;
		struct call_turn turn[ROWS];
		size_t count = fill(c, turn), changes;

		noted.noted_calls = c->noted_calls;
		noted.noted_ns = c->noted_ns;
		changes = call_choose(turn, count, &noted);
		if (changes != c->changes)
			fail_msg("line %u: %zu changes", c->line, changes);
		for (size_t k = 0; k < count; k++) {
			uint32_t row = turn[k].method;

			if (k > 0 && strcmp(turn[k - 1].class_name, turn[k].class_name) > 0)
				fail_msg("line %u: classes are not in order", c->line);
			if (turn[k].to != c->row[row].to)
				fail_msg("line %u, row %u: kind %d", c->line, row, turn[k].to);
			if (turn[k].dear != c->row[row].new_dear ||
				turn[k].rare != c->row[row].new_rare)
				fail_msg("line %u, row %u: dear %u, rare %u", c->line, row,
					turn[k].dear, turn[k].rare);
		}
	}
}

/* ---- all that become timed in a turn ---- */

enum { CLASSES = 400 };

static char class_name[CLASSES][16];

/* A method in each class, in the order of their names. */
static void fill_classes(struct call_turn *turn, enum call_kind kind, uint64_t counted)
{
	for (uint32_t i = 0; i < CLASSES; i++) {
		snprintf(class_name[i], sizeof(class_name[i]), "a.C%03u", i);
		turn[i] = (struct call_turn){.method = i,
			.class_name = class_name[i],
			.kind = kind,
			.counted = counted};
	}
}

static void test_total(void **state)
{
	static struct call_turn turn[CLASSES];
	enum { FIT = OF_TURN / OF_CLASS };

	fill_classes(turn, CALL_COUNTED, OF_CLASS);
	assert_int_equal(call_choose(turn, CLASSES, &limits), FIT);
	for (uint32_t i = 0; i < CLASSES; i++) {
		assert_int_equal(turn[i].to, i < FIT ? CALL_TIMED : CALL_COUNTED);
		assert_int_equal(turn[i].rare, 1);
	}
	/* One that takes less has room where another has none. */
	fill_classes(turn, CALL_COUNTED, OF_CLASS);
	turn[0].counted = OF_CLASS / 2;
	turn[CLASSES - 1].counted = OF_CLASS / 2;
	assert_int_equal(call_choose(turn, CLASSES, &limits), FIT + 1);
	assert_int_equal(turn[FIT - 1].to, CALL_TIMED);
	assert_int_equal(turn[FIT].to, CALL_COUNTED);
	assert_int_equal(turn[CLASSES - 1].to, CALL_TIMED);
}

/* Calls of classes that stay as they are are not among those that become timed. */
static void test_total_of_others(void **state)
{
	static const enum call_kind kinds[] = {CALL_SMALL, CALL_TIMED, CALL_DEAR, CALL_UNSEEN};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		static struct call_turn turn[CLASSES];

		fill_classes(turn, kinds[i], OF_CLASS);
		for (size_t k = 0; kinds[i] == CALL_DEAR && k < CLASSES; k++)
			turn[k].dear = 1;
		turn[CLASSES - 1].kind = CALL_COUNTED;
		assert_int_equal(call_choose(turn, CLASSES, &limits), 1);
		assert_int_equal(turn[CLASSES - 1].to, CALL_TIMED);
	}
}

/* ---- programs ---- */

/* Numbers that are the same in every run (xorshift32). */
static uint32_t next_random(uint32_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 17;
	*random ^= *random << 5;
	return *random;
}

enum { METHODS = 600 };

struct method {
	char class_name[16];
	enum call_kind kind;
	uint64_t calls; /* in a turn */
	uint32_t dear, rare;
	unsigned changes;
};

/* One thread runs all of it. In the order of methods. Returns how many changed. */
static size_t run_turn(struct method *method, size_t count)
{
	static struct call_turn turn[METHODS];
	struct call_limits noted = limits;
	uint64_t timed = 0;
	size_t called = 0, changes;

	for (size_t i = 0; i < count; i++)
		if (method[i].kind == CALL_TIMED)
			timed += method[i].calls;
	/* Only where they take a tenth of the budget (call_budget.c). */
	if (timed > OF_ALL / 10) {
		noted.noted_calls = timed;
		noted.noted_ns = limits.ns;
	}
	for (size_t i = 0; i < count; i++) {
		bool is_timed = method[i].kind == CALL_TIMED;
		struct call_turn one = {.method = (uint32_t)i,
			.class_name = method[i].class_name,
			.kind = method[i].kind,
			.timed = is_timed && noted.noted_calls ? method[i].calls : 0,
			.counted = is_timed ? 0 : method[i].calls,
			.dear = method[i].dear,
			.rare = method[i].rare};

		if (one.timed + one.counted > 0)
			turn[called++] = one;
	}
	changes = call_choose(turn, called, &noted);
	for (size_t i = 0; i < called; i++) {
		struct method *one = &method[turn[i].method];

		one->changes += turn[i].to != one->kind;
		one->kind = turn[i].to;
		one->dear = turn[i].dear;
		one->rare = turn[i].rare;
	}
	return changes;
}

/* Six methods a class. Of ten classes one is hot, the others have as many calls as chance has it, up to 300; a third
 * of the methods is small, and one in twenty large. */
static void make_program(struct method *method, uint32_t random)
{
	memset(method, 0, METHODS * sizeof(*method));
	for (uint32_t i = 0; i < METHODS; i++) {
		uint32_t class = i / 6, kind = next_random(&random) % 20;

		snprintf(method[i].class_name, sizeof(method[i].class_name), "p.C%u", class);
		method[i].kind = kind < 7 ? CALL_SMALL : kind < 19 ? CALL_COUNTED : CALL_TIMED;
		method[i].calls = next_random(&random) % 50;
		if (class % 10 == 0)
			method[i].calls += 1 << (10 + next_random(&random) % 10);
	}
}

/* After some turns, in each of which a part becomes timed, nothing changes, for a thousand. */
static void test_steady(void **state)
{
	static struct method method[METHODS];

	make_program(method, 12345);
	for (int turn = 0; turn < 20; turn++)
		run_turn(method, METHODS);
	for (int turn = 0; turn < 1000; turn++)
		assert_int_equal(run_turn(method, METHODS), 0);
	for (size_t i = 0; i < METHODS; i++) {
		assert_true(method[i].changes <= 2);
		if (method[i].calls > OF_ALL / 10)
			assert_int_not_equal(method[i].kind, CALL_TIMED);
		if (method[i].kind == CALL_SMALL)
			assert_int_equal(method[i].changes, 0);
	}
}

/* Each within its part: some become timed in each turn, all of them once. */
static void test_one_by_one(void **state)
{
	static struct method method[METHODS];
	enum { FIT = OF_TURN / OF_CLASS };

	for (uint32_t i = 0; i < METHODS; i++) {
		method[i] = (struct method){.kind = CALL_COUNTED, .calls = OF_CLASS};
		snprintf(method[i].class_name, sizeof(method[i].class_name), "p.C%u", i);
	}
	for (int turn = 0; turn < METHODS / FIT; turn++)
		assert_int_equal(run_turn(method, METHODS), FIT);
	for (int turn = 0; turn < 100; turn++)
		assert_int_equal(run_turn(method, METHODS), 0);
}

/* Busy and quiet, by turns: it is timed once. */
static void test_alternating(void **state)
{
	static const enum call_kind kinds[] = {CALL_COUNTED, CALL_TIMED};

	for (size_t i = 0; i < 2; i++) {
		for (uint32_t first = 0; first < 2; first++) {
			struct method method = {"p.C", .kind = kinds[i]};

			for (uint32_t turn = 0; turn < 1000; turn++) {
				method.calls = (turn + first) % 2 ? 10 * OF_ALL : 10;
				run_turn(&method, 1);
			}
			assert_int_equal(method.kind, CALL_DEAR);
			assert_int_equal(method.dear, 1);
			assert_true(method.changes <= 2);
		}
	}
}

/* The worst there is, busy when it is timed and quiet when it is not: timed after 1, 4, 16, 64 and 256 turns. */
static void test_worst(void **state)
{
	struct method method = {"p.C", .kind = CALL_COUNTED};
	unsigned timed_turns = 0, waited = 0, after[8] = {0};

	for (uint32_t turn = 0; turn < 1000; turn++) {
		bool is_timed = method.kind == CALL_TIMED;

		method.calls = is_timed ? OF_ALL : 10;
		if (is_timed) {
			assert_true(timed_turns < 8);
			after[timed_turns++] = waited;
			waited = 0;
		} else {
			waited++;
		}
		run_turn(&method, 1);
	}
	assert_int_equal(timed_turns, 5);
	for (unsigned i = 0; i < timed_turns; i++)
		assert_int_equal(after[i], 1 << 2 * i);
	assert_int_equal(method.changes, 10);
}

/* ---- noise ---- */

static uint64_t noisy(uint64_t calls, uint32_t *random)
{
	double noise = (double)(next_random(random) % 2001) / 1000 - 1; /* -1 to 1 */

	return (uint64_t)((double)calls * (1 + 0.05 * noise) + 0.5);
}

static void run_noisy(struct method *method, const struct method *program, uint32_t random)
{
	memcpy(method, program, METHODS * sizeof(*method));
	for (int turn = 0; turn < 20; turn++) {
		for (size_t i = 0; i < METHODS; i++)
			method[i].calls = noisy(program[i].calls, &random);
		run_turn(method, METHODS);
	}
}

static bool is_near(uint64_t calls, uint64_t limit)
{
	return calls * 10 > limit * 9 && calls * 10 < limit * 11;
}

static uint64_t class_calls(const struct method *program, size_t method)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < METHODS; i++)
		if (strcmp(program[i].class_name, program[method].class_name) == 0)
			calls += program[i].calls;
	return calls;
}

/* Runs of the same program differ in those methods alone for which a limit is as near as the noise is large. */
static void test_noise(void **state)
{
	static struct method program[METHODS], one[METHODS], other[METHODS];
	unsigned near = 0, timed = 0;

	make_program(program, 777);
	for (uint32_t run = 1; run <= 20; run++) {
		run_noisy(one, program, run);
		run_noisy(other, program, run + 1000);
		for (size_t i = 0; i < METHODS; i++) {
			if (is_near(program[i].calls, OF_METHOD) ||
				is_near(class_calls(program, i), OF_CLASS)) {
				near++;
				continue;
			}
			if (one[i].kind != other[i].kind)
				fail_msg("run %u, method %zu, %d calls: %d, %d", run, i,
					(int)program[i].calls, one[i].kind, other[i].kind);
			timed += one[i].kind == CALL_TIMED;
		}
	}
	assert_in_range(timed, 20 * METHODS / 4, 20 * METHODS);
	assert_true(near <= 20 * METHODS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_total),
		cmocka_unit_test(test_total_of_others),
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_one_by_one),
		cmocka_unit_test(test_alternating),
		cmocka_unit_test(test_worst),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
