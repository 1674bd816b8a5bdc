/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * server: the control thread's loop: poll(2), clients, one line of each in a round.
 *
 * In:   a listening socket; connections of our own user and of root, others are refused.
 * Out:  calls of verbs, answers.
 * Owns: the clients. The listener is its user's.
 * Runs: on one thread, without locks; other threads write `ending` and read `clients`.
 */
#ifndef JPROF_AGENT_CONTROL_SERVER_H
#define JPROF_AGENT_CONTROL_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/control/client.h"
#include "agent/control/control.h"

enum {
	SERVER_CLIENTS = 32,
	SERVER_SLOTS = SERVER_CLIENTS + 4, /* with refused ones that have not read why */
	SERVER_IDLE_MS = 10000,      /* silent for so long, a client gives way to others */
	SERVER_LINES_BYTES = 4 << 20 /* all unfinished lines together */
};

struct server {
	const struct control_setup *setup;
	int listener;
	_Atomic bool ending;      /* set to end it, before the listener is shut down */
	_Atomic unsigned clients; /* connected */
	uint64_t connections;     /* so many were numbered, in the life of the process */
	struct client client[SERVER_SLOTS];
	struct line_pool pool;
	uint64_t accept_after; /* ms: no descriptors before that, perhaps */
};

void server_init(struct server *server, const struct control_setup *setup, int listener);

/* Answers requests until `ending` is set, or a `last` verb has succeeded, or the listener is no
 * more. Clients are still connected, and answers may be waiting. */
void server_run(struct server *server);

/* Writes what is waiting, for no more than a second, and closes the clients. */
void server_fini(struct server *server);

#endif
