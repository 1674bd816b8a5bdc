/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * error: one object that carries a failure from where it happened to who prints it.
 *
 * Cold code returns 0 or a negative code and fills the caller's object once: the first
 * failure wins, later ones on the same object are ignored. Hot code cannot fail: it
 * drops and counts. Texts are one line, lower case, what failed first, the subject in
 * quotes: "cannot open 'cycles': Permission denied".
 */
#ifndef JPROF_ERROR_H
#define JPROF_ERROR_H

#include <stdarg.h>

/* Code, its name, and what it means. */
#define ERROR_TABLE(X)                                                                         \
	X(NONE, "none", "nothing failed")                                                      \
	X(USAGE, "usage", "the words of a command or an option are not understood")            \
	X(VALUE, "value", "a value is not one of the legal ones")                              \
	X(IO, "io", "the operating system refused an operation on a file")                     \
	X(FORMAT, "format", "a file is not what it should be")                                 \
	X(VERSION, "version", "a file was written by a newer jprof")                           \
	X(BUSY, "busy", "somebody else is using the subject")                                  \
	X(MEMORY, "memory", "no memory, or the limit was reached")                             \
	X(MISSING, "missing", "this machine, JVM or profile does not have it")                 \
	X(DENIED, "denied", "it exists but may not be used")                                   \
	X(JVM, "jvm", "the JVM refused a request")

enum error_code {
#define X(code, name, meaning) ERROR_##code,
	ERROR_TABLE(X)
#undef X
};

/* Embedded in its user; zero-initialise it: struct error error = {0}. */
struct error {
	enum error_code code;
	char text[1024];
};

/* Fills error (which may be NULL) unless it already holds a failure. Returns -code, so
 * that callers can write: return error_set(error, ERROR_IO, "cannot ..."). A text that
 * does not fit is cut; line breaks and whatever else a terminal should not get are
 * escaped (harmless.h). */
int error_set(struct error *error, enum error_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": " and strerror(errno_value) behind the text, which is cut first. */
int error_set_errno(struct error *error, enum error_code code, int errno_value,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A subject for a message, short enough to leave room for the reason: long texts lose
 * their middle ("/a/very...file.json"), never half a character of UTF-8. Use it within one
 * expression: error_set(error, ERROR_IO, "cannot open '%s'", error_subject(path).text). */
struct error_subject {
	char text[160];
};
struct error_subject error_subject(const char *text);

/* The short name of a code, e.g. "missing". Borrowed, static. */
const char *error_name(enum error_code code);

#endif
