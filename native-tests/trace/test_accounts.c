/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_accounts: sums by call path, file and operation; folded nodes; no memory. */
#include "agent/trace/accounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 50, FILES = 40 };

struct fixture {
	struct accounts accounts;
	struct memory_budget budget;
	struct lock lock;
};

static int begin(void **state)
{
	struct fixture *f = test_calloc(1, sizeof(*f));

	memory_budget_init(&f->budget, 64 << 20);
	lock_init(&f->lock, LOCK_TREE);
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;

	accounts_fini(&f->accounts, &f->budget);
	assert_int_equal(f->budget.used, 0);
	lock_fini(&f->lock);
	test_free(f);
	return 0;
}

static void add(
	struct fixture *f, uint32_t node, uint32_t file, enum account_kind op, uint64_t bytes)
{
	const struct operation operation = {.node = node,
		.subject = file,
		.kind = op,
		.failed = bytes == 0,
		.amount = bytes,
		.ns = 7};

	accounts_add(&f->accounts, &f->lock, &f->budget, &operation);
}

static uint32_t count(struct fixture *f)
{
	accounts_post(&f->accounts, &f->budget);
	return f->accounts.count;
}

static struct account sum(struct fixture *f)
{
	struct account total = {0};

	for (uint32_t i = 0; i < count(f) + IO_ACCOUNTS; i++) {
		uint32_t listed = f->accounts.count;
		struct account account = i < listed ? *account_at(&f->accounts, i)
						    : accounts_rest(&f->accounts, i - listed);

		total.count += account.count;
		total.failures += account.failures;
		total.amount += account.amount;
		total.ns += account.ns;
	}
	return total;
}

/* Everything with everything, twice. */
static void add_many(struct fixture *f)
{
	for (int round = 0; round < 2; round++)
		for (uint32_t node = 0; node < NODES; node++)
			for (uint32_t file = 1; file <= FILES; file++)
				for (enum account_kind op = 0; op < IO_OPS; op++)
					add(f, node, file, op, node);
}

static void check_sum(struct fixture *f)
{
	const uint64_t ops = 2ull * NODES * FILES * IO_OPS;
	struct account total = sum(f);

	assert_int_equal(total.count, ops);
	assert_int_equal(total.ns, ops * 7);
	assert_int_equal(total.failures, ops / NODES);
	assert_int_equal(total.amount, ops / NODES * (NODES * (NODES - 1) / 2));
}

static void each_has_its_own(void **state)
{
	struct fixture *f = *state;

	add_many(f);
	check_sum(f);
	assert_int_equal(count(f), NODES * FILES * IO_OPS);
	for (uint32_t i = 0; i < f->accounts.count; i++)
		assert_int_equal(account_at(&f->accounts, i)->count, 2);
}

static uint32_t half(const void *user, uint32_t node)
{
	return node / 2;
}

static void folded_nodes_fold_their_accounts(void **state)
{
	struct fixture *f = *state;

	add_many(f);
	accounts_move(&f->accounts, &f->budget, half, NULL);
	check_sum(f);
	assert_int_equal(count(f), NODES / 2 * FILES * IO_OPS);
	add(f, 0, 1, IO_READ, 5);
	assert_int_equal(count(f), NODES / 2 * FILES * IO_OPS);
}

static void an_ended_thread_goes_into_a_row(void **state)
{
	struct fixture *f = *state, other = {.lock = f->lock};

	memory_budget_init(&other.budget, 64 << 20);
	add_many(&other);
	add(f, 3, 1, IO_READ, 100);
	accounts_merge(&f->accounts, &f->budget, &other.accounts, half, NULL);
	assert_int_equal(sum(f).count, sum(&other).count + 1);
	assert_int_equal(sum(f).amount, sum(&other).amount + 100);
	assert_int_equal(count(f), NODES / 2 * FILES * IO_OPS);
	accounts_fini(&other.accounts, &other.budget);
}

