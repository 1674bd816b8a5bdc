/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_accounts: what a thread's I/O operations came to, for each call path, file and kind.
 *
 *   (node of the call tree, file, operation) --> operations, failures, bytes, ns
 *
 * A list beside the tree, and a hash of its indices. When nodes are folded or renumbered,
 * accounts follow them, and those of the same new key become one: a sum over nodes is
 * never less for it. Accounts are taken beyond the budget if need be; the system without memory
 * leaves the operation alone: sums over everything stay exact. File 0 is never in the list.
 *
 * A file may be folded into its group at any time (agent/io/io_files.h): an account of it
 * counts for the group from then on. When the list is full, accounts of folded files
 * become those of their groups; it grows only if that was not enough. Indices change
 * then, and with them `generation`.
 *
 * Runs: the owning thread adds (relaxed stores, one writer); what moves accounts takes
 * the tree's lock, and so does whoever reads them from another thread.
 */
#ifndef JPROF_IO_ACCOUNTS_H
#define JPROF_IO_ACCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "agent/trace/arena.h"
#include "profile/io_words.h"

struct io_account {
	uint32_t node; /* index in the tree */
	uint32_t group : 23; /* of the file */
	uint32_t op : 8;     /* enum io_op */
	uint32_t part : 1;   /* of an archive's operation, which is told by itself, too */
	uint64_t file;       /* 0: not known, or no memory to tell */
	uint64_t ops, failures, bytes, ns;
};

struct io_accounts {
	struct arena list, index;
	uint32_t count;    /* stored with release when a new account is whole */
	uint32_t capacity; /* of the list */
	uint32_t mask;     /* places of the index - 1; it holds indices + 1, 0: empty */
	uint32_t
		generation; /* of the indices of accounts, as long as nodes have theirs */
	bool hold;          /* under the tree's lock: indices must stay */
	uint32_t last[IO_OPS];       /* index + 1 of the account that was last added to */
	struct io_account rest[IO_OPS]; /* without memory: node and file 0 */
};

static inline struct io_account *io_account_at(const struct io_accounts *accounts, uint32_t i)
{
	return &((struct io_account *)accounts->list.base)[i];
}

static inline bool io_account_is(const struct io_account *a, const struct io_account *b)
{
	return a->node == b->node && a->file == b->file && a->op == b->op;
}

static inline void io_account_add64(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static inline void io_account_add(struct io_account *account, const struct io_account *more)
{
	io_account_add64(&account->ops, more->ops);
	io_account_add64(&account->failures, more->failures);
	io_account_add64(&account->bytes, more->bytes);
	io_account_add64(&account->ns, more->ns);
}

/* Who tells what a file of a group has become; before the first account. NULL, as in the
 * beginning: none is folded. */
void io_accounts_ask(uint64_t (*file_now)(uint64_t file, uint32_t group));

/* The file that the account counts for: its own, or the group that it was folded into. */
uint64_t io_account_file(const struct io_account *account);

/* Accounts of folded files become those of their groups. Under the lock; the owner's, or
 * of a thread that has ended. */
void io_accounts_follow(struct io_accounts *accounts);

void io_accounts_add_elsewhere(struct io_accounts *accounts, struct lock *lock,
	struct memory_budget *budget, const struct io_account *operation);

/* One operation. The lock is the tree's, taken to grow; NULL: nobody else looks. */
static inline void io_accounts_add(struct io_accounts *accounts, struct lock *lock,
	struct memory_budget *budget, const struct io_account *operation)
{
	uint32_t last = accounts->last[operation->op];

	/* The same operation of the same path with the same file as the one before. */
	if (__builtin_expect(last != 0, 1) &&
		io_account_is(io_account_at(accounts, last - 1), operation))
		io_account_add(io_account_at(accounts, last - 1), operation);
	else
		io_accounts_add_elsewhere(accounts, lock, budget, operation);
}

/* The nodes were renumbered: to(user, old) is what stands for the old one. Under the lock. */
void io_accounts_move(struct io_accounts *accounts,
	uint32_t (*to)(const void *user, uint32_t node), const void *user);

/* Adds all of another's, whose nodes have become to(user, node). Nobody looks at either. */
void io_accounts_merge(struct io_accounts *accounts, struct memory_budget *budget,
	const struct io_accounts *from, uint32_t (*to)(const void *user, uint32_t node),
	const void *user);

/* All bytes it holds of the budget. */
static inline size_t io_accounts_bytes(const struct io_accounts *accounts)
{
	return accounts->list.bytes + accounts->index.bytes;
}

/* All counts become 0; keys stay. */
void io_accounts_zero(struct io_accounts *accounts);

void io_accounts_fini(struct io_accounts *accounts, struct memory_budget *budget);

#endif
