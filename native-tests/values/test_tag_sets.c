/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* tag_sets: sets against a model that the test keeps itself, their bound, and many threads at once. */
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
#include "agent/values/tag_sets.h"
#include "agent/values/values.h"

static int forget(void **state)
{
	tag_sets_forget();
	values_forget();
	return 0;
}

static uint32_t key(const char *name)
{
	uint32_t parameter = parameter_make(name, true, KEEP_PLAIN, 1000000);

	assert_int_not_equal(parameter, 0);
	return parameter;
}

static uint32_t number_value(uint32_t parameter, uint32_t number)
{
	char text[16];

	return value_of(parameter, text, (size_t)snprintf(text, sizeof(text), "%u", number));
}

static void test_steps(void **state)
{
	uint32_t tenant = key("tenant"), user = key("user");
	uint32_t acme = value_of(tenant, "acme", 4), alice = value_of(user, "alice", 5),
		 bob = value_of(user, "bob", 3);
	uint32_t one = tag_set_with(0, alice), both = tag_set_with(one, acme);

	assert_int_equal(one, 1);
	assert_int_equal(both, 2);
	assert_int_equal(tag_set_with(tag_set_with(0, acme), alice), both);
	assert_int_equal(tag_set_with(both, alice), both);
	assert_int_equal(tag_set_with(both, 0), both);
	assert_int_equal(tag_set_without(both, 0), both);
	assert_int_equal(tag_set_without(both, tenant), one);
	assert_int_equal(tag_set_without(one, tenant), one);
	assert_int_equal(tag_set_without(one, user), 0);
	assert_int_equal(tag_set_without(0, user), 0);
	assert_int_equal(
		tag_set_without(tag_set_with(both, bob), tenant), tag_set_with(0, bob));
	assert_int_equal(tag_set_get(both).count, 2);
	/* By rising parameters. */
	assert_int_equal(tag_set_get(both).value[0], acme);
	assert_int_equal(tag_set_get(both).value[1], alice);
	assert_int_equal(tag_set_value(both, user), alice);
	assert_int_equal(tag_set_value(one, tenant), 0);
	assert_int_equal(tag_set_value(0, tenant), 0);
	assert_int_equal(tag_set_get(0).count, 0);
	/* Values that stand for others are values. */
	assert_int_equal(
		tag_set_value(tag_set_with(both, value_null(user)), user), value_null(user));
}

/* Steps by chance among all sets of some values, beside an array that says what must be in them. */
static void test_walk(void **state)
{
	enum { KEYS = TAG_KEYS_MAX, STEPS = 200000 };
	static uint32_t parameter[KEYS], expected[KEYS];
	uint32_t set = 0, random = 4711;
	char name[16];

	for (int i = 0; i < KEYS; i++) {
		snprintf(name, sizeof(name), "key%d", i);
		parameter[i] = key(name);
	}
	errno = 17;
	for (int step = 0; step < STEPS; step++) {
		uint32_t at, count = 0;

		random = random * 1664525 + 1013904223;
		/* Among all keys for a while, then among four: known sets again. */
		at = (random >> 8) % (step < 5000 ? KEYS : 4);
		expected[at] = (random >> 20) % 4;
		if (expected[at]) {
			expected[at] = number_value(parameter[at], expected[at]);
			set = tag_set_with(set, expected[at]);
		} else {
			set = tag_set_without(set, parameter[at]);
		}
		for (int i = 0; i < KEYS; i++)
			if (expected[i]) {
				assert_int_equal(tag_set_get(set).value[count], expected[i]);
				count++;
			}
		assert_int_equal(tag_set_get(set).count, count);
	}
	assert_int_equal(errno, 17);
	assert_true(tag_sets_count() > 1000 && tag_sets_count() < 7000);
}

enum { MANY = 70000, ORDINARY = TAG_SETS_MAX - TAG_SETS_OTHERS - TAG_SETS_PARTLY };

static void test_bound(void **state)
{
	uint32_t user = key("user"), tenant = key("tenant"), others, set;
	uint32_t acme = value_of(tenant, "acme", 4), known;

	known = tag_set_with(tag_set_with(0, number_value(user, 5)), acme);
	for (uint32_t i = 0; i < MANY; i++) {
		set = tag_set_with(0, number_value(user, i));
		/* Two are there already. */
		assert_int_equal(tag_set_value(set, user),
			i < ORDINARY - 1 ? number_value(user, i) : value_others(user));
	}
	others = set;
	assert_int_equal(tag_sets_count(), ORDINARY + 1);
	/* Sets that there are stay as they are. */
	assert_int_equal(tag_set_with(tag_set_with(0, number_value(user, 5)), acme), known);
	/* New ones: the tag that is put has no value of its own; then none of the tags, which are there. */
	for (uint32_t i = 6; i < TAG_SETS_PARTLY + 100; i++) {
		uint32_t one = number_value(user, i);
		bool partly = i < TAG_SETS_PARTLY + 6 - 1;

		set = tag_set_with(tag_set_with(0, one), acme);
		assert_int_equal(tag_set_get(set).count, 2);
		assert_int_equal(tag_set_value(set, user), partly ? one : value_others(user));
		assert_int_equal(tag_set_value(set, tenant), value_others(tenant));
	}
	assert_int_equal(tag_sets_count(), ORDINARY + TAG_SETS_PARTLY + 1);
	assert_int_equal(tag_set_with(others, acme), set);
	assert_int_equal(tag_set_without(set, tenant), others);
	assert_int_equal(tag_set_without(others, user), 0);
}

