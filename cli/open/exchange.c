/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* exchange: answers of the usual kinds. */
#include "cli/open/exchange.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void exchange_answer(
	struct exchange *exchange, int status, const char *type, char *bytes, size_t length)
{
	free(exchange->answer.bytes);
	exchange->answer = (struct answer){
		.status = status, .type = type, .bytes = bytes, .length = length};
}

void exchange_refuse(struct exchange *exchange, int status, const char *format, ...)
{
	char text[1200], *bytes;
	va_list arguments;
	json_t *error;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	error = json_pack("{s:s}", "error", text);
	bytes = error ? json_dumps(error, JSON_COMPACT) : NULL;
	json_decref(error);
	exchange_answer(exchange, status, TYPE_JSON, bytes, bytes ? strlen(bytes) : 0);
}
