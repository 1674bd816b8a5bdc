/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* harmless: see harmless.h. */
#include "error/harmless.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "error/utf8.h"

/* What is not shown as it is, rising. Of the Unicode Character Database 15: general
 * category Cc, Zl, Zp, property Default_Ignorable_Code_Point, and the marks of
 * interlinear notes. */
static const struct range {
	uint32_t first, last;
} ranges[] = {
	{0x0000, 0x001f},                   /* C0 */
	{0x007f, 0x009f},                   /* delete, C1 */
	{0x00ad, 0x00ad},                   /* soft hyphen */
	{0x034f, 0x034f},                   /* grapheme joiner */
	{0x061c, 0x061c},                   /* Arabic letter mark */
	{0x115f, 0x1160},                   /* Hangul fillers */
	{0x17b4, 0x17b5}, {0x180b, 0x180f}, /* Mongolian selectors */
	{0x200b, 0x200f}, /* zero-width; left-to-right and right-to-left mark */
	{0x2028, 0x202e}, /* line, paragraph; embeddings and overrides */
	{0x2060, 0x206f}, /* word joiner; isolates */
	{0x3164, 0x3164}, {0xfe00, 0xfe0f}, /* variation selectors */
	{0xfeff, 0xfeff},                   /* byte order mark */
	{0xffa0, 0xffa0}, {0xfff0, 0xfffb}, /* interlinear notes */
	{0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
	{0xe0000, 0xe0fff}, /* tags, variation selectors */
};

static bool is_harmful(uint32_t character)
{
	size_t low = 0, high = sizeof(ranges) / sizeof(ranges[0]);

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (character > ranges[middle].last)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sizeof(ranges) / sizeof(ranges[0]) && character >= ranges[low].first;
}

size_t harmless_span(const char *text, size_t length)
{
	size_t at = 0, bytes;

	for (;; at += bytes) {
		at += utf8_plain_span(text + at, length - at);
		if (at == length)
			return at;
		bytes = utf8_length(text + at, length - at);
		if (bytes == 0 || is_harmful(utf8_decode(text + at, bytes)))
			return at;
	}
}

size_t harmless_escape(const char *text, size_t length, char escape[HARMLESS_ESCAPE])
{
	size_t bytes = utf8_length(text, length);
	uint32_t character = bytes > 0 ? utf8_decode(text, bytes) : (unsigned char)text[0];
	unsigned digits = bytes == 0 ? 2 : character > 0xffff ? 8 : 4;

	*escape++ = '\\';
	*escape++ = bytes == 0 ? 'x' : character > 0xffff ? 'U' : 'u';
	while (digits-- > 0)
		*escape++ = "0123456789abcdef"[character >> 4 * digits & 0xf];
	*escape = '\0';
	return bytes > 0 ? bytes : 1;
}

size_t harmless_copy(char *to, size_t size, const char *text, size_t length)
{
	size_t used = 0;

	while (length > 0) {
		char escape[HARMLESS_ESCAPE];
		size_t span = harmless_span(text, length), left = size - 1 - used, bytes;

		if (span > left) {
			span = utf8_floor(text, left);
			length = span;
		}
		memcpy(to + used, text, span);
		used += span;
		text += span;
		length -= span;
		if (length == 0)
			break;
		bytes = harmless_escape(text, length, escape);
		if (strlen(escape) > size - 1 - used)
			break;
		memcpy(to + used, escape, strlen(escape));
		used += strlen(escape);
		text += bytes;
		length -= bytes;
	}
	to[used] = '\0';
	return used;
}

void harmless_put(FILE *out, const char *text)
{
	size_t length = strlen(text);

	while (length > 0) {
		char escape[HARMLESS_ESCAPE];
		size_t span = harmless_span(text, length);

		fwrite(text, 1, span, out);
		text += span;
		length -= span;
		if (length == 0)
			break;
		span = harmless_escape(text, length, escape);
		fputs(escape, out);
		text += span;
		length -= span;
	}
}
