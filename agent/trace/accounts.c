/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * accounts: see accounts.h.
 *
 * Moving needs no memory, but for the ids that cease: the index is cleared, and made again from
 * the list.
 */
#include "agent/trace/accounts.h"

#include <string.h>

enum { FIRST_ACCOUNTS = 64 }; /* a power of two; the index has twice as many places */

static uint64_t (*file_now)(uint64_t file, uint32_t group);

static uint32_t *place_at(const struct accounts *accounts, uint32_t place)
{
	return &((uint32_t *)accounts->index.base)[place];
}

/* Of node and subject alone: what is done there with it is mostly of one kind, and not yet known when that begins. */
static uint32_t hash(const struct account *key)
{
	uint64_t h = (uint64_t)key->node << 32 ^ key->subject * 0xc2b2ae3d27d4eb4fu;

	h = (h ^ h >> 31) * 0xff51afd7ed558ccdu;
	return (uint32_t)(h >> 32);
}

void accounts_expect(const struct accounts *accounts, uint32_t node, uint64_t subject)
{
	const struct account key = {.node = node, .subject = subject};

	if (accounts->capacity)
		__builtin_prefetch(place_at(accounts, hash(&key) & accounts->mask));
}

/* The place of the account's index, or the empty one where it belongs. */
static uint32_t *find(const struct accounts *accounts, const struct account *key)
{
	uint32_t i = hash(key) & accounts->mask, *place = place_at(accounts, i);

	while (*place != 0) {
		if (account_is(account_at(accounts, *place - 1), key))
			break;
		i = (i + 1) & accounts->mask;
		place = place_at(accounts, i);
	}
	return place;
}

/* The id ceases. False: it is known outside, and the system has no memory to say so. */
static bool let_go(
	struct accounts *accounts, struct memory_budget *budget, const struct account *account)
{
	size_t bytes = ((size_t)accounts->gone_count + 1) * sizeof(account->id);

	if (account->written == 0)
		return true;
	if (bytes > accounts->gone.bytes &&
		arena_resize(&accounts->gone, budget, bytes, MEMORY_FORCED) != 0)
		return false;
	((uint32_t *)accounts->gone.base)[accounts->gone_count++] = account->id;
	return true;
}

void accounts_forget_gone(struct accounts *accounts, struct memory_budget *budget)
{
	uint32_t *gone = accounts->gone.base;

	accounts->gone_count -= accounts->gone_shown;
	if (accounts->gone_count == 0)
		arena_fini(&accounts->gone, budget);
	else
		memmove(gone, gone + accounts->gone_shown,
			accounts->gone_count * sizeof(*gone));
	accounts->gone_shown = 0;
}

/* Makes the index anew from the list, whose equal accounts become one. One whose end cannot be told
 * stays, beside the other. */
