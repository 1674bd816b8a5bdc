/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* server: see server.h. */
#include "agent/control/server.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "agent/control/message.h"

enum {
	RETRY_MS = 500,  /* after a failure to accept */
	FLUSH_MS = 1000, /* for the last answers */
	LONGEST_MS = 3600000
};

/* The listener, then the clients that are there. No free slots among them: poll refuses more
 * entries than the process may have descriptors. */
enum { POLLED = 1 + SERVER_SLOTS };

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool is_ending(const struct server *server)
{
	return atomic_load_explicit(&server->ending, memory_order_acquire);
}

/* Connected ones, without those that are leaving. */
static unsigned count_clients(const struct server *server)
{
	unsigned count = 0;

	for (unsigned i = 0; i < SERVER_SLOTS; i++)
		count += client_here(&server->client[i]) && !server->client[i].leaving;
	return count;
}

static void publish_clients(struct server *server)
{
	atomic_store_explicit(&server->clients, count_clients(server), memory_order_relaxed);
}

/* ---- clients that come ---- */

static int check_peer(int descriptor, struct control_peer *peer, struct error *error)
{
	struct ucred told;
	socklen_t size = sizeof(told);

	if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &told, &size) != 0)
		return error_set_errno(error, ERROR_DENIED, errno, "cannot tell who asks");
	peer->uid = told.uid;
	peer->pid = told.pid;
	if (told.uid == 0 || told.uid == geteuid())
		return 0;
	return error_set(error, ERROR_DENIED,
		"user %ld may not control this process; its own user, %ld, and root may",
		(long)told.uid, (long)geteuid());
}

static bool is_needed(const struct server *server, const struct client *client)
{
	return server->setup->needs && server->setup->needs(client->peer.connection);
}

/* Connections end in many places; here it is told of those that did. */
static void tell_gone(struct server *server)
{
	for (unsigned i = 0; i < SERVER_SLOTS; i++) {
		struct client *client = &server->client[i];

		if (client_here(client) || client->peer.connection == 0)
			continue;
		if (server->setup->gone)
			server->setup->gone(client->peer.connection);
		client->peer.connection = 0;
	}
}

/* Beyond SERVER_CLIENTS a client comes in place of the one that has been silent longest, if
 * that is long enough; otherwise it is refused. */
static int make_room(struct server *server, uint64_t now, struct error *error)
{
	struct client *idle = NULL;

	if (count_clients(server) < SERVER_CLIENTS)
		return 0;
	for (unsigned i = 0; i < SERVER_SLOTS; i++) {
		struct client *client = &server->client[i];

		if (client_here(client) && !client->leaving &&
			now - client->heard >= SERVER_IDLE_MS &&
			(!idle || client->heard < idle->heard) && !is_needed(server, client))
			idle = client;
	}
	if (!idle)
		return error_set(error, ERROR_BUSY,
			"%d clients are connected, and none is idle; try again later",
			SERVER_CLIENTS);
	client_close(idle);
	return 0;
}

/* A refused client has a slot, too, until it has read why. There is always one: if none is
 * free, that of the client that has been leaving longest. */
static void welcome(struct server *server, int descriptor, uint64_t now)
{
	struct error error = {0};
	struct control_peer peer = {.connection = ++server->connections};
	struct client *slot = NULL;
	int refused = check_peer(descriptor, &peer, &error);

	if (!refused)
		refused = make_room(server, now, &error);
	for (unsigned i = 0; i < SERVER_SLOTS; i++) {
		struct client *client = &server->client[i];

		if (!client_here(client)) {
			slot = client;
			break;
		}
		if (client->leaving && (!slot || client->leave < slot->leave))
			slot = client;
	}
	if (client_here(slot))
		client_close(slot);
	tell_gone(server);
	client_open(slot, descriptor, &peer, &server->pool, now);
	if (refused)
		client_dismiss(slot, &error, now);
}

/* When there are no descriptors, or whatever else is the matter, the listener is left alone
 * for a while: it would be reported as ready again and again. */
static void accept_clients(struct server *server, uint64_t now)
{
	for (unsigned i = 0; i < SERVER_SLOTS; i++) {
		int descriptor =
			accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (descriptor >= 0) {
			welcome(server, descriptor, now);
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			return;
		} else if (errno != EINTR && errno != ECONNABORTED) {
			server->accept_after = now + RETRY_MS;
			return;
		}
	}
}

/* ---- what they ask ---- */

/* Answers one line of each client. False: the channel ends. */
static bool answer_round(struct server *server)
{
	for (unsigned i = 0; i < SERVER_SLOTS; i++) {
		struct client *client = &server->client[i];
		const char *line;
		char *answer;
		size_t line_length, length;
		bool last;

		if (is_ending(server))
			return false;
		if (!client_here(client) || client->leaving ||
			!line_next(&client->input, &line, &line_length))
			continue;
		answer = verbs_answer(
			server->setup, &client->peer, line, line_length, &length, &last);
		line_done(&client->input);
		client->heard = now_ms(); /* waiting for an answer is not idling */
		client_tell(client, answer, length);
		if (last)
			return false;
	}
	return true;
}

