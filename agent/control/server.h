/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * server: the control thread's loop: poll(2), clients, one line of each in a round.
 *
 * In:   a listening socket; connections of our own user and of root, others are told to go.
 * Out:  calls of verbs, answers.
 * Owns: the clients. The listener is its user's.
 * Runs: on one thread, without locks; `ending` and `clients` are others' to write and to read.
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
	/* with those who are being told that they are too many */
	SERVER_SLOTS = SERVER_CLIENTS + 4,
	SERVER_IDLE_MS = 10000,      /* who is silent for so long gives way to others */
	SERVER_LINES_BYTES = 4 << 20 /* all unfinished lines together */
};

struct server {
	const struct control_setup *setup;
	int listener;
	/* set by whoever wants its end, who then shuts the listener down */
	_Atomic bool ending;
	_Atomic unsigned clients; /* connected, for whoever asks */
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
