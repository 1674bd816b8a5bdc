/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* server: see server.h. */
#include "cli/open/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/http_struct.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "cli/terminal/waiting.h"

/* At a time; of these, beyond the limit, until others have gone; descriptors that are for other things. */
enum { CONNECTIONS = 128, OVERSHOOT = 32, OTHER_DESCRIPTORS = 64, BACKLOG = 128 };

/* Bytes of a request. */
enum { HEADERS = 16 * 1024, BODY = 64 * 1024 };

/* Milliseconds for a request to come and for an answer to be read; between two looks at that. */
enum { RECEIVE = 10000, SEND = 60000, LOOK = 200 };

/* A connection is here until evhttp has given it up. */
enum stage { STAGE_RECEIVING, STAGE_WORKING, STAGE_SENDING, STAGE_LEAVING };

struct connection {
	struct bufferevent *socket; /* held by evhttp, too */
	enum stage stage;
	int64_t since; /* when it came to its stage; milliseconds */
	/* In the order in which they came; both NULL at the ends. */
	struct connection *older, *newer;
};

struct server {
	const struct serving *serving;
	struct event_base *base; /* borrowed */
	struct gate gate;
	struct evhttp *http;
	struct evconnlistener *listener;
	bool is_bound; /* the listener is http's */
	struct event *look;
	struct connection *oldest, *newest;
	unsigned connections;
	bool is_full; /* does not listen */
	char address[64];
};

/* ---- connections ---- */

static void come_to(struct connection *connection, enum stage stage)
{
	connection->stage = stage;
	connection->since = waiting_now();
}

/* Told that its time is over evhttp gives it up, also where nothing is read because there is too much already. */
static void turn_out(struct connection *connection)
{
	come_to(connection, STAGE_LEAVING);
	bufferevent_trigger_event(
		connection->socket, BEV_EVENT_TIMEOUT, BEV_TRIG_DEFER_CALLBACKS);
}

/* One that has not yet asked for anything makes room. */
static void turn_out_oldest(struct server *server)
{
	for (struct connection *one = server->oldest; one; one = one->newer) {
		if (one->stage != STAGE_RECEIVING)
			continue;
		turn_out(one);
		return;
	}
}

/* Gives back those that evhttp has given up: their callbacks are gone. */
static void sweep(struct server *server)
{
	for (struct connection *one = server->oldest, *newer; one; one = newer) {
		bufferevent_data_cb read, write;
		bufferevent_event_cb event;
		void *user;

		newer = one->newer;
		bufferevent_getcb(one->socket, &read, &write, &event, &user);
		if (read || write || event)
			continue;
		*(one->older ? &one->older->newer : &server->oldest) = one->newer;
		*(one->newer ? &one->newer->older : &server->newest) = one->older;
		server->connections--;
		bufferevent_decref(one->socket); /* its descriptor is closed */
		free(one);
	}
	if (server->is_full && server->connections < CONNECTIONS + OVERSHOOT) {
		evconnlistener_enable(server->listener);
		server->is_full = false;
	}
}

/* A connection came, and is given its descriptor afterwards. Without memory libevent makes one that is not counted. */
static struct bufferevent *take_connection(struct event_base *base, void *user)
{
	struct server *server = user;
	struct connection *connection = malloc(sizeof(*connection));
	struct bufferevent *socket = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);

	if (!connection || !socket) {
		free(connection);
		return socket;
	}
	sweep(server);
	bufferevent_incref(socket);
	bufferevent_setwatermark(socket, EV_READ, 0, HEADERS + BODY);
	*connection = (struct connection){.socket = socket, .older = server->newest};
	come_to(connection, STAGE_RECEIVING);
	*(server->newest ? &server->newest->newer : &server->oldest) = connection;
	server->newest = connection;
	server->connections++;
	if (server->connections > CONNECTIONS)
		turn_out_oldest(server);
	if (server->connections >= CONNECTIONS + OVERSHOOT) {
		evconnlistener_disable(server->listener);
		server->is_full = true;
		event_active(server->look, EV_TIMEOUT, 1);
	}
	return socket;
}

static struct connection *connection_of(struct server *server, struct evhttp_request *request)
{
	struct bufferevent *socket =
		evhttp_connection_get_bufferevent(evhttp_request_get_connection(request));
	struct connection *one = server->newest;

	while (one && one->socket != socket)
		one = one->older;
	return one;
}