/* ---- the loop ---- */

/* Until something has to be done without being asked, in ms; -1: for ever. */
static int patience(struct server *server, uint64_t now)
{
	int64_t due = server->setup->due_in ? server->setup->due_in() : -1;
	uint64_t until = due < 0 ? UINT64_MAX : now + (uint64_t)due;

	if (server->accept_after > now && server->accept_after < until)
		until = server->accept_after;
	for (unsigned i = 0; i < SERVER_SLOTS; i++) {
		struct client *client = &server->client[i];

		if (!client_here(client))
			continue;
		if (line_waiting(&client->input))
			return 0;
		if (client->leaving && client->leave < until)
			until = client->leave;
	}
	if (until == UINT64_MAX)
		return -1;
	if (until <= now)
		return 0;
	return until - now < LONGEST_MS ? (int)(until - now) : LONGEST_MS;
}

/* How many there are. */
static unsigned fill_polled(struct server *server, struct pollfd *polled, uint64_t now)
{
	unsigned count = 1;

	/* Even without events poll(2) reports that the listener was shut down. */
	polled[0] = (struct pollfd){
		.fd = server->listener, .events = server->accept_after > now ? 0 : POLLIN};
	for (unsigned i = 0; i < SERVER_SLOTS; i++) {
		struct client *client = &server->client[i];

		if (client_here(client))
			polled[count++] = (struct pollfd){
				.fd = client->descriptor, .events = client_events(client)};
	}
	return count;
}

/* Waits, and lets clients read and write. False: the listener is gone. */
static bool turn(struct server *server)
{
	struct pollfd polled[POLLED];
	uint64_t now = now_ms();
	unsigned count = 1;

	/* Not when their last answer is written: if that was the channel's last, the socket
	 * has to go first. */
	for (unsigned i = 0; i < SERVER_SLOTS; i++)
		if (client_here(&server->client[i]) && client_done(&server->client[i]))
			client_close(&server->client[i]);
	tell_gone(server);
	publish_clients(server);
	if (poll(polled, fill_polled(server, polled, now), patience(server, now)) < 0) {
		/* No memory, say: neither spins nor gives up. */
		poll(NULL, 0, RETRY_MS);
		return true;
	}
	now = now_ms();
	/* In the order in which they were put in. */
	for (unsigned i = 0; i < SERVER_SLOTS; i++)
		if (client_here(&server->client[i]))
			client_turn(&server->client[i], polled[count++].revents, now);
	/* Behind the clients: one that has just sent something is not idle. */
	if (polled[0].revents & POLLIN)
		accept_clients(server, now);
	return !(polled[0].revents & (POLLNVAL | POLLHUP | POLLERR));
}

void server_init(struct server *server, const struct control_setup *setup, int listener)
{
	server->setup = setup;
	server->listener = listener;
	atomic_store(&server->ending, false);
	atomic_store(&server->clients, 0);
	server->pool = (struct line_pool){
		.limit = SERVER_LINES_BYTES - (size_t)SERVER_SLOTS * LINE_FIRST_BYTES};
	server->accept_after = 0;
	for (unsigned i = 0; i < SERVER_SLOTS; i++)
		server->client[i] = (struct client){.descriptor = -1};
}

void server_run(struct server *server)
{
	bool going = true;

	while (going && !is_ending(server)) {
		going = turn(server);
		publish_clients(server);
		going = answer_round(server) && going;
		if (going && server->setup->due_in && server->setup->due_in() == 0)
			server->setup->due();
	}
}

/* Writes what waits to be written, and nothing else. */
static void flush(struct server *server)
{
	struct pollfd polled[SERVER_SLOTS];
	uint64_t now = now_ms(), until = now + FLUSH_MS;

	while (now < until) {
		unsigned waiting = 0, next = 0;

		for (unsigned i = 0; i < SERVER_SLOTS; i++) {
			const struct client *client = &server->client[i];

			if (client_here(client) && client->queue)
				polled[waiting++] = (struct pollfd){
					.fd = client->descriptor, .events = POLLOUT};
		}
		if (waiting == 0 || poll(polled, waiting, (int)(until - now)) < 0)
			return;
		for (unsigned i = 0; i < SERVER_SLOTS; i++)
			if (client_here(&server->client[i]) && server->client[i].queue)
				client_flush(&server->client[i], polled[next++].revents);
		now = now_ms();
	}
}

void server_fini(struct server *server)
{
	flush(server);
	for (unsigned i = 0; i < SERVER_SLOTS; i++)
		if (client_here(&server->client[i]))
			client_close(&server->client[i]);
	publish_clients(server);
}
