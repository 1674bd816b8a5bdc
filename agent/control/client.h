/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * client: one connection: what was read, what is to be written.
 *
 * In:   bytes, no more than one unfinished line of them: nothing is read while a whole line
 *       waits to be answered.
 * Out:  answers, in a queue that is bounded: a client that does not read is dropped.
 * Owns: its descriptor, its line input, its queue.
 * Runs: on the control thread, without locks; nothing here waits.
 */
#ifndef JPROF_AGENT_CONTROL_CLIENT_H
#define JPROF_AGENT_CONTROL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/control/control.h"
#include "agent/control/line.h"

enum {
	CLIENT_QUEUE_BYTES = 1 << 20, /* of unread answers; a single one may be longer */
	CLIENT_LEAVING_MS = 1000      /* for reading why it has to go */
};

struct client {
	int descriptor; /* negative: the place is free */
	struct control_peer peer;
	struct line_input input;
	char *queue; /* queue[sent..queued) is to be written */
	size_t sent, queued;
	uint64_t heard; /* ms, when it last sent something */
	bool ended;     /* it sends no more */
	bool leaving;   /* dismissed: what it sends is thrown away... */
	uint64_t leave; /* ...and at this time, in ms, at the latest it is closed */
};

void client_open(struct client *client, int descriptor, const struct control_peer *peer,
	struct line_pool *pool, uint64_t now);
void client_close(struct client *client);

static inline bool client_here(const struct client *client)
{
	return client->descriptor >= 0;
}

/* True if it has sent all it will, and has its answers: it is to be closed. */
bool client_done(struct client *client);

/* What poll(2) is to wait for. */
short client_events(struct client *client);

/* Does what poll(2) found: reads once, writes what can be written. May close the client. */
void client_turn(struct client *client, short found, uint64_t now);

/* Queues an answer, which is freed, and writes what can be written; NULL: there was no memory
 * for one. May close the client. */
void client_tell(struct client *client, char *answer, size_t length);

/* Writes what can be written; found: what poll(2) found. May close the client. */
void client_flush(struct client *client, short found);

/* Queues an error, and lets the client leave: it has a second to read it. May close it. */
void client_dismiss(struct client *client, const struct error *error, uint64_t now);

#endif
