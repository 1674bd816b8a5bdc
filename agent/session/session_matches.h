/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * session_matches: what the patterns of a session's options (filters_of in the .c) have matched. The one
 * place that status, the answers to start, stop and detach, and the profile's fact "matches" read
 * (options/matches.h).
 */
#ifndef JPROF_SESSION_MATCHES_H
#define JPROF_SESSION_MATCHES_H

#include <jansson.h>

#include "agent/session/session.h"
#include "options/nearest.h"

/* A pattern that has matched nothing so far. Borrowed from the session. */
struct unmatched {
	const char *key, *pattern; /* without PATTERN_ADD */
	const struct pattern_list *list;
	size_t at; /* its place there */
};

/* It has matched something. */
static inline void unmatched_note(const struct unmatched *unmatched)
{
	pattern_list_note(unmatched->list, unmatched->at);
}

/* Calls each for every one of them. */
void session_unmatched(const struct session *session,
	void (*each)(void *user, const struct unmatched *unmatched), void *user);

/* The names that come near it, from now on instead of those that were noted before. */
void session_note_near(struct session *session, const struct unmatched *unmatched,
	const struct nearest *nearest);

/* True if there are patterns without a match, and names near them were last noted 10 s ago, or never. */
bool session_near_is_old(struct session *session);

/* A row for each pattern, as options/matches.h has it; owned. NULL: no memory. On any thread. */
json_t *session_matches(struct session *session);

#endif
