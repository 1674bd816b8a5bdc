/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * server: HTTP on 127.0.0.1, for the page alone.
 *
 * In:   whatever connects: any program of this machine, whoever's; gate.h says who is answered.
 * Out:  the page, and exchanges for routes, which answer now or later.
 * Runs: all on one thread, that of the event loop.
 *
 * HTTP is libevent's (evhttp). libmicrohttpd would bring limits of connections and of memory along; but Debian's is made
 * with GnuTLS, whose libraries cannot be linked statically, and is under the LGPL. libevent's loop has signals and timers,
 * too. What evhttp lacks is here:
 *
 *   - Connections are counted, by a reference to the buffers of each; those that evhttp has given up are found by looking,
 *     five times a second and when another one comes. What they send until then is not read beyond a limit.
 *   - CONNECTIONS at a time: for a new one the oldest goes that has not sent a whole request. So 1,000 silent ones
 *     keep nobody out. OVERSHOOT more, until those have gone; then others wait in the kernel's queue.
 *   - A request must have come RECEIVE seconds after its connection, an answer been read SEND seconds after it was
 *     made, however slowly bytes drip.
 *   - One request a connection: nothing stands in line behind another one.
 *
 * Strangers can make it hold CONNECTIONS + OVERSHOOT times HEADERS + BODY bytes twice, in all 26 MB.
 */
#ifndef JPROF_CLI_SERVER_H
#define JPROF_CLI_SERVER_H

#include <stdint.h>

#include "cli/open/exchange.h"
#include "cli/open/gate.h"

struct event_base;

/* A place below /TOKEN/. */
struct route {
	const char *name;
	bool is_post; /* with JSON; else GET */
	/* Answers at once or later (server_answer), once, on the loop's thread. */
	void (*take)(void *user, struct exchange *exchange);
};

struct serving {
	unsigned port; /* 0: any that is free */
	const struct route *route;
	size_t route_count;
	void *user; /* of routes */
	/* The page: its bytes, borrowed, and what its header Content-Security-Policy allows. */
	const char *page;
	size_t page_length;
	const char *policy;
	/* Somebody who is let in asks for something. */
	void (*asked)(void *user);
};

/* Listens. serving is borrowed. 0, or a negative code. Owned (server_destroy). */
int server_create(struct server **server, struct event_base *base,
	const struct serving *serving, struct error *error);

/* Runs what the loop has to do at once: with no events of others in it any more. */
void server_destroy(struct server *server);

/* "http://127.0.0.1:PORT/TOKEN/", borrowed. */
const char *server_address(const struct server *server);

/* Sends the answer that the exchange has, and frees that. */
void server_answer(struct exchange *exchange);

/* Frees one that is not answered. */
void server_drop(struct exchange *exchange);

#endif