/* A tag of very many values, put and taken away again, beside another that stays. */
static void test_bound_of_one(void **state)
{
	enum { TENANTS = 100 };
	uint32_t user = key("user"), tenant = key("tenant"), set, many = 0;
	uint32_t both = tag_set_with(
		tag_set_with(0, number_value(user, MANY)), number_value(tenant, TENANTS));

	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t acme = number_value(tenant, i % TENANTS);
		uint32_t before = tag_set_with(0, acme);

		set = tag_set_with(before, number_value(user, i));
		assert_int_equal(tag_set_value(set, tenant), acme);
		many += tag_set_value(set, user) == value_others(user);
		assert_int_equal(tag_set_without(set, user), before);
	}
	/* One for each tenant, and those of `both`. */
	assert_int_equal(many, MANY - (ORDINARY - TENANTS - 2));
	assert_int_equal(tag_sets_count(), ORDINARY + TENANTS);
	/* A set that comes about where a tag is taken away has what is left. */
	set = tag_set_without(both, user);
	assert_int_equal(tag_set_value(set, tenant), number_value(tenant, TENANTS));
	assert_int_equal(tag_set_get(set).count, 1);
}

/* More sets of "(others)" than there is room for. */
static void test_bound_of_others(void **state)
{
	enum { KEYS = 12 };
	uint32_t parameter[KEYS], none = 0;
	char name[16];

	for (int i = 0; i < KEYS; i++) {
		snprintf(name, sizeof(name), "key%d", i);
		parameter[i] = key(name);
	}
	for (uint32_t i = 0; i < TAG_SETS_MAX; i++)
		tag_set_with(0, number_value(parameter[0], i));
	for (uint32_t i = 0; i <= TAG_SETS_PARTLY; i++)
		tag_set_with(tag_set_with(0, number_value(parameter[0], i)),
			number_value(parameter[1], 0));
	for (uint32_t keys = 1; keys < 1 << KEYS; keys++) {
		uint32_t set = 0, wanted = 0;

		for (int i = 0; i < KEYS; i++)
			if (keys >> i & 1) {
				set = tag_set_with(set, number_value(parameter[i], keys));
				wanted++;
			}
		none += tag_set_get(set).count != wanted;
	}
	assert_int_equal(tag_sets_count(), TAG_SETS_MAX);
	assert_in_range(none, (1 << KEYS) / 2, (1 << KEYS) - TAG_SETS_OTHERS);
}

static void test_forget(void **state)
{
	uint32_t user = key("user");

	assert_int_equal(tag_set_with(0, number_value(user, 1)), 1);
	assert_int_equal(tag_set_with(0, number_value(user, 2)), 2);
	forget(NULL);
	assert_int_equal(tag_sets_count(), 0);
	user = key("session");
	assert_int_equal(tag_set_with(0, number_value(user, 2)), 1);
	assert_int_equal(tag_set_get(1).count, 1);
}

enum { THREADS = 64, ROUNDS = 400, VALUES = 20 };

struct work {
	uint32_t user, tenant, seed;
	uint32_t set[VALUES][VALUES];
};

static void *switch_tags(void *data)
{
	struct work *work = data;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t at = (i * 7 + work->seed * 13) % (VALUES * VALUES);
		uint32_t user = at % VALUES, tenant = at / VALUES, set;

		set = tag_set_with(0, number_value(work->user, user));
		work->set[user][tenant] = tag_set_with(set, number_value(work->tenant, tenant));
		if (tag_set_without(work->set[user][tenant], work->tenant) != set)
			work->set[user][tenant] = UINT32_MAX;
	}
	return NULL;
}

static void test_threads(void **state)
{
	static struct work work[THREADS];
	pthread_t thread[THREADS];
	uint32_t user = key("user"), tenant = key("tenant");

	for (uint32_t i = 0; i < THREADS; i++) {
		work[i].user = user;
		work[i].tenant = tenant;
		work[i].seed = i;
		assert_int_equal(pthread_create(&thread[i], NULL, switch_tags, &work[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	/* Each pair is a set, and the same to all. */
	for (uint32_t u = 0; u < VALUES; u++)
		for (uint32_t t = 0; t < VALUES; t++) {
			uint32_t set = work[0].set[u][t];

			for (int i = 0; i < THREADS; i++)
				assert_int_equal(work[i].set[u][t], set);
			assert_int_equal(tag_set_value(set, user), number_value(user, u));
			assert_int_equal(tag_set_value(set, tenant), number_value(tenant, t));
		}
	assert_int_equal(tag_sets_count(), VALUES + VALUES * VALUES);
	assert_int_equal(lock_violations(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_steps, forget),
		cmocka_unit_test_teardown(test_walk, forget),
		cmocka_unit_test_teardown(test_bound, forget),
		cmocka_unit_test_teardown(test_bound_of_one, forget),
		cmocka_unit_test_teardown(test_bound_of_others, forget),
		cmocka_unit_test_teardown(test_forget, forget),
		cmocka_unit_test_teardown(test_threads, forget),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