static void look(evutil_socket_t none, short events, void *user)
{
	struct server *server = user;
	int64_t now = waiting_now();

	sweep(server);
	for (struct connection *one = server->oldest; one; one = one->newer) {
		int64_t limit = one->stage == STAGE_RECEIVING ? RECEIVE
				: one->stage == STAGE_SENDING ? SEND
							      : INT64_MAX;

		if (now - one->since > limit)
			turn_out(one);
	}
}

/* ---- answers ---- */

/* The same for all: nothing may be kept, embedded, guessed at, or sent on. */
static void put_headers(
	struct server *server, struct evhttp_request *request, const char *type, bool is_page)
{
	struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
	const char *policy = "default-src 'none'; frame-ancestors 'none'";
	const char *rows[][2] = {{"Content-Type", type},
		{"Content-Security-Policy", is_page ? server->serving->policy : policy},
		{"X-Content-Type-Options", "nosniff"}, {"X-Frame-Options", "DENY"},
		{"Referrer-Policy", "no-referrer"}, {"Cache-Control", "no-store"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Cross-Origin-Opener-Policy", "same-origin"}, {"Connection", "close"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		evhttp_add_header(headers, rows[i][0], rows[i][1]);
}

static void send_bytes(struct server *server, struct evhttp_request *request, int status,
	struct evbuffer *bytes)
{
	static const struct {
		int status;
		const char *reason;
	} reasons[] = {{200, "OK"}, {400, "Bad Request"}, {403, "Forbidden"},
		{404, "Not Found"}, {405, "Method Not Allowed"},
		{415, "Unsupported Media Type"}, {500, "Internal Server Error"},
		{503, "Service Unavailable"}};
	struct connection *connection = connection_of(server, request);
	const char *reason = "";

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].status == status)
			reason = reasons[i].reason;
	if (connection)
		come_to(connection, STAGE_SENDING);
	evhttp_send_reply(request, status, reason, bytes);
}

#define TYPE_TEXT "text/plain; charset=utf-8"

static void send_static(struct server *server, struct evhttp_request *request, int status,
	const char *type, const char *text)
{
	struct evbuffer *bytes = evbuffer_new();

	put_headers(server, request, type, false);
	if (bytes)
		evbuffer_add_reference(bytes, text, strlen(text), NULL, NULL);
	send_bytes(server, request, status, bytes);
	if (bytes)
		evbuffer_free(bytes);
}

/* A line which tells nothing that a stranger does not know. */
static void send_text(
	struct server *server, struct evhttp_request *request, int status, const char *text)
{
	send_static(server, request, status, TYPE_TEXT, text);
}

static void free_bytes(const void *bytes, size_t length, void *user)
{
	free(user);
}

static void send_page(struct server *server, struct evhttp_request *request)
{
	struct evbuffer *bytes = evbuffer_new();
	char cookie[GATE_COOKIE_SIZE];

	put_headers(server, request, "text/html; charset=utf-8", true);
	if (gate_give_cookie(&server->gate, cookie))
		evhttp_add_header(
			evhttp_request_get_output_headers(request), "Set-Cookie", cookie);
	if (bytes)
		evbuffer_add_reference(
			bytes, server->serving->page, server->serving->page_length, NULL, NULL);
	send_bytes(server, request, bytes ? 200 : 500, bytes);
	if (bytes)
		evbuffer_free(bytes);
}

void server_drop(struct exchange *exchange)
{
	if (exchange->request)
		evhttp_connection_set_closecb(
			evhttp_request_get_connection(exchange->request), NULL, NULL);
	free(exchange->query);
	free(exchange->body);
	free(exchange->answer.bytes);
	free(exchange);
}

void server_answer(struct exchange *exchange)
{
	struct answer *answer = &exchange->answer;
	struct evhttp_request *request = exchange->request;
	struct server *server = exchange->server;
	struct evbuffer *bytes = request && answer->bytes ? evbuffer_new() : NULL;

	if (bytes && evbuffer_add_reference(bytes, answer->bytes, answer->length, free_bytes,
			     answer->bytes) == 0)
		answer->bytes = NULL; /* freed when it was sent */
	if (request)
		evhttp_connection_set_closecb(
			evhttp_request_get_connection(request), NULL, NULL);
	if (request && bytes) {
		put_headers(server, request, answer->type, false);
		send_bytes(server, request, answer->status, bytes);
	} else if (request) {
		send_text(server, request, 500, "no memory\n");
	}
	if (bytes)
		evbuffer_free(bytes);
	exchange->request = NULL;
	server_drop(exchange);
}

