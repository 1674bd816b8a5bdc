/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * client: see client.h.
 *
 * A client that is dismissed while it still sends would not read the reason if its connection
 * were closed at once: its next write would fail first. So the reason is written, the writing
 * side shut, and what comes is thrown away until the client has seen that, or its second is
 * over.
 */
#include "agent/control/client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/control/message.h"

enum { THROWN_AWAY_BYTES = 1 << 16 }; /* at once */

void client_open(struct client *client, int descriptor, const struct control_peer *peer,
	struct line_pool *pool, uint64_t now)
{
	*client = (struct client){
		.descriptor = descriptor, .peer = *peer, .input = {.pool = pool}, .heard = now};
}

static void empty_queue(struct client *client)
{
	free(client->queue);
	client->queue = NULL;
	client->sent = client->queued = 0;
}

/* The application closed the descriptor: its number may be another's by now. */
static void forget(struct client *client)
{
	client->descriptor = -1;
	line_fini(&client->input);
	empty_queue(client);
}

void client_close(struct client *client)
{
	close(client->descriptor);
	forget(client);
}

/* ---- writing ---- */

static bool may_come_again(int reason)
{
	return reason == EAGAIN || reason == EWOULDBLOCK || reason == EINTR;
}

static void write_queue(struct client *client)
{
	while (client->sent < client->queued) {
		ssize_t sent = send(client->descriptor, client->queue + client->sent,
			client->queued - client->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && may_come_again(errno))
			return;
		if (sent < 0) {
			client_close(client);
			return;
		}
		client->sent += (size_t)sent;
	}
	empty_queue(client);
	if (client->leaving)
		shutdown(client->descriptor, SHUT_WR);
}

/* Puts an answer behind those that are not read yet. False: they are too many, or no memory. */
static bool append(struct client *client, const char *answer, size_t length)
{
	size_t waiting = client->queued - client->sent;
	char *queue;

	if (waiting > 0 &&
		(length > CLIENT_QUEUE_BYTES || waiting > CLIENT_QUEUE_BYTES - length))
		return false;
	if (waiting > 0)
		memmove(client->queue, client->queue + client->sent, waiting);
	client->sent = 0;
	client->queued = waiting;
	queue = realloc(client->queue, waiting + length);
	if (!queue)
		return false;
	memcpy(queue + waiting, answer, length);
	client->queue = queue;
	client->queued += length;
	return true;
}

void client_tell(struct client *client, char *answer, size_t length)
{
	bool queued = answer ? append(client, answer, length)
			     : append(client, answer_no_memory, strlen(answer_no_memory));

	free(answer);
	if (queued)
		write_queue(client);
	else
		client_close(client);
}

void client_dismiss(struct client *client, const struct error *error, uint64_t now)
{
	size_t length;
	char *answer = answer_line(NULL, NULL, error, &length);

	client->leaving = true;
	client->leave = now + CLIENT_LEAVING_MS;
	line_fini(&client->input);
	client_tell(client, answer, length);
}

/* ---- reading ---- */

/* What recv gave: bytes, the end, nothing for now, or a failure. */
static void note_received(struct client *client, ssize_t got, uint64_t now)
{
	if (got > 0)
		client->heard = now;
	else if (got == 0)
		client->ended = true;
	else if (!may_come_again(errno))
		client_close(client);
}

static void read_line(struct client *client, uint64_t now)
{
	struct error error = {0};
	size_t room;
	char *space = line_space(&client->input, &room, &error);
	ssize_t got;

	if (!space) {
		client_dismiss(client, &error, now);
		return;
	}
	got = recv(client->descriptor, space, room, MSG_DONTWAIT);
	if (got > 0)
		line_filled(&client->input, (size_t)got);
	note_received(client, got, now);
	/* Empty lines, or nothing at all, need no memory. */
	if (client_here(client) && !line_waiting(&client->input))
		line_done(&client->input);
}

/* ---- both ---- */

bool client_done(struct client *client)
{
	return client->ended && !client->queue && !line_waiting(&client->input);
}

static bool wants_bytes(struct client *client)
{
	return client->leaving || (!client->ended && !line_waiting(&client->input));
}

short client_events(struct client *client)
{
	short events = client->queue ? POLLOUT : 0;

	return wants_bytes(client) ? events | POLLIN : events;
}

void client_flush(struct client *client, short found)
{
	if (found & POLLNVAL)
		forget(client);
	else if (client->queue)
		write_queue(client);
}

void client_turn(struct client *client, short found, uint64_t now)
{
	char thrown[THROWN_AWAY_BYTES];

	if (found)
		client_flush(client, found);
	if (client_here(client) && found && wants_bytes(client)) {
		if (client->leaving) {
			note_received(client,
				recv(client->descriptor, thrown, sizeof(thrown), MSG_DONTWAIT),
				now);
			if (client_here(client) && client->ended)
				client_close(client);
		} else {
			read_line(client, now);
		}
	}
	if (client_here(client) && client->leaving && now >= client->leave)
		client_close(client);
}
