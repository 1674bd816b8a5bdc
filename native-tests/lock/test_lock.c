/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Locks exclude each other, and a wrong order is noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>

#include "agent/lock/gate.h"
#include "agent/lock/lock.h"

enum { THREADS = 4, ROUNDS = 20000 };

static struct lock shared_lock;
static unsigned long shared_count;

static void *count_up(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		lock_take(&shared_lock);
		shared_count++;
		lock_give(&shared_lock);
	}
	return NULL;
}

static void test_excludes(void **state)
{
	pthread_t thread[THREADS];

	lock_init(&shared_lock, LOCK_THREADS);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, count_up, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(shared_count, THREADS * ROUNDS);
	lock_fini(&shared_lock);
}

/* ---- gates ---- */

static struct gate gate;
static _Atomic bool there; /* what callbacks use */
static _Atomic unsigned long passed, burnt;
static _Atomic bool enough;

static void *pass_again_and_again(void *unused)
{
	while (!atomic_load(&enough)) {
		if (!gate_enter(&gate))
			continue;
		if (!atomic_load(&there))
			atomic_fetch_add(&burnt, 1);
		atomic_fetch_add(&passed, 1);
		gate_leave(&gate);
	}
	return NULL;
}

static void test_gate(void **state)
{
	enum { SESSIONS = 100 };
	pthread_t thread[THREADS];

	assert_false(gate_enter(&gate));
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&thread[i], NULL, pass_again_and_again, NULL), 0);
	for (int i = 0; i < SESSIONS; i++) {
		unsigned long before = atomic_load(&passed);

		atomic_store(&there, true);
		gate_open(&gate);
		while (atomic_load(&passed) == before)
			;
		assert_true(gate_close(&gate));
		atomic_store(&there, false);
	}
	atomic_store(&enough, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(burnt, 0);
	assert_true(passed >= SESSIONS);
}

static void test_order(void **state)
{
	/* Each row: two ranks, taken one after the other; 1 if that is a breach. */
	static const struct {
		int line;
		enum lock_rank first, second;
		unsigned long breach;
	} row[] = {
		{__LINE__, LOCK_SESSION, LOCK_THREADS, 0},
		{__LINE__, LOCK_THREADS, LOCK_TREE, 0},
		{__LINE__, LOCK_SESSION, LOCK_METHODS, 0},
		{__LINE__, LOCK_TREE, LOCK_THREADS, 1},
		{__LINE__, LOCK_METHODS, LOCK_SESSION, 1},
		{__LINE__, LOCK_TREE, LOCK_TREE, 1},
	};

#ifdef NDEBUG
	skip();
#endif
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		unsigned long before = lock_violations();
		struct lock first, second;

		lock_init(&first, row[i].first);
		lock_init(&second, row[i].second);
		lock_take(&first);
		lock_take(&second);
		if (lock_violations() - before != row[i].breach)
			fail_msg("row of line %d", row[i].line);
		lock_give(&second);
		if (row[i].first != row[i].second)
			lock_give(&first);
		else
			pthread_mutex_unlock(&first.mutex);
		lock_fini(&first);
		lock_fini(&second);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_excludes),
		cmocka_unit_test(test_gate),
		cmocka_unit_test(test_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
