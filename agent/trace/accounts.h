/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * accounts: what was done on a call path, by kind and subject: I/O operations with files, for one.
 *
 *   (node of the call tree, kind, subject) --> count, failures, amount, ns
 *
 * A list beside the tree, and a hash of its indices. When nodes are folded or renumbered,
 * accounts follow them, and those of the same new key become one: a sum over nodes is
 * never less for it. Accounts are taken beyond the budget if need be; the system without memory
 * leaves the operation alone: sums over everything stay exact. A subject that is not known is never in the list.
 *
 * A file may be folded into its group at any time (agent/io/io_files.h): an account of it
 * counts for the group from then on. When the list is full, accounts of folded files
 * become those of their groups; it grows only if that was not enough. Indices change then; of two
 * that become one the later one's id ceases, and is listed if it is known outside.
 *
 * Operations are not added one by one: each would wait for memory of the index and of an account. The owner puts them
 * into a short journal, and whoever takes the tree's lock to look at accounts, or to move them, posts them first; so
 * does the owner when the journal is full.
 *
 *   operation --> journal (the owner, without a lock) --accounts_post, under the lock--> account
 *
 * Runs: accounts_add in the owning thread; all else under the tree's lock, or where no other thread looks.
 */
#ifndef JPROF_ACCOUNTS_H
#define JPROF_ACCOUNTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "agent/trace/arena.h"
#include "profile/kinds.h"

struct account {
	uint32_t node; /* index in the tree */
	/* of the account, as long as it lives; never used again in its thread */
	uint32_t id;
	uint32_t group : 23; /* of a file */
	uint32_t kind : 8;   /* enum account_kind */
	uint32_t part : 1;   /* of an archive's operation, which is told by itself, too */
	uint64_t subject;    /* 0: not known, or no memory to tell */
	uint64_t count, failures, amount, ns;
	/* the visitor's: account_sum of what was last shown, + 1; 0: never */
	uint64_t written;
};

/* One operation, which has ended. */
struct operation {
	uint32_t node;
	uint32_t group : 23; /* of a file */
	uint32_t kind : 7;   /* enum account_kind */
	uint32_t part : 1, failed : 1;
	uint64_t subject, amount, ns;
};

enum { JOURNAL = 16 };

struct accounts {
	struct arena list, index;
	uint32_t count;
	uint32_t capacity;    /* of the list */
	_Atomic size_t bytes; /* of list and index; the owner asks without the lock */
	uint32_t mask;        /* places of the index - 1; it holds indices + 1, 0: empty */
	uint32_t next_id;
	uint32_t moves;    /* how often indices changed while nodes kept theirs */
	bool hold;         /* under the tree's lock: indices must stay */
	struct arena gone; /* ids that ceased, oldest first */
	uint32_t gone_count, gone_shown;
	struct rest {
		uint64_t count, failures, amount, ns, written;
	} rest[IO_ACCOUNTS]; /* what is in no account, see accounts_rest; threads themselves account for I/O alone */
	/* Not yet posted: operations from posted to put, both counted for ever. put is the owner's. */
	_Atomic uint32_t put, posted;
	struct operation journal[JOURNAL];
};

static inline struct account *account_at(const struct accounts *accounts, uint32_t i)
{
	return &((struct account *)accounts->list.base)[i];
}

/* What was done of a kind with no subject, or without memory for an account: as one, of node and subject 0, whose id is
 * the highest but `kind`. */
static inline struct account accounts_rest(
	const struct accounts *accounts, enum account_kind kind)
{
	const struct rest *rest = &accounts->rest[kind];

	return (struct account){.id = UINT32_MAX - kind,
		.kind = kind & 0xff,
		.count = rest->count,
		.failures = rest->failures,
		.amount = rest->amount,
		.ns = rest->ns,
		.written = rest->written};
}

/* Ids that ceased. */
static inline const uint32_t *accounts_gone(const struct accounts *accounts)
{
	return accounts->gone.base;
}

/* The ids that were shown are known to be gone. Under the lock. */
void accounts_forget_gone(struct accounts *accounts, struct memory_budget *budget);

static inline bool account_is(const struct account *a, const struct account *b)
{
	return a->node == b->node && a->subject == b->subject && a->kind == b->kind;
}

static inline void account_add(struct account *account, const struct account *more)
{
	account->count += more->count;
	account->failures += more->failures;
	account->amount += more->amount;
	account->ns += more->ns;
}

/* Differs when anything of it does that a file has. */
static inline uint64_t account_sum(const struct account *account)
{
	const uint64_t odd = 0x9e3779b97f4a7c15;

	return ((account->subject * odd) ^ account->node) * odd + account->count +
	       account->failures + account->amount + account->ns;
}

/* Who tells what a file of a group has become; before the first account. NULL, as in the
 * beginning: none is folded. */
void accounts_ask(uint64_t (*file_now)(uint64_t file, uint32_t group));

/* The file that the account counts for: its own, or the group that it was folded into. */
uint64_t account_subject(const struct account *account);

/* Accounts of folded files become those of their groups. Under the lock; the owner's, or
 * of a thread that has ended. */
void accounts_follow(struct accounts *accounts, struct memory_budget *budget);

/* Posts what is in the journal to the accounts. Under the lock. */
void accounts_post(struct accounts *accounts, struct memory_budget *budget);

/* accounts_post, by the owner, who has put as many as there is room for. */
void accounts_post_full(
	struct accounts *accounts, struct lock *lock, struct memory_budget *budget);

/* One operation, whose node is one of the tree's now. The owner's. The lock is the tree's; NULL: no other thread looks. */
static inline void accounts_add(struct accounts *accounts, struct lock *lock,
	struct memory_budget *budget, const struct operation *operation)
{
	uint32_t put = atomic_load_explicit(&accounts->put, memory_order_relaxed);

	if (__builtin_expect(
		    put - atomic_load_explicit(&accounts->posted, memory_order_acquire) ==
			    JOURNAL,
		    0))
		accounts_post_full(accounts, lock, budget);
	accounts->journal[put % JOURNAL] = *operation;
	atomic_store_explicit(&accounts->put, put + 1, memory_order_release);
}

/* The nodes were renumbered: to(user, old) is what stands for the old one. Under the lock. */
void accounts_move(struct accounts *accounts, struct memory_budget *budget,
	uint32_t (*to)(const void *user, uint32_t node), const void *user);

/* Adds all of another's, whose nodes have become to(user, node). No other thread looks at either. */
void accounts_merge(struct accounts *accounts, struct memory_budget *budget,
	struct accounts *from, uint32_t (*to)(const void *user, uint32_t node),
	const void *user);

/* Bytes of the budget, but for what a visit gives back at any time. */
static inline size_t accounts_bytes(const struct accounts *accounts)
{
	return atomic_load_explicit(&accounts->bytes, memory_order_relaxed);
}

/* Accounts that are all zero are empty. */
void accounts_fini(struct accounts *accounts, struct memory_budget *budget);

#endif
