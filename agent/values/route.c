/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* route: see route.h. */
#include "agent/values/route.h"

#include <stdbool.h>
#include <string.h>

enum { PART_MAX = 40, HEX_LEAST = 8 };

static size_t put(const char *bytes, size_t count, char *route, size_t length, size_t size)
{
	if (length < size)
		memcpy(route + length, bytes, count < size - length ? count : size - length);
	return length + count;
}

static size_t span_up_to(const char *text, size_t length, const char *ends)
{
	size_t span = 0;

	while (span < length && (!text[span] || !strchr(ends, text[span])))
		span++;
	return span;
}

/* Of the part of a path. */
static bool is_value(const char *part, size_t length)
{
	size_t digits = 0, hex = 0, marks = 0;

	if (length > PART_MAX)
		return true;
	for (size_t i = 0; i < length; i++) {
		char c = part[i];

		if (c == '@' || c == '=' || c == '%' || c == ',')
			return true;
		digits += c >= '0' && c <= '9';
		hex += (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
		marks += c == '-' || c == '.' || c == '_' || c == ':';
	}
	if (digits == 0 || digits + hex + marks < length)
		return false;
	return hex == 0 || digits + hex >= HEX_LEAST;
}

/* A word up to a blank. */
static size_t put_path(const char *word, size_t count, char *route, size_t length, size_t size)
{
	bool path = memchr(word, '/', count) != NULL;

	count = span_up_to(word, count, "?#");
	for (size_t at = 0; at < count;) {
		size_t part = span_up_to(word + at, count - at, "/");
		size_t stays = span_up_to(word + at, part, ";");

		if (path && is_value(word + at, stays))
			length = put("{}", 2, route, length, size);
		else
			length = put(word + at, stays, route, length, size);
		at += part;
		if (at < count)
			length = put(word + at++, 1, route, length, size);
	}
	return length;
}

size_t route_of(const char *text, size_t length, char *route, size_t size)
{
	size_t written = 0;

	for (size_t at = 0; at < length;) {
		size_t word = span_up_to(text + at, length - at, " ");

		written = put_path(text + at, word, route, written, size);
		at += word;
		if (at < length)
			written = put(text + at++, 1, route, written, size);
	}
	return written;
}
