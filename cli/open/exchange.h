/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * exchange: a request that was let in, and its answer.
 *
 * Owned by one at a time: the server makes it, a worker fills the answer, the server sends that and frees it. Only the
 * server looks at its own members, but for the socket.
 */
#ifndef JPROF_CLI_EXCHANGE_H
#define JPROF_CLI_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>

struct evhttp_request;
struct server;

#define TYPE_JSON  "application/json"
#define TYPE_BLOCK "application/octet-stream"

struct answer {
	int status;       /* of HTTP */
	const char *type; /* static */
	char *bytes;      /* owned */
	size_t length;
};

struct exchange {
	char *query; /* what follows '?', as it was sent; "" without; owned */
	char *body;  /* ends with '\0'; owned */
	size_t body_length;
	struct answer answer;

	/* A worker's. */
	void (*run)(void *user, struct exchange *exchange);
	void *user;
	struct exchange *next;

	/* The server's. */
	struct server *server;
	struct evhttp_request *request; /* NULL: its connection is closed */
	int socket; /* the connection's, for exchange_is_left; never changed */
};

/* The client sends nothing more, as one that has closed the connection: the server does not see that before it has
 * answered, as nothing is read meanwhile. On any thread. */
bool exchange_is_left(const struct exchange *exchange);

/* Takes the bytes, which malloc made. */
void exchange_answer(
	struct exchange *exchange, int status, const char *type, char *bytes, size_t length);

/* The answer is {"error": "..."}. */
void exchange_refuse(struct exchange *exchange, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The answer is {"ok": true}, or with a reason why not {"ok": false, "error": "..."}. */
void exchange_conclude(struct exchange *exchange, const char *reason);

#endif
