/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* name_pattern: see name_pattern.h. */
#include "profile/name_pattern.h"

#include <ctype.h>
#include <string.h>

enum {
	HEXADECIMAL_MIN = 8, /* shorter ones are words and numbers: "db7" */
	UUID_LENGTH = 36
};

void pattern_put(struct pattern_text *text, const char *bytes, size_t length)
{
	size_t room = text->size - 1 - text->length;

	if (length > room) {
		text->full = true;
		length = room;
	}
	if (length > 0)
		memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A run of letters and digits that no person chose. */
static bool is_random(const char *run, size_t length)
{
	bool hexadecimal = true;
	size_t changes = 0, digits = 0;

	for (size_t i = 0; i < length; i++) {
		digits += is_digit(run[i]);
		hexadecimal &= isxdigit((unsigned char)run[i]) != 0;
		changes += i > 0 && is_digit(run[i]) != is_digit(run[i - 1]);
	}
	return digits > 0 && (changes > 1 || (hexadecimal && length >= HEXADECIMAL_MIN));
}

static void put_run(struct pattern_text *text, const char *run, size_t length)
{
	if (is_random(run, length)) {
		pattern_put(text, "*", 1);
		return;
	}
	for (size_t i = 0; i < length; i++) {
		if (!is_digit(run[i]))
			pattern_put(text, &run[i], 1);
		else if (i + 1 == length || !is_digit(run[i + 1]))
			pattern_put(text, "*", 1);
	}
}

/* 550e8400-e29b-41d4-a716-446655440000 (RFC 9562). */
static bool is_uuid(const char *bytes)
{
	for (int i = 0; i < UUID_LENGTH; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? bytes[i] != '-' : !isxdigit((unsigned char)bytes[i]))
			return false;
	}
	return true;
}

void pattern_put_name(struct pattern_text *text, const char *name, size_t length)
{
	size_t end;

	for (size_t i = 0; i < length && !text->full; i = end) {
		if (length - i >= UUID_LENGTH && is_uuid(name + i)) {
			pattern_put(text, "*", 1);
			end = i + UUID_LENGTH;
			continue;
		}
		for (end = i; end < length &&
			      (is_digit(name[end]) || (name[end] >= 'a' && name[end] <= 'z') ||
				      (name[end] >= 'A' && name[end] <= 'Z'));
			end++)
			;
		if (end > i)
			put_run(text, name + i, end - i);
		else
			pattern_put(text, name + end++, 1);
	}
}
