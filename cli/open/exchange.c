/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* exchange: answers of the usual kinds. */
#include "cli/open/exchange.h"

#include <jansson.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool exchange_is_left(const struct exchange *exchange)
{
	struct pollfd poller = {.fd = exchange->socket, .events = POLLRDHUP};

	return poll(&poller, 1, 0) > 0;
}

void exchange_answer(
	struct exchange *exchange, int status, const char *type, char *bytes, size_t length)
{
	free(exchange->answer.bytes);
	exchange->answer = (struct answer){
		.status = status, .type = type, .bytes = bytes, .length = length};
}

/* Takes the object, which is NULL without memory: the server answers for it then. */
static void answer_object(struct exchange *exchange, int status, json_t *object)
{
	char *bytes = object ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	exchange_answer(exchange, status, TYPE_JSON, bytes, bytes ? strlen(bytes) : 0);
}

void exchange_refuse(struct exchange *exchange, int status, const char *format, ...)
{
	char text[1200];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	answer_object(exchange, status, json_pack("{s:s}", "error", text));
}

void exchange_conclude(struct exchange *exchange, const char *reason)
{
	answer_object(exchange, 200,
		reason ? json_pack("{s:b, s:s}", "ok", 0, "error", reason)
		       : json_pack("{s:b}", "ok", 1));
}
