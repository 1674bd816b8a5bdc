/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* utf8: see utf8.h. */
#include "error/utf8.h"

#include <string.h>

/* A word that has this byte in each of its places. */
#define EACH(byte) (UINT64_MAX / 0xff * (byte))

size_t utf8_length(const char *text, size_t length)
{
	static const struct {
		unsigned char from, to; /* the first byte */
		unsigned char second_from, second_to;
		unsigned char length;
	} shapes[] = {
		{0x00, 0x7f, 0x00, 0xff, 1},
		{0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3},
		{0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};
	const unsigned char *bytes = (const unsigned char *)text;

	for (size_t i = 0; length > 0 && i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (bytes[0] < shapes[i].from || bytes[0] > shapes[i].to)
			continue;
		if (shapes[i].length == 1)
			return 1;
		if (length < 2 || bytes[1] < shapes[i].second_from ||
			bytes[1] > shapes[i].second_to)
			return 0;
		for (size_t k = 2; k < shapes[i].length; k++) {
			if (k >= length || !utf8_continues(text[k]))
				return 0;
		}
		return shapes[i].length;
	}
	return 0;
}

uint32_t utf8_decode(const char *text, size_t length)
{
	static const unsigned char own_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t character = (unsigned char)text[0] & own_bits[length];

	for (size_t i = 1; i < length; i++)
		character = character << 6 | ((unsigned char)text[i] & 0x3f);
	return character;
}

size_t utf8_floor(const char *text, size_t length)
{
	size_t start = length;

	for (int back = 0; back < UTF8_MAX - 1 && start > 0 && utf8_continues(text[start]);
		back++)
		start--;
	return utf8_continues(text[start]) ? length : start;
}

/* Word by word: the highest bit of a byte is set in one of the three where one is above 0x7f, is 0x7f, is
 * below 0x20; a carry into the next byte comes from such a byte only. */
size_t utf8_plain_span(const char *text, size_t length)
{
	size_t at = 0;
	uint64_t word;

	for (; length - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, text + at, sizeof(word));
		if (((word | (word + EACH(1)) | (word - EACH(0x20))) & EACH(0x80)) != 0)
			break;
	}
	while (at < length && text[at] >= 0x20 && text[at] < 0x7f)
		at++;
	return at;
}
