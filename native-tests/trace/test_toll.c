/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_toll: methods' tolls are in proportion to their calls, and nothing is noted of threads that call little. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/trace/toll.h"
#include "metric/clock.h"

/* A call that costs a second is above the share wherever a thread is. */
static const double dear_ns = 1e9, share = 0.1;

static const uint64_t second = 1000000000;

enum { HOT = 7, RARE = 8 };

/* As a thread does it at each timed call (context_enter). */
static void call(struct toll_turn *turn, uint32_t method)
{
	if (--turn->left == 0)
		toll_note(turn, method);
}

/* A thread behind its first look. What comes by chance is the same in every run. */
static struct toll_turn begin(uint32_t random)
{
	struct toll_turn turn = toll_first();

	call(&turn, HOT);
	turn.random = random;
	return turn;
}

static void forget(void)
{
	toll_take();
	toll_take_of(HOT);
	toll_take_of(RARE);
}

/* One in so many calls is of the rare method, in turns. */
static void check_proportion(unsigned rare)
{
	enum { CALLS = 20000000 };
	struct toll_turn turn = begin(rare);
	uint64_t before = turn.at, looks = 0;
	double part = 1.0 / rare, of_rare, of_hot, deviation;
	struct toll_sum sum;

	for (unsigned i = 0; i < CALLS; i++) {
		looks += turn.left == 1;
		call(&turn, i % rare == 0 ? RARE : HOT);
	}
	sum = toll_take();
	/* Each call up to the last look is in one of them, and all the time until then. */
	assert_int_equal(sum.calls, CALLS - (turn.period - turn.left));
	assert_int_equal(sum.ns, turn.at - before);
	of_rare = toll_take_of(RARE);
	of_hot = toll_take_of(HOT);
	assert_true(of_rare + of_hot == (double)sum.calls);
	/* The rare one's looks are of a binomial distribution; by how much the periods differ makes it a little wider. */
	deviation = sqrt(part * (1 - part) / (double)looks * 13 / 12);
	if (fabs(of_rare / (double)sum.calls - part) > 4 * deviation)
		fail_msg("one in %u: %g of %g, %g each way", rare, of_rare, (double)sum.calls,
			deviation * (double)sum.calls);
}

/* Also where the turns of the program are those of the looks. */
static void tolls_are_in_proportion_to_calls(void **state)
{
	static const unsigned rare[] = {2, 3, 16, 100, 512, 1000};

	toll_begin(dear_ns, share);
	forget();
	for (size_t i = 0; i < sizeof(rare) / sizeof(*rare); i++)
		check_proportion(rare[i]);
}

/* A thread of some hundred calls is noted, too; later a look is at each 512th. */
static void looks_become_rare(void **state)
{
	enum { MANY = 10000000 };
	struct toll_turn turn;
	unsigned looks = 0, early = 0;

	toll_begin(dear_ns, share);
	turn = begin(99);
	for (unsigned i = 0; i < MANY; i++) {
		looks += turn.left == 1;
		early += turn.left == 1 && i < 500;
		call(&turn, HOT);
		assert_in_range(turn.left, 1, 512 + 256);
	}
	assert_in_range(early, 10, 40);
	assert_in_range(looks, MANY / 540, MANY / 500);
	forget();
}

static void what_is_taken_is_gone(void **state)
{
	struct toll_turn turn;
	struct toll_sum sum;

	toll_begin(dear_ns, share);
	turn = begin(5);
	forget();
	for (int i = 0; i < 2; i++) {
		for (unsigned k = 0; k < 10000; k++)
			call(&turn, HOT);
		sum = toll_take();
		assert_in_range(sum.calls, 9000, 11000);
		assert_true(sum.ns > 0);
		assert_int_equal(toll_take_of(HOT), sum.calls);
		assert_int_equal(toll_take_of(HOT), 0);
		assert_int_equal(toll_take_of(RARE), 0);
		sum = toll_take();
		assert_int_equal(sum.calls, 0);
		assert_int_equal(sum.ns, 0);
	}
}

/* A look that comes so many nanoseconds behind the last, and so many calls. */
static struct toll_sum look(uint64_t ns, uint32_t calls)
{
	struct toll_turn turn = begin(1);

	toll_take();
	toll_take_of(HOT);
	turn.at -= ns;
	turn.period = calls;
	turn.left = 1;
	call(&turn, HOT);
	return toll_take();
}