/* ---- requests ---- */

static void client_left(struct evhttp_connection *connection, void *user)
{
	((struct exchange *)user)->request = NULL;
}

/* A header's only value; NULL: there is none; is_ambiguous is set if there are several. */
static const char *only(struct evhttp_request *request, const char *name, bool *is_ambiguous)
{
	const struct evkeyval *header;
	const char *value = NULL;

	TAILQ_FOREACH(header, evhttp_request_get_input_headers(request), next)
	{
		if (strcasecmp(header->key, name) != 0)
			continue;
		*is_ambiguous |= value != NULL;
		value = header->value;
	}
	return value;
}

/* path: the address without its query, owned by the caller. */
static struct claim read_claim(struct evhttp_request *request, const char *path)
{
	struct claim claim = {.is_post = evhttp_request_get_command(request) == EVHTTP_REQ_POST,
		.path = path};
	bool *twice = &claim.is_ambiguous;

	claim.host = only(request, "Host", twice);
	claim.origin = only(request, "Origin", twice);
	claim.site = only(request, "Sec-Fetch-Site", twice);
	claim.mode = only(request, "Sec-Fetch-Mode", twice);
	claim.destination = only(request, "Sec-Fetch-Dest", twice);
	claim.content_type = only(request, "Content-Type", twice);
	claim.cookie = only(request, "Cookie", twice);
	only(request, "Content-Length", twice);
	only(request, "Transfer-Encoding", twice);
	return claim;
}

static struct exchange *make_exchange(
	struct server *server, struct evhttp_request *request, const char *query)
{
	struct exchange *exchange = calloc(1, sizeof(*exchange));
	struct evbuffer *body = evhttp_request_get_input_buffer(request);

	if (!exchange)
		return NULL;
	exchange->server = server;
	exchange->request = request;
	exchange->socket = bufferevent_getfd(
		evhttp_connection_get_bufferevent(evhttp_request_get_connection(request)));
	exchange->body_length = evbuffer_get_length(body);
	exchange->query = strdup(query);
	exchange->body = calloc(1, exchange->body_length + 1);
	if (!exchange->query || !exchange->body) {
		server_drop(exchange);
		return NULL;
	}
	evbuffer_remove(body, exchange->body, exchange->body_length);
	evhttp_connection_set_closecb(
		evhttp_request_get_connection(request), client_left, exchange);
	return exchange;
}

/* Somebody who is let in asks for what is at the place. */
static void take_guest(struct server *server, struct evhttp_request *request,
	const struct claim *claim, const char *place, const char *query)
{
	const struct serving *serving = server->serving;
	const struct route *route = NULL;
	struct exchange *exchange;

	for (size_t i = 0; i < serving->route_count; i++)
		if (strcmp(serving->route[i].name, place) == 0)
			route = &serving->route[i];
	if (!route) {
		send_text(server, request, 404, "not found\n");
	} else if (route->is_post != claim->is_post) {
		send_text(server, request, 405, "not by this method\n");
	} else if (claim->is_post && !gate_is_json(claim)) {
		send_text(server, request, 415, "Content-Type must be application/json\n");
	} else if (!(exchange = make_exchange(server, request, query))) {
		send_text(server, request, 503, "no memory\n");
	} else if (strstr(query, "%00")) {
		exchange_refuse(exchange, 400, "a value has a zero byte");
		server_answer(exchange);
	} else {
		route->take(serving->user, exchange);
	}
}

static void take_request(struct evhttp_request *request, void *user)
{
	struct server *server = user;
	struct connection *connection = connection_of(server, request);
	const char *address = evhttp_request_get_uri(request), *place = NULL;
	size_t length = strcspn(address, "?");
	char *path = strndup(address, length);
	const char *query = address + length + (address[length] == '?');
	struct claim claim = read_claim(request, path ? path : "");
	enum verdict verdict = gate_judge(&server->gate, &claim, &place);

	if (connection)
		come_to(connection, STAGE_WORKING);
	if (evhttp_request_get_command(request) != EVHTTP_REQ_GET && !claim.is_post)
		verdict = GATE_STRANGER;
	if (verdict == GATE_PAGE || verdict == GATE_GUEST)
		server->serving->asked(server->serving->user);
	switch (verdict) {
	case GATE_STRANGER:
		send_text(server, request, 403, "refused\n");
		break;
	case GATE_UNKNOWN:
		send_text(server, request, 404, "not found\n");
		break;
	case GATE_LATE:
		send_static(server, request, 403, TYPE_JSON,
			"{\"error\": \"this address was opened in another browser before: "
			"end 'jprof open' and start it again\"}\n");
		break;
	case GATE_PAGE:
		send_page(server, request);
		break;
	case GATE_GUEST:
		take_guest(server, request, &claim, place, query);
		break;
	}
	free(path);
}

