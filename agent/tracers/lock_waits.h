/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * lock_waits: threads that wait for locks: each wait from its begin to its row in the profile.
 *
 *   begin, in the thread ---- the holder is asked where it is -----> answered \
 *        |                                                                     > both: contention, the longest ones
 *   end, in the thread  ---- its stack is on its way --------------> placed   /
 *
 *   under way for a second, or as the trace ends ---- its thread is asked where it is ----> seen: unfinished
 *
 * A wait goes with its thread, by Thread.threadId(), not with what carries it. What is summed up is bounded: sums of
 * what has no room go to a row of the lock, and where that has none to one of the kind.
 *
 * Runs: begin, end, drop, cut, to_ask in any thread; placed, answered, seen, sweep, put on the writer's; no JVM is needed.
 * Owns: its memory, from open to close.
 */
#ifndef JPROF_LOCK_WAITS_H
#define JPROF_LOCK_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile_write.h"

/* A wait, by its place and how often that was used; 0: none. What comes for one that is over is ignored. */
typedef uint64_t wait_ref;

/* What is known of the one that holds the lock. */
enum wait_holder {
	HOLDER_NONE,    /* nobody does, or that is no lock that is held */
	HOLDER_ASKED,   /* it is known, and where it is will be: waits_answered */
	HOLDER_UNKNOWN, /* it could not be told */
	HOLDER_STATES
};

/* What goes into accounts and is called what, by whoever has the call tree. On the writer's thread. */
struct waits_tree {
	/* Adds a wait's time to the holder's account at its place. */
	void (*hold)(uint32_t place, uint32_t lock, uint64_t ns);
	/* Adds waits of one kind to the account at their place. */
	void (*waits)(uint32_t place, enum account_kind kind, uint32_t lock, uint64_t count,
		uint64_t failures, uint64_t ns);
	/* The node's id in the file, profile_node_id; it may become another one. */
	uint64_t (*node)(uint32_t place);
};

/* bytes: for all that is kept. 0, or -1: no memory. */
int waits_open(uint64_t bytes, const struct waits_tree *tree);
void waits_close(void);

/* A thread begins to wait. If it did already, that is forgotten. 0: no room, which is counted. java: its JavaThread, or the
 * one of its carrier, for whoever asks where it is (waits_to_ask). */
wait_ref waits_begin(
	int64_t thread, uintptr_t java, enum account_kind kind, uint32_t lock, uint64_t begin);

/* Behind each waits_begin, once: who holds the lock. With HOLDER_ASKED waits_answered follows, or came before
 * this. holder: its Thread.threadId(), 0: not known. */
void waits_held(wait_ref wait, enum wait_holder state, int64_t holder);

/* The thread waits no more. 0: no begin was seen. Else waits_placed or waits_drop follows. ns: how long; *kind, *lock: what
 * it waited for. */
struct wait_end {
	wait_ref wait;
	enum account_kind kind;
	uint32_t lock;
	uint64_t ns;
	bool idle; /* nobody held that */
};
struct wait_end waits_end(int64_t thread, uint64_t now, bool timed_out);

/* True if the thread waits, by what the trace has seen, for something of that kind. */
bool waits_is(int64_t thread, enum account_kind kind);

/* In the place of waits_placed, in the thread: it waited there, for nobody. False: there is no room, or somebody was asked. */
bool waits_add(wait_ref wait, uint32_t place);

/* It is not to be told; of waits_lose there was no room for its stack. */
void waits_drop(wait_ref wait);
void waits_lose(wait_ref wait);

/* Those that are under way are unfinished: what ends later began too early. The longest are kept to be put, contended ones before
 * others. How many are not. */
uint64_t waits_cut(uint64_t now);

/* ---- waits that are under way ---- */

/* A wait whose thread is to be asked where it is; waits_seen may follow. */
enum { WAITS_ASKED = 64 };
struct wait_asked {
	wait_ref wait;
	int64_t thread;
	uintptr_t java;
	uint32_t lock;
};

/* Some that nobody has asked for yet: those that were cut, and such as have been under way for a second, contended ones first. How
 * many; they count as asked for. On any thread. */
unsigned waits_to_ask(uint64_t now, struct wait_asked asked[WAITS_ASKED]);

/* ---- on the writer's thread ---- */

/* Where the waiter waited; 0: its stack was lost. */
void waits_placed(wait_ref wait, uint32_t place);

/* Where the holder was; 0: that is not known. */
void waits_answered(wait_ref wait, uint32_t place);

/* Where the waiter of one that is under way, or was cut, is; 0: that is not known. */
void waits_seen(wait_ref wait, uint32_t place);

/* Takes what waits_add has summed up. Those that were placed some seconds ago are answered, or (all) all of them. */
void waits_sweep(uint64_t now, bool all);

/* Puts what is new or changed, and all that are unfinished by now. began: what times are counted from. */
int waits_put(
	struct profile_writer *profile, uint64_t began, uint64_t now, struct error *error);
void waits_put_done(bool kept);

/* A snapshot was made of what was put: the longest ones are of the time behind it from now on. */
void waits_close_longest(void);

struct waits_state {
	uint64_t ended; /* waits that were told of */
	uint64_t lost;  /* for want of room, or of a stack */
	uint64_t held, answered,
		unknown; /* with a holder; whose path is known, too; whose holder could not be told */
	uint64_t folded; /* that have no row of their own */
};
struct waits_state waits_state(void);

/* ---- who waits now ---- */

struct wait_now {
	int64_t thread, holder; /* Thread.threadId(); holder 0: none is known */
	enum account_kind kind;
	uint32_t lock;
	uint64_t begin;
};

/* Calls each for every thread that waits; under a lock. */
void waits_each(void (*each)(void *user, const struct wait_now *wait), void *user);

#endif
