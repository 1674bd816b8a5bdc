/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* utf8: where characters begin and end in text that may hold any bytes (RFC 3629). */
#ifndef JPROF_UTF8_H
#define JPROF_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes of a character. */
#define UTF8_MAX 4

/* A byte 10xxxxxx continues a character. */
static inline bool utf8_continues(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The bytes of the character at text[0..length), 0 if it is none: shortest forms only, no
 * surrogates, nothing above U+10FFFF. A zero byte is a character, and never within
 * another one: for text that ends with one, length may be UTF8_MAX. */
size_t utf8_length(const char *text, size_t length);

/* The character that those bytes are, as many as utf8_length says. */
uint32_t utf8_decode(const char *text, size_t length);

/* How many of the first bytes are printable ASCII, each of them one character in one
 * column. Most text is nothing else. */
size_t utf8_plain_span(const char *text, size_t length);

/* The largest length up to `length` that does not end inside a character. Reads
 * text[length], too. */
size_t utf8_floor(const char *text, size_t length);

#endif
