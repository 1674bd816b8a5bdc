/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Sites are found again by their keys, also by many threads at once; where there is no room they say so. Entries are given to one
 * at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>

#include "agent/tracers/object_sites.h"

enum { THREADS = 4, KEYS = 5000, TURNS = 20000 };

static void found_again(void **state)
{
	struct object_sites sites;
	uint32_t first, other;

	assert_true(object_sites_init(&sites, 1 << 20));
	first = object_site_find(&sites, object_key(7, 3), 3, false);
	other = object_site_find(&sites, object_key(7, 4), 4, false);
	assert_true(first != 0 && other != 0 && first != other);
	assert_int_equal(object_site_find(&sites, object_key(7, 3), 3, false), first);
	assert_int_equal(object_site_at(&sites, other)->class, 4);
	assert_int_equal(object_sites_used(&sites), 3);
	object_sites_fini(&sites);
	assert_int_equal(object_sites_used(&sites), 0);
}

static void no_room(void **state)
{
	struct object_sites sites;
	uint32_t at = 0, room;

	assert_true(object_sites_init(&sites, 0));
	room = sites.room;
	while (object_site_find(&sites, object_key(at, 1), 1, false))
		at++;
	/* The last eighth is left to those whose path is cut. */
	assert_int_equal(at + 1, room - room / 8);
	assert_int_not_equal(object_site_find(&sites, object_key(at, 1), 1, true), 0);
	assert_true(object_site_at(&sites, room - room / 8)->cut);
	/* Those that are there are found still. */
	assert_int_not_equal(object_site_find(&sites, object_key(0, 1), 1, false), 0);
	while (object_site_find(&sites, object_key(at, 2), 2, true))
		at++;
	assert_int_equal(object_sites_used(&sites), room);
	object_sites_fini(&sites);
}

static void *find_all(void *argument)
{
	struct object_sites *sites = argument;
	uint32_t *found = calloc(KEYS, sizeof(*found));
	const struct object_sum one = {.objects = 1, .bytes = 16, .told = 1};

	for (uint32_t i = 0; found && i < KEYS; i++) {
		found[i] = object_site_find(sites, object_key(i, 5), 5, false);
		object_count(&object_site_at(sites, found[i])->allocated, &one);
	}
	return found;
}

static void by_many(void **state)
{
	struct object_sites sites;
	pthread_t thread[THREADS];
	uint32_t *found[THREADS];
	uint64_t all = 0;

	assert_true(object_sites_init(&sites, 64 << 20));
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, find_all, &sites), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], (void **)&found[i]);
	for (int i = 0; i < THREADS; i++) {
		assert_memory_equal(found[i], found[0], KEYS * sizeof(**found));
		if (i > 0)
			free(found[i]);
	}
	free(found[0]);
	for (uint32_t i = 1; i < object_sites_used(&sites); i++) {
		struct object_site *site = object_site_at(&sites, i);
		struct object_sum sum = object_counted(&site->allocated, &site->put_allocated);

		all += sum.objects;
		object_put(&site->put_allocated, &sum);
		assert_int_equal(
			object_counted(&site->allocated, &site->put_allocated).told, 0);
	}
	assert_int_equal(all, THREADS * KEYS);
	object_sites_fini(&sites);
}

/* Each marks the entries that it has: nobody else may have them. */
static void *take_and_give(void *argument)
{
	struct object_entries *entries = argument;
	uint32_t mine[8];
	uintptr_t wrong = 0;

	for (int turn = 0; turn < TURNS; turn++) {
		for (int i = 0; i < 8; i++) {
			mine[i] = object_entry_take(entries);
			if (mine[i])
				wrong += __atomic_exchange_n(
					&object_entry_at(entries, mine[i])->objects, 1,
					__ATOMIC_RELAXED);
		}
		for (int i = 0; i < 8; i++) {
			if (!mine[i])
				continue;
			__atomic_store_n(&object_entry_at(entries, mine[i])->objects, 0,
				__ATOMIC_RELAXED);
			object_entry_give(entries, mine[i]);
		}
	}
	return (void *)wrong;
}

static void one_owner(void **state)
{
	struct object_entries entries;
	pthread_t thread[THREADS];
	void *wrong;

	assert_true(object_entries_init(&entries, 0));
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, take_and_give, &entries), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &wrong);
		assert_null(wrong);
	}
	assert_int_equal(entries.used, 0);
	object_entries_fini(&entries);
}

static void entries_end(void **state)
{
	struct object_entries entries;
	uint32_t taken = 0;

	assert_true(object_entries_init(&entries, 0));
	while (object_entry_take(&entries))
		taken++;
	assert_int_equal(taken, entries.room - 1);
	object_entry_give(&entries, 5);
	assert_int_equal(object_entry_take(&entries), 5);
	assert_null(object_entry_at(&entries, 0));
	assert_null(object_entry_at(&entries, entries.room));
	object_entries_fini(&entries);
}

static void cookies(void **state)
{
	struct object_loose loose;

	assert_ptr_equal(object_loose_of(object_loose_cookie(&loose)), &loose);
	assert_null(object_loose_of(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_again),
		cmocka_unit_test(no_room),
		cmocka_unit_test(by_many),
		cmocka_unit_test(one_owner),
		cmocka_unit_test(entries_end),
		cmocka_unit_test(cookies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
