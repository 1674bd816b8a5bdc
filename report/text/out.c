/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* out: bytes on their way out, and numbers made of them. */
#include "report/text/out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "error/columns.h"
#include "error/error.h"
#include "error/harmless.h"
#include "error/utf8.h"

/* Room at first: of what goes to a file, which keeps it, and of what stays in memory, which grows. */
enum { ROOM_FILE = 256 * 1024, ROOM_MEMORY = 256, PIECE = 4096 };

static void fail(struct out *out, int errno_value)
{
	out->failed = errno_value;
	out->length = out->capacity = 0;
}

void out_init(struct out *out, int fd)
{
	*out = (struct out){.fd = fd, .capacity = fd < 0 ? ROOM_MEMORY : ROOM_FILE};
	out->buffer = malloc(out->capacity);
	if (!out->buffer)
		fail(out, ENOMEM);
}

void out_fini(struct out *out)
{
	free(out->buffer);
	out->buffer = NULL;
}

void out_flush(struct out *out)
{
	size_t done = 0;

	if (out->fd < 0 || out->failed != 0)
		return;
	if (out->before_write)
		out->before_write();
	while (done < out->length && out->failed == 0) {
		ssize_t written = write(out->fd, out->buffer + done, out->length - done);

		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR)
			fail(out, errno);
	}
	out->length = 0;
}

int out_finish(struct out *out, const char *what, struct error *error)
{
	out_flush(out);
	if (out->failed == ENOMEM)
		return error_set(error, ERROR_MEMORY, "no memory for the %s", what);
	if (out->failed == EPIPE)
		return error_set(error, ERROR_IO, "%s", "");
	if (out->failed != 0)
		return error_set_errno(
			error, ERROR_IO, out->failed, "cannot write the %s", what);
	return 0;
}

/* Makes room for size more bytes (at most PIECE) and returns where they go; NULL after
 * a failure. */
static char *take_room(struct out *out, size_t size)
{
	char *room;

	if (out->failed != 0)
		return NULL;
	if (out->capacity - out->length < size && out->fd >= 0) {
		out_flush(out);
	} else if (out->capacity - out->length < size) {
		room = realloc(out->buffer, out->capacity * 2 + size);
		if (room) {
			out->buffer = room;
			out->capacity = out->capacity * 2 + size;
		} else {
			fail(out, ENOMEM);
		}
	}
	if (out->failed != 0)
		return NULL;
	room = out->buffer + out->length;
	out->length += size;
	return room;
}

void out_many(struct out *out, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t piece = length < PIECE ? length : PIECE;
		char *room = take_room(out, piece);

		if (!room)
			return;
		memcpy(room, bytes, piece);
		bytes += piece;
		length -= piece;
	}
}

void out_spaces(struct out *out, size_t count)
{
	while (count > 0) {
		size_t piece = count < PIECE ? count : PIECE;
		char *room = take_room(out, piece);

		if (!room)
			return;
		memset(room, ' ', piece);
		count -= piece;
	}
}

void out_harmless(struct out *out, const char *text, size_t length)
{
	while (length > 0) {
		char escape[HARMLESS_ESCAPE];
		size_t span = harmless_span(text, length);

		out_bytes(out, text, span);
		text += span;
		length -= span;
		if (length == 0)
			break;
		span = harmless_escape(text, length, escape);
		out_text(out, escape);
		text += span;
		length -= span;
	}
}

size_t out_width(const char *text, size_t length)
{
	size_t width = 0;

	while (length > 0) {
		char escape[HARMLESS_ESCAPE];
		size_t span = harmless_span(text, length);

		width += columns_count(text, span);
		text += span;
		length -= span;
		if (length == 0)
			break;
		span = harmless_escape(text, length, escape);
		width += strlen(escape);
		text += span;
		length -= span;
	}
	return width;
}

void out_json(struct out *out, const char *text, size_t length)
{
	/* How a byte is written: behind a backslash as this letter; 0: as \u00XX if it is a control
	 * character, else as it is. */
	static const char escapes[0x100] = {['\b'] = 'b',
		['\t'] = 't',
		['\n'] = 'n',
		['\f'] = 'f',
		['\r'] = 'r',
		['"'] = '"',
		['\\'] = '\\'};
	size_t from = 0;

	out_char(out, '"');
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		size_t bytes = c < 0x80 ? 1 : utf8_length(text + i, length - i);
		char escaped[] = "\\u00xx";

		if (c >= 0x20 && escapes[c] == 0 && bytes > 0) {
			i += bytes - 1;
			continue;
		}
		out_bytes(out, text + from, i - from);
		from = i + 1;
		/* A damaged profile may hold anything; JSON is UTF-8. */
		if (bytes == 0) {
			out_text(out, "\\ufffd");
			continue;
		}
		if (escapes[c] != 0)
			escaped[1] = escapes[c];
		escaped[4] = (char)('0' + (c >> 4));
		escaped[5] = "0123456789abcdef"[c & 15];
		out_bytes(out, escaped, escapes[c] != 0 ? 2 : 6);
	}
	out_bytes(out, text + from, length - from);
	out_char(out, '"');
}

void out_number(struct out *out, uint64_t value)
{
	char field[NUMBER_WIDTH];
	char *end = field + sizeof(field), *start = end;

	do {
		*--start = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	out_bytes(out, start, (size_t)(end - start));
}

void out_signed(struct out *out, int64_t value)
{
	if (value < 0)
		out_char(out, '-');
	out_number(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void out_real(struct out *out, double value)
{
	char text[340]; /* the largest double has 309 digits */
	int length = snprintf(text, sizeof(text), "%.*f", REAL_DECIMALS, value);

	while (text[length - 1] == '0')
		length--;
	length -= text[length - 1] == '.';
	out_bytes(out, text, (size_t)length);
}

void out_exact(struct out *out, double value)
{
	/* Whole numbers of a double are exact up to 2^53. */
	const double whole_most = 9e15;
	char text[40];

	if (value > -whole_most && value < whole_most && value == (double)(int64_t)value) {
		out_signed(out, (int64_t)value);
		return;
	}
	snprintf(text, sizeof(text), "%.15g", value);
	out_text(out, text);
}

char *number_grouped(char *end, uint64_t value)
{
	unsigned digits = 0;

	do {
		if (digits > 0 && digits % 3 == 0)
			*--end = ',';
		*--end = (char)('0' + value % 10);
		value /= 10;
		digits++;
	} while (value > 0);
	return end;
}

char *number_milliseconds(char *end, uint64_t ns)
{
	uint64_t microseconds = ns / 1000 + (ns % 1000 >= 500);
	unsigned decimals = (unsigned)(microseconds % 1000);

	*--end = (char)('0' + decimals % 10);
	*--end = (char)('0' + decimals / 10 % 10);
	*--end = (char)('0' + decimals / 100);
	*--end = '.';
	return number_grouped(end, microseconds / 1000);
}
