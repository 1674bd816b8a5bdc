/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Editions come while threads are in the middle of everything: events, mounts, their begin and their end. No event is lost, and
 * none is in a row twice. Which sessions want a thread changes all the time.
 */
#include "fake_threads.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum {
	THREADS = 4,
	LIVES = 100,
	TURNS = 40,
	DEPTH = 5,
	GUESTS = 6,
	METHODS = 20,
	OUTER = METHOD_FIRST + METHODS
};

static _Atomic bool done;
static _Atomic uint32_t turn; /* of what sessions want */

/* Somebody wants each thread: a worker now and then another session than before. */
static uint8_t some_want(const char *name)
{
	uint32_t now = atomic_load(&turn);

	return (uint8_t)(1u << (now + (unsigned char)name[7]) % 3 | 8u);
}

static int see(void *user, const struct trace_thread *thread)
{
	return 0;
}

static void *renew(void *argument)
{
	const struct trace_visitor visitor = {.changes = true, .end = see};
	const struct timespec pause = {0, 50000};
	struct session *session = argument;

	while (!atomic_load(&done)) {
		if (atomic_fetch_add(&turn, 1) % 16 == 0) {
			trace_visit(session->trace, &visitor);
			trace_confirm(session->trace, true);
		}
		threads_renew(fake_jni, session);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

/* ---- a platform thread's lives ---- */

struct worker {
	unsigned number;
	uint64_t calls, used;
};

/* Calls within each other, and what they use. False: an event was lost. */
static bool call(struct worker *worker, struct test_random *random, unsigned depth)
{
	uint32_t method = METHOD_FIRST + test_random(random, METHODS);
	bool all = true;

	for (uint32_t i = test_random(random, 3) + 1; i > 0 && all; i--) {
		all = fake_enter(method);
		worker->calls++;
		fake_use(2);
		worker->used += 2;
		if (depth > 0)
			all &= call(worker, random, depth - 1);
		all &= fake_leave(method);
	}
	return all;
}

/* One of the threads that it carries, which is in a method from its first mount to its last. */
static bool carry(struct worker *worker, struct test_random *random, struct fake_thread *guest,
	bool first, bool last)
{
	bool all;

	fake_mount(guest);
	all = first ? fake_enter(OUTER) : true;
	worker->calls += first;
	all &= call(worker, random, 2);
	if (last)
		all &= fake_leave(OUTER);
	if (last)
		fake_end_virtual();
	else
		fake_unmount();
	return all;
}

/* A life of a thread, which carries others in between. */
static void *live(void *argument)
{
	struct worker *worker = argument;
	char name[32], guest_name[GUESTS][32];
	struct fake_thread guest[GUESTS] = {0};
	struct fake_thread thread = {.java_id = worker->number + 1, .name = name};
	struct test_random random = {worker->number};
	bool all = true;

	snprintf(name, sizeof(name), "worker-%u", worker->number);
	fake_current = &thread;
	for (unsigned i = 0; i < GUESTS; i++) {
		snprintf(guest_name[i], sizeof(guest_name[i]), "guest--%u", i);
		guest[i] = (struct fake_thread){.java_id = 1000 + worker->number * GUESTS + i,
			.name = guest_name[i],
			.is_virtual = true};
	}
	all = call(worker, &random, DEPTH);
	for (unsigned i = 0; i < TURNS * GUESTS && all; i++)
		all = carry(worker, &random, &guest[i % GUESTS], i < GUESTS,
			i >= (TURNS - 1) * GUESTS);
	all &= call(worker, &random, DEPTH);
	thread_events_end(fake_jni, NULL);
	return all ? worker : NULL;
}

/* ---- all of them ---- */

static void test_nothing_is_lost(void **state)
{
	struct test_picture picture = {.metrics = 2};
	uint64_t calls = 0, used = 0, shown_calls = 0, shown_used = 0, threads = 0;
	struct session *session;
	pthread_t renewer;

	fake_that_want = some_want;
	atomic_store(&fake_sessions, 15);
	atomic_store(&fake_sessions_of_all, 8);
	session = fake_begin(false);
	assert_int_equal(pthread_create(&renewer, NULL, renew, session), 0);
	for (unsigned life = 0; life < TEST_TRIES(LIVES); life++) {
		struct worker worker[THREADS];
		pthread_t thread[THREADS];
		void *whole;

		for (unsigned i = 0; i < THREADS; i++) {
			worker[i] = (struct worker){.number = life * THREADS + i};
			assert_int_equal(pthread_create(&thread[i], NULL, live, &worker[i]), 0);
		}
		for (unsigned i = 0; i < THREADS; i++) {
			pthread_join(thread[i], &whole);
			assert_non_null(whole);
			calls += worker[i].calls;
			used += worker[i].used;
		}
	}
	atomic_store(&done, true);
	pthread_join(renewer, NULL);
	fake_stop(&picture);
	for (size_t i = 0; i < picture.count; i++) {
		const struct test_row *row = &picture.row[i];

		shown_calls += row->sums.calls;
		shown_used += row->thread.total[0];
		threads += row->identity.is_virtual ? 0 : row->thread.folded;
		assert_int_equal(row->thread.unmatched, 0);
		assert_int_equal(row->thread.repaired, 0);
		assert_int_equal(row->thread.lost, 0);
		assert_int_not_equal(row->identity.wanted & 8, 0);
	}
	assert_int_equal(shown_calls, calls);
	assert_int_equal(shown_used, used);
	assert_int_equal(threads, TEST_TRIES(LIVES) * THREADS);
	/* It did change. */
	assert_true(picture.count > TEST_TRIES(LIVES) * THREADS + 2);
	test_picture_fini(&picture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_is_lost)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