/* A hundred calls of 10 ms, and a tenth: noted within 10 s. */
static void below_the_share_nothing_is_noted(void **state)
{
	struct toll_sum sum;

	toll_begin(1e7, share);
	sum = look(second, 100);
	assert_int_equal(sum.calls, 100);
	assert_in_range(sum.ns, second, 10 * second);
	assert_int_equal(toll_take_of(HOT), 100);
	sum = look(10 * second, 100);
	assert_int_equal(sum.calls, 0);
	assert_int_equal(sum.ns, 0);
	assert_int_equal(toll_take_of(HOT), 0);
	/* Twice as many. */
	assert_int_equal(look(10 * second, 200).calls, 200);
	assert_int_equal(toll_take_of(HOT), 200);
}

/* The share is 0, and of threads that had begun before nothing is noted either. */
static void without_a_share_nothing_is_noted(void **state)
{
	struct toll_turn turn, later;

	toll_begin(dear_ns, share);
	turn = begin(3);
	toll_begin(dear_ns, 0);
	forget();
	later = toll_first();
	for (unsigned i = 0; i < 100000; i++) {
		call(&turn, HOT);
		call(&later, HOT);
	}
	assert_int_equal(later.at, 0);
	assert_int_equal(later.left, UINT32_MAX - 100000);
	assert_int_equal(toll_take().calls, 0);
	assert_int_equal(toll_take_of(HOT), 0);
}

/* The first look has nothing before it. */
static void the_first_look_notes_nothing(void **state)
{
	struct toll_turn turn;

	toll_begin(dear_ns, share);
	forget();
	turn = toll_first();
	call(&turn, HOT);
	assert_true(turn.at > 0);
	assert_int_equal(toll_take().calls, 0);
	assert_int_equal(toll_take_of(HOT), 0);
}

static void ids_have_an_end(void **state)
{
	struct toll_turn turn;

	toll_begin(dear_ns, share);
	turn = begin(4);
	forget();
	for (unsigned i = 0; i < 10000; i++)
		call(&turn, i % 2 ? TOLL_METHODS : UINT32_MAX);
	assert_int_equal(toll_take().calls, 0);
	assert_int_equal(toll_take_of(TOLL_METHODS), 0);
	for (unsigned i = 0; i < 10000; i++)
		call(&turn, TOLL_METHODS - 1);
	assert_int_equal(toll_take().calls, toll_take_of(TOLL_METHODS - 1));
}

/* ---- many threads ---- */

enum { THREADS = 4, EACH = 2000000 };

/* Calls up to its last look, from the first on. */
static void *call_much(void *place)
{
	uint32_t *calls = place;
	struct toll_turn turn = begin(*calls);

	for (unsigned i = 0; i < EACH; i++)
		call(&turn, i % 4 ? HOT : RARE);
	*calls = EACH - (turn.period - turn.left);
	return NULL;
}

/* While another takes them away, none is lost, and none there twice. */
static void threads_lose_nothing(void **state)
{
	pthread_t thread[THREADS];
	uint32_t calls[THREADS];
	uint64_t expected = 0, sum = 0, of_methods = 0;

	toll_begin(dear_ns, share);
	forget();
	for (uint32_t i = 0; i < THREADS; i++) {
		calls[i] = i + 1;
		assert_int_equal(pthread_create(&thread[i], NULL, call_much, &calls[i]), 0);
	}
	for (unsigned i = 0; i < 1000; i++) {
		sum += toll_take().calls;
		of_methods += toll_take_of(HOT) + (uint64_t)toll_take_of(RARE);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		expected += calls[i];
	}
	sum += toll_take().calls;
	of_methods += toll_take_of(HOT) + (uint64_t)toll_take_of(RARE);
	assert_int_equal(sum, expected);
	assert_int_equal(of_methods, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tolls_are_in_proportion_to_calls),
		cmocka_unit_test(looks_become_rare),
		cmocka_unit_test(what_is_taken_is_gone),
		cmocka_unit_test(below_the_share_nothing_is_noted),
		cmocka_unit_test(without_a_share_nothing_is_noted),
		cmocka_unit_test(the_first_look_notes_nothing),
		cmocka_unit_test(ids_have_an_end),
		cmocka_unit_test(threads_lose_nothing),
	};

	clock_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
