/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * call_kinds: whether the calls of a method are timed or counted, where the plan leaves that open.
 *
 *   first sight: by what its bytecode says --> small: counted for good
 *                                          --> counted: until it is known to be rare --> timed
 *                                          --> timed, if it is native                <--> dear: counted, as timing takes too much
 *
 * Here it is only kept; who changes it has the classes rewritten (agent/probes/call_budget.h).
 *
 * Runs: on any thread, without locks.
 */
#ifndef JPROF_CALL_KINDS_H
#define JPROF_CALL_KINDS_H

#include "agent/methods/plan.h"

enum call_kind {
	CALL_UNSEEN,  /* or not left open */
	CALL_SMALL,   /* counted: timing would tell nothing */
	CALL_COUNTED, /* counted: it is not known how often it is called */
	CALL_TIMED,
	CALL_DEAR, /* counted: timing takes more than the budget */
	CALL_KINDS
};

/* A recording begins: nothing is decided. */
void call_kinds_forget(void);

/* The method's kind; one that is unseen gets one by its bytecode. */
enum call_kind call_kind_see(uint32_t method, const struct rewrite_method *code);
enum call_kind call_kind_of(uint32_t method);

/* It has another kind from now on. */
void call_kind_change(uint32_t method, enum call_kind kind);

/* The planned probes, where these are either, by the kind. code: NULL for a native method. */
probe_set call_kind_probes(
	probe_set planned, uint32_t method, const struct rewrite_method *code);

/* How many methods have each kind. */
void call_kinds_count(uint64_t count[CALL_KINDS]);

#endif
