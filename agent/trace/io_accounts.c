/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_accounts: see io_accounts.h.
 *
 * Moving needs no memory: the index is cleared, and made again from the list.
 */
#include "agent/trace/io_accounts.h"

#include <string.h>

enum { FIRST_ACCOUNTS = 64 }; /* a power of two; the index has twice as many places */

static uint64_t (*file_now)(uint64_t file, uint32_t group);

static uint32_t *place_at(const struct io_accounts *accounts, uint32_t place)
{
	return &((uint32_t *)accounts->index.base)[place];
}

static uint32_t hash(const struct io_account *key)
{
	uint64_t h = (uint64_t)key->node << 32 ^ key->file * 0xc2b2ae3d27d4eb4fu;

	h = (h ^ (key->op + 1) * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
	return (uint32_t)(h >> 32);
}

/* The place of the account's index, or the empty one where it belongs. */
static uint32_t *find(const struct io_accounts *accounts, const struct io_account *key)
{
	uint32_t i = hash(key) & accounts->mask, *place = place_at(accounts, i);

	while (*place != 0) {
		if (io_account_is(io_account_at(accounts, *place - 1), key))
			break;
		i = (i + 1) & accounts->mask;
		place = place_at(accounts, i);
	}
	return place;
}

/* Makes the index anew from the list, whose equal accounts become one. */
static void index_again(struct io_accounts *accounts)
{
	uint32_t kept = 0;

	memset(accounts->last, 0, sizeof(accounts->last));
	memset(accounts->index.base, 0, (accounts->mask + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < accounts->count; i++) {
		const struct io_account account = *io_account_at(accounts, i);
		uint32_t *place = find(accounts, &account);

		if (*place != 0) {
			io_account_add(io_account_at(accounts, *place - 1), &account);
			continue;
		}
		*io_account_at(accounts, kept) = account;
		*place = ++kept;
	}
	__atomic_store_n(&accounts->count, kept, __ATOMIC_RELEASE);
}

uint64_t io_account_file(const struct io_account *account)
{
	if (!file_now || account->file == 0)
		return account->file;
	return file_now(account->file, account->group);
}

void io_accounts_ask(uint64_t (*now)(uint64_t file, uint32_t group))
{
	file_now = now;
}

void io_accounts_follow(struct io_accounts *accounts)
{
	bool folded = false;

	for (uint32_t i = 0; i < accounts->count; i++) {
		struct io_account *account = io_account_at(accounts, i);
		uint64_t file = io_account_file(account);

		folded |= file != account->file;
		account->file = file;
	}
	if (!folded)
		return;
	accounts->generation++;
	index_again(accounts);
}

static bool resize(struct io_accounts *accounts, struct memory_budget *budget,
	uint32_t capacity, enum memory_claim claim)
{
	return arena_resize(&accounts->list, budget, capacity * sizeof(struct io_account),
		       claim) == 0 &&
	       arena_resize(&accounts->index, budget, capacity * 2 * sizeof(uint32_t), claim) == 0;
}

/* Room for one more: where files were folded there may be a quarter, or else the list
 * grows; if the budget is at its end, too, but then whoever has much is to fold paths. False: the system
 * has no memory, all is as it was. */
static bool grow(struct io_accounts *accounts, struct memory_budget *budget)
{
	uint32_t capacity = accounts->capacity ? accounts->capacity * 2 : FIRST_ACCOUNTS;
	enum memory_claim claim = memory_claim_of(budget, accounts->list.bytes);

	if (accounts->count < accounts->capacity)
		return true;
	if (!accounts->hold)
		io_accounts_follow(accounts);
	if (accounts->count < accounts->capacity - accounts->capacity / 4)
		return true;
	if (!resize(accounts, budget, capacity, claim)) {
		memory_call_short(budget);
		if (!resize(accounts, budget, capacity, MEMORY_FORCED))
			return accounts->count < accounts->capacity;
	}
	accounts->capacity = capacity;
	accounts->mask = capacity * 2 - 1;
	index_again(accounts);
	return true;
}

static struct io_account *append(struct io_accounts *accounts, const struct io_account *key)
{
	struct io_account *account = io_account_at(accounts, accounts->count);

	*account = (struct io_account){.node = key->node,
		.file = key->file,
		.group = key->group,
		.op = key->op,
		.part = key->part};
	*find(accounts, key) = accounts->count + 1;
	__atomic_store_n(&accounts->count, accounts->count + 1, __ATOMIC_RELEASE);
	return account;
}

/* The account of the key, made if need be; lock: NULL if nobody else looks. NULL: no memory. */
static struct io_account *account_of(struct io_accounts *accounts, struct lock *lock,
	struct memory_budget *budget, const struct io_account *key)
{
	uint32_t found = accounts->capacity ? *find(accounts, key) : 0;
	bool room = true;

	if (found != 0) {
		accounts->last[key->op] = found;
		return io_account_at(accounts, found - 1);
	}
	if (accounts->count == accounts->capacity) {
		if (lock)
			lock_take(lock);
		room = grow(accounts, budget);
		if (lock)
			lock_give(lock);
		/* Another file's may have become the key's. */
		if (accounts->capacity && (found = *find(accounts, key)) != 0)
			return io_account_at(accounts, found - 1);
	}
	return room ? append(accounts, key) : NULL;
}

void io_accounts_add_elsewhere(struct io_accounts *accounts, struct lock *lock,
	struct memory_budget *budget, const struct io_account *operation)
{
	struct io_account *account = NULL;

	if (operation->file != 0)
		account = account_of(accounts, lock, budget, operation);
	/* What is told elsewhere, too, must not be among the operations of no file. */
	if (!account && !operation->part)
		account = &accounts->rest[operation->op];
	if (account)
		io_account_add(account, operation);
}

void io_accounts_move(struct io_accounts *accounts,
	uint32_t (*to)(const void *user, uint32_t node), const void *user)
{
	if (accounts->capacity == 0)
		return;
	for (uint32_t i = 0; i < accounts->count; i++) {
		struct io_account *account = io_account_at(accounts, i);

		account->node = to(user, account->node);
	}
	index_again(accounts);
}

void io_accounts_merge(struct io_accounts *accounts, struct memory_budget *budget,
	const struct io_accounts *from, uint32_t (*to)(const void *user, uint32_t node),
	const void *user)
{
	for (uint32_t i = 0; i < from->count; i++) {
		struct io_account account = *io_account_at(from, i);

		account.node = to(user, account.node);
		io_accounts_add(accounts, NULL, budget, &account);
	}
	for (int op = 0; op < IO_OPS; op++)
		io_account_add(&accounts->rest[op], &from->rest[op]);
}

static void zero(struct io_account *account)
{
	account->ops = account->failures = account->bytes = account->ns = 0;
}

void io_accounts_zero(struct io_accounts *accounts)
{
	for (uint32_t i = 0; i < accounts->count; i++)
		zero(io_account_at(accounts, i));
	for (int op = 0; op < IO_OPS; op++)
		zero(&accounts->rest[op]);
}

void io_accounts_fini(struct io_accounts *accounts, struct memory_budget *budget)
{
	arena_fini(&accounts->list, budget);
	arena_fini(&accounts->index, budget);
	accounts->count = accounts->capacity = 0;
	memset(accounts->last, 0, sizeof(accounts->last));
}