/* ---- life ---- */

/* There is room for all connections, and for what else is open. */
static int make_room(struct error *error)
{
	const rlim_t wanted = CONNECTIONS + OVERSHOOT + OTHER_DESCRIPTORS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
		return 0;
	if (limit.rlim_max < wanted)
		return error_set(error, ERROR_MISSING,
			"a process may have %llu files open here: %llu are needed "
			"(ulimit -n)",
			(unsigned long long)limit.rlim_max, (unsigned long long)wanted);
	limit.rlim_cur = wanted;
	setrlimit(RLIMIT_NOFILE, &limit);
	return 0;
}

static int listen_on(struct server *server, struct error *error)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)server->serving->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);

	server->listener = evconnlistener_new_bind(server->base, NULL, NULL,
		LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE, BACKLOG,
		(struct sockaddr *)&address, (int)sizeof(address));
	if (!server->listener)
		return error_set_errno(error, ERROR_IO, errno,
			"cannot listen on port %u of 127.0.0.1", server->serving->port);
	if (getsockname(evconnlistener_get_fd(server->listener), (struct sockaddr *)&address,
		    &size) != 0)
		return error_set_errno(error, ERROR_IO, errno, "cannot tell the port");
	server->gate.port = ntohs(address.sin_port);
	snprintf(server->address, sizeof(server->address), "http://127.0.0.1:%u/%s/",
		server->gate.port, server->gate.token);
	return 0;
}

static int serve_on(struct server *server, struct error *error)
{
	const struct timeval pause = {.tv_usec = LOOK * 1000};

	server->http = evhttp_new(server->base);
	server->look = event_new(server->base, -1, EV_PERSIST, look, server);
	if (!server->http || !server->look || event_add(server->look, &pause) != 0)
		return error_set(error, ERROR_MEMORY, "no memory to serve");
	evhttp_set_max_headers_size(server->http, HEADERS);
	evhttp_set_max_body_size(server->http, BODY);
	/* All that evhttp knows, as it answers others without our headers; but one after which it does not close. */
	evhttp_set_allowed_methods(server->http, 0xffff & ~EVHTTP_REQ_CONNECT);
	evhttp_set_default_content_type(server->http, NULL);
	evhttp_set_bevcb(server->http, take_connection, server);
	evhttp_set_gencb(server->http, take_request, server);
	server->is_bound = evhttp_bind_listener(server->http, server->listener) != NULL;
	return server->is_bound ? 0 : error_set(error, ERROR_MEMORY, "no memory to serve");
}

int server_create(struct server **made, struct event_base *base, const struct serving *serving,
	struct error *error)
{
	struct server *server = calloc(1, sizeof(*server));
	int failed;

	*made = NULL;
	if (!server)
		return error_set(error, ERROR_MEMORY, "no memory to serve");
	server->serving = serving;
	server->base = base;
	failed = make_room(error);
	if (failed == 0)
		failed = gate_init(&server->gate, error);
	if (failed == 0)
		failed = listen_on(server, error);
	if (failed == 0)
		failed = serve_on(server, error);
	if (failed == 0)
		*made = server;
	else
		server_destroy(server);
	return failed;
}

void server_destroy(struct server *server)
{
	if (server->look)
		event_free(server->look);
	if (server->listener && !server->is_bound)
		evconnlistener_free(server->listener);
	server->is_full = false;
	if (server->http)
		evhttp_free(server->http);
	sweep(server);
	/* Connections that were turned out just now are held by what is to be called for them; then they are freed. */
	for (int round = 0; round < 2; round++)
		event_base_loop(server->base, EVLOOP_NONBLOCK);
	free(server);
}

const char *server_address(const struct server *server)
{
	return server->address;
}
