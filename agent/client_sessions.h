/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * client_sessions: what sessions that clients of the control channel have begun have beside
 * the recorder's: whose they are, when they end by themselves, and what a stop that comes
 * later is answered.
 *
 *   verbs --> start: add     stop: take_ended     status: describe
 *   control --> due, gone --> recorder_stop
 *
 * A session ends by itself when its time is over, or the connection that it lasts as long as
 * is gone. The command that wanted it may be gone by then.
 *
 * Runs: on the control thread alone, without locks.
 */
#ifndef JPROF_AGENT_CLIENT_SESSIONS_H
#define JPROF_AGENT_CLIENT_SESSIONS_H

#include "agent/control/control.h"
#include "agent/recording/recorder.h"

enum { CLIENT_WORD_BYTES = 64 + 1 };

/* Who wants a session. */
struct client_owner {
	struct control_peer peer;
	char by[CLIENT_WORD_BYTES]; /* what it calls itself: "jprof attach" */
};

/* word: what the client calls itself; NULL: as the kernel does. 0, or a negative code: it is
 * too long. */
int client_owner_read(struct client_owner *owner, const struct control_peer *peer,
	const char *word, struct error *error);

/* "uid 1000, jprof attach, process 4711": what the profile says. Owned; NULL: no memory. */
char *client_owner_text(const struct client_owner *owner);

/* What a session that has just begun is to have. */
struct client_session {
	uint32_t number;
	struct client_owner owner;
	uint64_t ms;          /* how long it may last; 0: no matter how long */
	bool while_connected; /* and not longer than the connection */
};

void client_sessions_add(const struct client_session *session);

/* Of a session that has ended by itself and was not asked for since: true, and what its end
 * has told and how it went, to be given back; it is forgotten. name NULL and number 0: the
 * last one, unless another one has begun since. */
bool client_sessions_take_ended(
	const char *name, uint32_t number, struct recorder_told *told, struct error *error);

/* Changes rows of recorder_sessions: `owner` becomes an object of `text` and, where a client
 * has begun it, `uid`, `pid`, `by`; those that end by themselves get `ends_in_ms`, and
 * `while_connected`. */
void client_sessions_describe(json_t *rows);

/* All of this is over: the agent is detached. */
void client_sessions_forget(void);

/* Of struct control_setup. */
int64_t client_sessions_due_in(void);
void client_sessions_due(void);
void client_sessions_gone(uint64_t connection);
bool client_sessions_need(uint64_t connection);

#endif