static void index_again(struct accounts *accounts, struct memory_budget *budget)
{
	uint32_t kept = 0;

	memset(accounts->last, 0, sizeof(accounts->last));
	memset(accounts->index.base, 0, (accounts->mask + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < accounts->count; i++) {
		const struct account account = *account_at(accounts, i);
		uint32_t *place = find(accounts, &account);

		if (*place != 0 && let_go(accounts, budget, &account)) {
			account_add(account_at(accounts, *place - 1), &account);
			continue;
		}
		*account_at(accounts, kept++) = account;
		if (*place == 0)
			*place = kept;
	}
	__atomic_store_n(&accounts->count, kept, __ATOMIC_RELEASE);
}

uint64_t account_subject(const struct account *account)
{
	if (!file_now || account->subject == 0 ||
		account_kind_subject(account->kind) != SUBJECT_FILE)
		return account->subject;
	return file_now(account->subject, account->group);
}

void accounts_ask(uint64_t (*now)(uint64_t file, uint32_t group))
{
	file_now = now;
}

void accounts_follow(struct accounts *accounts, struct memory_budget *budget)
{
	bool folded = false;

	for (uint32_t i = 0; i < accounts->count; i++) {
		struct account *account = account_at(accounts, i);
		uint64_t subject = account_subject(account);

		folded |= subject != account->subject;
		account->subject = subject;
	}
	if (!folded)
		return;
	accounts->moves++;
	index_again(accounts, budget);
}

static bool resize(struct accounts *accounts, struct memory_budget *budget, uint32_t capacity,
	enum memory_claim claim)
{
	return arena_resize(&accounts->list, budget, capacity * sizeof(struct account),
		       claim) == 0 &&
	       arena_resize(&accounts->index, budget, capacity * 2 * sizeof(uint32_t), claim) ==
		       0;
}

/* Room for one more: where files were folded there may be a quarter, or else the list
 * grows; if the budget is at its end, too, but then threads that have much are to fold paths. False: the system
 * has no memory, all is as it was. */
static bool grow(struct accounts *accounts, struct memory_budget *budget)
{
	uint32_t capacity = accounts->capacity ? accounts->capacity * 2 : FIRST_ACCOUNTS;
	enum memory_claim claim = memory_claim_of(budget, accounts->list.bytes);

	if (accounts->count < accounts->capacity)
		return true;
	if (!accounts->hold)
		accounts_follow(accounts, budget);
	if (accounts->count < accounts->capacity - accounts->capacity / 4)
		return true;
	if (!resize(accounts, budget, capacity, claim)) {
		memory_call_short(budget);
		if (!resize(accounts, budget, capacity, MEMORY_FORCED))
			return accounts->count < accounts->capacity;
	}
	accounts->capacity = capacity;
	accounts->mask = capacity * 2 - 1;
	index_again(accounts, budget);
	return true;
}

static struct account *append(struct accounts *accounts, const struct account *key)
{
	struct account *account = account_at(accounts, accounts->count);

	*account = (struct account){.node = key->node,
		.id = accounts->next_id++,
		.subject = key->subject,
		.group = key->group,
		.kind = key->kind,
		.part = key->part};
	*find(accounts, key) = accounts->count + 1;
	__atomic_store_n(&accounts->count, accounts->count + 1, __ATOMIC_RELEASE);
	return account;
}

/* The account of the key, made if need be; lock: NULL if no other thread looks. NULL: no memory. */
static struct account *account_of(struct accounts *accounts, struct lock *lock,
	struct memory_budget *budget, const struct account *key)
{
	uint32_t found = accounts->capacity ? *find(accounts, key) : 0;
	bool room = true;

	if (found != 0) {
		accounts->last[key->kind] = found;
		return account_at(accounts, found - 1);
	}
	if (accounts->count == accounts->capacity) {
		if (lock)
			lock_take(lock);
		room = grow(accounts, budget);
		if (lock)
			lock_give(lock);
		/* Another file's may have become the key's. */
		if (accounts->capacity && (found = *find(accounts, key)) != 0)
			return account_at(accounts, found - 1);
	}
	return room ? append(accounts, key) : NULL;
}

void accounts_add_elsewhere(struct accounts *accounts, struct lock *lock,
	struct memory_budget *budget, const struct account *operation)
{
	struct account *account = NULL;

	if (operation->subject != 0 || account_kind_subject(operation->kind) != SUBJECT_FILE)
		account = account_of(accounts, lock, budget, operation);
	/* What is told elsewhere, too, must not be among those of no subject. */
	if (!account && !operation->part)
		account = &accounts->rest[operation->kind];
	if (account)
		account_add(account, operation);
}

void accounts_move(struct accounts *accounts, struct memory_budget *budget,
	uint32_t (*to)(const void *user, uint32_t node), const void *user)
{
	if (accounts->capacity == 0)
		return;
	for (uint32_t i = 0; i < accounts->count; i++) {
		struct account *account = account_at(accounts, i);

		account->node = to(user, account->node);
	}
	index_again(accounts, budget);
}

void accounts_merge(struct accounts *accounts, struct memory_budget *budget,
	const struct accounts *from, uint32_t (*to)(const void *user, uint32_t node),
	const void *user)
{
	for (uint32_t i = 0; i < from->count; i++) {
		struct account account = *account_at(from, i);

		account.node = to(user, account.node);
		accounts_add(accounts, NULL, budget, &account);
	}
	for (int kind = 0; kind < ACCOUNT_KINDS; kind++)
		account_add(&accounts->rest[kind], &from->rest[kind]);
}

void accounts_init(struct accounts *accounts)
{
	for (uint32_t kind = 0; kind < ACCOUNT_KINDS; kind++)
		accounts->rest[kind] =
			(struct account){.kind = kind & 0xff, .id = UINT32_MAX - kind};
}

void accounts_fini(struct accounts *accounts, struct memory_budget *budget)
{
	arena_fini(&accounts->list, budget);
	arena_fini(&accounts->index, budget);
	arena_fini(&accounts->gone, budget);
	accounts->gone_count = accounts->gone_shown = 0;
	accounts->count = accounts->capacity = 0;
	memset(accounts->last, 0, sizeof(accounts->last));
}
