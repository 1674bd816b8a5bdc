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
 * Runs: the owning thread adds (relaxed stores, one writer); what moves accounts takes
 * the tree's lock, and so does another thread that reads them.
 */
#ifndef JPROF_ACCOUNTS_H
#define JPROF_ACCOUNTS_H

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

struct accounts {
	struct arena list, index;
	uint32_t count;    /* stored with release when a new account is whole */
	uint32_t capacity; /* of the list */
	uint32_t mask;     /* places of the index - 1; it holds indices + 1, 0: empty */
	uint32_t next_id;
	uint32_t moves;    /* how often indices changed while nodes kept theirs */
	bool hold;         /* under the tree's lock: indices must stay */
	struct arena gone; /* ids that ceased, oldest first */
	uint32_t gone_count, gone_shown;
	/* index + 1 of the account that was last added to */
	uint32_t last[ACCOUNT_KINDS];
	/* without memory: node and subject 0; ids from UINT32_MAX down */
	struct account rest[ACCOUNT_KINDS];
};

static inline struct account *account_at(const struct accounts *accounts, uint32_t i)
{
	return &((struct account *)accounts->list.base)[i];
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

static inline void account_add64(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static inline void account_add(struct account *account, const struct account *more)
{
	account_add64(&account->count, more->count);
	account_add64(&account->failures, more->failures);
	account_add64(&account->amount, more->amount);
	account_add64(&account->ns, more->ns);
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

/* An operation of that path with that subject has begun: what leads to its account is brought near, while it runs. The owner's. */
void accounts_expect(const struct accounts *accounts, uint32_t node, uint64_t subject);

void accounts_add_elsewhere(struct accounts *accounts, struct lock *lock,
	struct memory_budget *budget, const struct account *operation);

/* One operation. The lock is the tree's, taken to grow; NULL: no other thread looks. */
static inline void accounts_add(struct accounts *accounts, struct lock *lock,
	struct memory_budget *budget, const struct account *operation)
{
	uint32_t last = accounts->last[operation->kind];

	/* The same operation of the same path with the same file as the one before. */
	if (__builtin_expect(last != 0, 1) &&
		account_is(account_at(accounts, last - 1), operation))
		account_add(account_at(accounts, last - 1), operation);
	else
		accounts_add_elsewhere(accounts, lock, budget, operation);
}

/* The nodes were renumbered: to(user, old) is what stands for the old one. Under the lock. */
void accounts_move(struct accounts *accounts, struct memory_budget *budget,
	uint32_t (*to)(const void *user, uint32_t node), const void *user);

/* Adds all of another's, whose nodes have become to(user, node). No other thread looks at either. */
void accounts_merge(struct accounts *accounts, struct memory_budget *budget,
	const struct accounts *from, uint32_t (*to)(const void *user, uint32_t node),
	const void *user);

/* Bytes of the budget, but for what a visit gives back at any time. */
static inline size_t accounts_bytes(const struct accounts *accounts)
{
	return accounts->list.bytes + accounts->index.bytes;
}

/* Before the first operation. */
void accounts_init(struct accounts *accounts);
void accounts_fini(struct accounts *accounts, struct memory_budget *budget);

#endif