/* For the list of 64, and for its index, not for a second one; and for none: each account is there all the
 * same, and those who have much are called on to fold. */
static void without_memory_all_stays(void **state)
{
	struct fixture *f = *state;
	const uint64_t limits[] = {2 * arena_page(), 0};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		accounts_fini(&f->accounts, &f->budget);
		memory_budget_init(&f->budget, limits[i]);
		add_many(f);
		check_sum(f);
		assert_int_equal(count(f), NODES * FILES * IO_OPS);
		assert_true(f->budget.shortage > 0);
		for (int op = 0; op < IO_OPS; op++)
			assert_int_equal(f->accounts.rest[op].count, 0);
	}
}

/* ---- files that are folded ---- */

enum { GROUP = 5 };
static uint64_t folded_below; /* ids: those of 100 and more are files */

static uint64_t file_now(uint64_t file, uint32_t group)
{
	return file >= 100 && file < folded_below ? group : file;
}

static void add_grouped(struct fixture *f, uint32_t node, uint64_t file)
{
	const struct operation operation = {.node = node,
		.subject = file,
		.group = GROUP,
		.kind = IO_READ,
		.amount = 3,
		.ns = 7};

	accounts_add(&f->accounts, &f->lock, &f->budget, &operation);
}

/* A file after the other, each folded when the next ones come: the list does not grow. */
static void folded_files_become_their_group(void **state)
{
	const uint64_t files = 100000;
	struct fixture *f = *state;
	uint64_t of_group[2] = {0};

	accounts_ask(file_now);
	for (uint64_t i = 0; i < files; i++) {
		folded_below = 100 + (i > 20 ? i - 20 : 0);
		add_grouped(f, i % 2, 100 + i);
	}
	folded_below = 100 + files;
	assert_true(f->accounts.capacity <= 64);
	assert_true(f->accounts.moves > 0);
	assert_int_equal(sum(f).count, files);
	assert_int_equal(sum(f).amount, 3 * files);
	accounts_follow(&f->accounts, &f->budget);
	assert_int_equal(count(f), 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(account_at(&f->accounts, i)->subject, GROUP);
		of_group[account_at(&f->accounts, i)->node] +=
			account_at(&f->accounts, i)->count;
	}
	assert_int_equal(of_group[0], files / 2);
	assert_int_equal(of_group[1], files / 2);
	accounts_ask(NULL);
}

/* While somebody copies the list its indices stay. */
static void accounts_that_are_held_keep_their_places(void **state)
{
	struct fixture *f = *state;

	accounts_ask(file_now);
	folded_below = UINT64_MAX;
	f->accounts.hold = true;
	for (uint64_t i = 0; i < 1000; i++)
		add_grouped(f, 0, 100 + i);
	assert_int_equal(count(f), 1000);
	assert_int_equal(f->accounts.moves, 0);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(account_subject(account_at(&f->accounts, i)), GROUP);
	f->accounts.hold = false;
	accounts_follow(&f->accounts, &f->budget);
	assert_int_equal(count(f), 1);
	assert_int_equal(sum(f).count, 1000);
	accounts_ask(NULL);
}

/* What is charged to a group by itself, when its files become it in the same moment. */
static void the_groups_own_account_is_one(void **state)
{
	struct fixture *f = *state;

	accounts_ask(file_now);
	folded_below = 0;
	for (uint64_t i = 0; i < 64; i++)
		add_grouped(f, 0, 100 + i);
	folded_below = UINT64_MAX;
	add_grouped(f, 0, GROUP);
	add_grouped(f, 0, GROUP);
	assert_int_equal(count(f), 1);
	assert_int_equal(account_at(&f->accounts, 0)->count, 66);
	accounts_ask(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
		T(each_has_its_own),
		T(folded_nodes_fold_their_accounts),
		T(an_ended_thread_goes_into_a_row),
		T(without_memory_all_stays),
		T(folded_files_become_their_group),
		T(accounts_that_are_held_keep_their_places),
		T(the_groups_own_account_is_one),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
