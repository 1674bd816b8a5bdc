/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * error: fills the one object that carries a failure.
 *
 * Runs: cold, on any thread, without locks; allocates nothing, leaves errno as found.
 */
#include "error/error.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "error/harmless.h"
#include "error/utf8.h"

static const char *const names[] = {
#define X(code, name, meaning) [ERROR_##code] = name,
	ERROR_TABLE(X)
#undef X
};

/* Fills text[0..size) and returns its length; what does not fit is cut. */
static size_t write_line(char *text, size_t size, const char *format, va_list arguments)
{
	/* One byte more than may be kept, so that the cut can see what it cuts. */
	char line[sizeof(((struct error *)0)->text) + 1] = "";
	vsnprintf(line, size + 1, format, arguments);
	size_t length = strlen(line);
	if (length >= size)
		length = utf8_floor(line, size - 1);
	return harmless_copy(text, size, line, length);
}

/* The object to fill: the caller's, unless it holds a failure already. */
static bool is_vacant(const struct error *error)
{
	return error && error->code == ERROR_NONE;
}

int error_set(struct error *error, enum error_code code, const char *format, ...)
{
	if (!is_vacant(error))
		return -(int)code;
	int errno_found = errno;
	va_list arguments;
	va_start(arguments, format);
	write_line(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	error->code = code;
	errno = errno_found;
	return -(int)code;
}

int error_set_errno(
	struct error *error, enum error_code code, int errno_value, const char *format, ...)
{
	if (!is_vacant(error))
		return -(int)code;
	int errno_found = errno;
	char buffer[128];
	const char *reason = strerror_r(errno_value, buffer, sizeof(buffer));
	size_t room = sizeof(error->text) - strlen(reason) - strlen(": ");
	va_list arguments;
	va_start(arguments, format);
	size_t length = write_line(error->text, room, format, arguments);
	va_end(arguments);
	snprintf(error->text + length, sizeof(error->text) - length, ": %s", reason);
	error->code = code;
	errno = errno_found;
	return -(int)code;
}

struct error_subject error_subject(const char *text)
{
	struct error_subject subject;
	size_t size = sizeof(subject.text), length = strlen(text);
	if (length < size) {
		memcpy(subject.text, text, length + 1);
		return subject;
	}
	static const char gap[] = "...";
	size_t half = (size - sizeof(gap)) / 2;
	size_t head = utf8_floor(text, half);
	const char *tail = text + length - half;
	while (utf8_continues(*tail))
		tail++;
	snprintf(subject.text, size, "%.*s%s%s", (int)head, text, gap, tail);
	return subject;
}

const char *error_name(enum error_code code)
{
	size_t count = sizeof(names) / sizeof(names[0]);
	return (size_t)code < count ? names[code] : "unknown";
}
