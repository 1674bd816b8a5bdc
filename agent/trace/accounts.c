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

/* Of the index. The hash tells most other accounts from the one that is looked for, whose memory is far. */
struct place {
	uint32_t account; /* its place in the list + 1; 0: none */
	uint32_t hash;
};

/* Of node and subject alone: what is done there with it is mostly of one kind. */
static uint32_t hash(uint32_t node, uint64_t subject)
{
	uint64_t h = (uint64_t)node << 32 ^ subject * 0xc2b2ae3d27d4eb4fu;

	h = (h ^ h >> 31) * 0xff51afd7ed558ccdu;
	return (uint32_t)(h >> 32);
}

static struct place *place_at(const struct accounts *accounts, uint32_t hash)
{
	return &((struct place *)accounts->index.base)[hash & accounts->mask];
}

/* The place of the account, or the empty one where it belongs, with its hash. */
static struct place *find(const struct accounts *accounts, const struct account *key)
{
	uint32_t wanted = hash(key->node, key->subject), i = wanted;
	struct place *place = place_at(accounts, i);

	while (place->account != 0) {
		if (place->hash == wanted &&
			account_is(account_at(accounts, place->account - 1), key))
			return place;
		place = place_at(accounts, ++i);
	}
	place->hash = wanted;
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
	enum { AHEAD = 16 }; /* places that are brought near meanwhile */
	uint32_t kept = 0;

	memset(accounts->index.base, 0, (accounts->mask + 1) * sizeof(struct place));
	for (uint32_t i = 0; i < accounts->count; i++) {
		const struct account account = *account_at(accounts, i);
		const struct account *ahead = account_at(accounts, i + AHEAD);
		struct place *place = find(accounts, &account);

		if (i + AHEAD < accounts->count)
			__builtin_prefetch(
				place_at(accounts, hash(ahead->node, ahead->subject)));
		if (place->account != 0 && let_go(accounts, budget, &account)) {
			account_add(account_at(accounts, place->account - 1), &account);
			continue;
		}
		*account_at(accounts, kept++) = account;
		if (place->account == 0)
			place->account = kept;
	}
	accounts->moves += accounts->count != kept;
	accounts->count = kept;
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
	bool fits = arena_resize(&accounts->list, budget, capacity * sizeof(struct account),
			    claim) == 0 &&
		    arena_resize(&accounts->index, budget, capacity * 2 * sizeof(struct place),
			    claim) == 0;

	atomic_store_explicit(&accounts->bytes, accounts->list.bytes + accounts->index.bytes,
		memory_order_relaxed);
	return fits;
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
	find(accounts, key)->account = ++accounts->count;
	return account;
}

/* The account of the key, made if need be. NULL: no memory. */
static struct account *account_of(
	struct accounts *accounts, struct memory_budget *budget, const struct account *key)
{
	uint32_t found = accounts->capacity ? find(accounts, key)->account : 0;

	if (found == 0 && accounts->count == accounts->capacity) {
		if (!grow(accounts, budget))
			return NULL;
		/* Another file's may have become the key's. */
		found = find(accounts, key)->account;
	}
	return found ? account_at(accounts, found - 1) : append(accounts, key);
}

static void add_rest(struct rest *rest, const struct account *more)
{
	rest->count += more->count;
	rest->failures += more->failures;
	rest->amount += more->amount;
	rest->ns += more->ns;
}

static inline __attribute__((always_inline)) void add(
	struct accounts *accounts, struct memory_budget *budget, const struct account *more)
{
	struct account *account = NULL;

	if (more->subject != 0 || account_kind_subject(more->kind) != SUBJECT_FILE)
		account = account_of(accounts, budget, more);
	if (account)
		account_add(account, more);
	/* What is told elsewhere, too, must not be among those of no subject. */
	else if (!more->part)
		add_rest(&accounts->rest[more->kind], more);
}

/* Its place in the index, and then the account there, which is mostly its own, are brought near.
 * (To GCC, a function that does no more than that has no effect: calls of it are left out.) */
static inline __attribute__((always_inline)) void expect_place(
	const struct accounts *accounts, const struct operation *operation)
{
	__builtin_prefetch(place_at(accounts, hash(operation->node, operation->subject)));
}

static inline __attribute__((always_inline)) void expect_account(
	const struct accounts *accounts, const struct operation *operation)
{
	const struct place *place =
		place_at(accounts, hash(operation->node, operation->subject));

	if (place->account != 0)
		__builtin_prefetch(account_at(accounts, place->account - 1));
}

static void post(struct accounts *accounts, struct memory_budget *budget,
	const struct operation *operation)
{
	const struct account one = {.node = operation->node,
		.group = operation->group,
		.kind = operation->kind,
		.part = operation->part,
		.subject = operation->subject,
		.count = 1,
		.failures = operation->failed,
		.amount = operation->amount,
		.ns = operation->ns};

	add(accounts, budget, &one);
}

/* Memory is waited for three times, whatever the number of operations, and not for each of them. */
void accounts_post(struct accounts *accounts, struct memory_budget *budget)
{
	uint32_t put = atomic_load_explicit(&accounts->put, memory_order_acquire);
	uint32_t posted = atomic_load_explicit(&accounts->posted, memory_order_relaxed);
	const struct operation *journal = accounts->journal;

	for (uint32_t i = posted; i != put && accounts->capacity; i++)
		expect_place(accounts, &journal[i % JOURNAL]);
	for (uint32_t i = posted; i != put && accounts->capacity; i++)
		expect_account(accounts, &journal[i % JOURNAL]);
	for (uint32_t i = posted; i != put; i++)
		post(accounts, budget, &journal[i % JOURNAL]);
	atomic_store_explicit(&accounts->posted, put, memory_order_release);
}

__attribute__((noinline)) void accounts_post_full(
	struct accounts *accounts, struct lock *lock, struct memory_budget *budget)
{
	if (lock)
		lock_take(lock);
	accounts_post(accounts, budget);
	if (lock)
		lock_give(lock);
}

void accounts_move(struct accounts *accounts, struct memory_budget *budget,
	uint32_t (*to)(const void *user, uint32_t node), const void *user)
{
	accounts_post(accounts, budget);
	if (accounts->capacity == 0)
		return;
	for (uint32_t i = 0; i < accounts->count; i++) {
		struct account *account = account_at(accounts, i);

		account->node = to(user, account->node);
	}
	index_again(accounts, budget);
}

void accounts_merge(struct accounts *accounts, struct memory_budget *budget,
	struct accounts *from, uint32_t (*to)(const void *user, uint32_t node),
	const void *user)
{
	accounts_post(from, budget);
	for (uint32_t i = 0; i < from->count; i++) {
		struct account account = *account_at(from, i);

		account.node = to(user, account.node);
		add(accounts, budget, &account);
	}
	for (enum account_kind kind = 0; kind < IO_ACCOUNTS; kind++) {
		struct account rest = accounts_rest(from, kind);

		add_rest(&accounts->rest[kind], &rest);
	}
}

void accounts_fini(struct accounts *accounts, struct memory_budget *budget)
{
	arena_fini(&accounts->list, budget);
	arena_fini(&accounts->index, budget);
	arena_fini(&accounts->gone, budget);
	accounts->gone_count = accounts->gone_shown = 0;
	accounts->count = accounts->capacity = 0;
	accounts->bytes = 0;
}
