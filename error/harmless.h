/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * harmless: text from outside on its way to a terminal.
 *
 * A name, a message, a path may hold any bytes: orders to the terminal, characters that
 * turn the text around them or are not seen. Those are shown as what they are:
 *
 *   \u001b \u202e \U000e0001   a control character, one that sets the direction of
 *                            writing, one that takes no place, a line separator
 *   \x9b                     a byte that is not part of UTF-8
 *
 * which is how bash writes them within $'...'. All else stays, backslashes, too: text
 * that went this way once goes it again unchanged.
 *
 * Runs: on any thread, without locks and memory.
 */
#ifndef JPROF_HARMLESS_H
#define JPROF_HARMLESS_H

#include <stddef.h>
#include <stdio.h>

/* The bytes at the start of text[0..length) that can be shown as they are. */
size_t harmless_span(const char *text, size_t length);

/* What stands for the first character of text[0..length), which cannot, with a zero
 * behind it. Returns how many bytes it has in text; the text is not empty. */
#define HARMLESS_ESCAPE sizeof("\\U000e0001")
size_t harmless_escape(const char *text, size_t length, char escape[HARMLESS_ESCAPE]);

/* Fills to[0..size) with text[0..length) and a zero; what does not fit is cut, behind a
 * whole character or escape. Returns the length. */
size_t harmless_copy(char *to, size_t size, const char *text, size_t length);

/* Writes a whole string. */
void harmless_put(FILE *out, const char *text);

#endif
