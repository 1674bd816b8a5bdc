/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * control: the agent's side of the channel by which it is controlled while the application runs
 * (docs/control-protocol.md): a socket, and a thread that answers.
 *
 * In:   requests of the same user's, or root's, processes.
 * Out:  calls of verbs, on the control thread, one at a time.
 * Owns: the socket and its directory, the thread, the connections. Two descriptors, and one for
 *       each client; all of them closed on exec.
 * Runs: the thread is a plain one, unknown to the JVM, and takes no signals.
 */
#ifndef JPROF_AGENT_CONTROL_CONTROL_H
#define JPROF_AGENT_CONTROL_CONTROL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "error/error.h"

/* Who asks: a connection, and the process at its other end as the kernel told it when that
 * connected. */
struct control_peer {
	uint64_t connection; /* a number that is never used again; 0: none */
	uid_t uid;
	pid_t pid; /* as this process sees it; 0: it does not */
};

/* run fills *result (a new JSON object; left NULL it is {}), or returns a negative code with
 * error filled. `request` is the whole object that the client sent: unknown members are legal,
 * and nothing but "jprof", "id" and "verb" was looked at. */
struct control_verb {
	const char *name;
	int (*run)(const struct control_peer *peer, const json_t *request, json_t **result,
		struct error *error);
	bool last; /* once it succeeds the channel closes behind its answer */
};

/* Borrowed for good. */
struct control_setup {
	const struct control_verb *verbs; /* ends with a NULL name */
	/* What is to be done without being asked, on the control thread, too: in how many
	 * ms; -1: there is nothing. Looked at again behind each verb. */
	int64_t (*due_in)(void);
	void (*due)(void);
	/* A connection has ended. Not if the whole channel ends. NULL: nothing depends on one. */
	void (*gone)(uint64_t connection);
	/* Something lasts as long as the connection does: it does not give way to others while
	 * it is silent. NULL: nothing does. */
	bool (*needs)(uint64_t connection);
	bool attached; /* what `hello` says of how the agent was loaded */
	/* where directories may be, ends with NULL; NULL: as documented */
	const char *const *roots;
};

/* Makes the socket and starts the thread, behind the end of an earlier one. 0, or a negative
 * code: there is no channel, and the error says why. Keeps errno. */
int control_start(const struct control_setup *setup, struct error *error);

/* The process ends, or the agent is detached: socket and directory are gone when it returns,
 * and no verb begins any more; one that runs is waited for a fifth of a second. On any thread,
 * the control thread too; does nothing when nothing was started, all has ended, or in a forked
 * child. Keeps errno. */
void control_end(void);

/* True if there is a channel. On any thread. */
bool control_is_open(void);

/* How many clients are connected. On any thread. */
unsigned control_clients(void);

#endif
