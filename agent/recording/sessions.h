/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sessions: those that record now, and what they are called.
 *
 * A session has a number, which none has again in the process; a name, which none of those that record has as well; and a
 * bit, which another one has later.
 *
 * Runs: add and remove in a turn (turn.h), where also sessions_meant is called; the rest on any thread, beside commands.
 */
#ifndef JPROF_SESSIONS_H
#define JPROF_SESSIONS_H

#include <jansson.h>

#include "agent/session/session.h"

/* Gives the session, which is about to record, its number, name, owner and bit. name: 1 to SESSION_NAME of A-Za-z0-9._-; NULL: s1,
 * s2, ... by its number. 0, -ERROR_VALUE: the name is none, or -ERROR_BUSY: one of that name records, or too many do. */
int sessions_name(
	struct session *session, const char *name, const char *owner, struct error *error);

/* It records; or not any more. Its bit may be given again, unless something still has it. */
void sessions_add(struct session *session);
void sessions_remove(struct session *session, bool bit_is_free);

/* A session that was never added leaves its bit to nobody: something still has it. */
void sessions_keep_bit(unsigned bit);

/* How many record; and one of them, the oldest at 0. In a turn. */
unsigned sessions_count(void);
struct session *sessions_at(unsigned place);

/* Sessions that have been there, in the life of the process. */
uint32_t sessions_ever(void);

/* The one of that name, or of that number; NULL and 0: the only one. NULL, with -ERROR_BUSY in error: it does not record, or
 * several do, which the error names. */
struct session *sessions_meant(const char *name, uint32_t number, struct error *error);
bool sessions_have(const char *name, uint32_t number);

/* An object for each, in the order of their numbers: "name", "number", "owner", "file", "started", "duration_ns", "options",
 * "matches", "traces", "scope". Owned; NULL: no memory. */
json_t *sessions_describe(void);

#endif
