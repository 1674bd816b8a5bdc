/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* columns: see columns.h. */
#include "error/columns.h"

#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <wchar.h>

#include "error/utf8.h"

/* Of UTF-8, whatever the user's one is: what is written is UTF-8. */
static locale_t unicode;

static void open_unicode(void)
{
	unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* Without that locale each character takes one. */
static size_t width_of(wchar_t character)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	locale_t before;
	int width;

	pthread_once(&once, open_unicode);
	if (unicode == (locale_t)0)
		return 1;
	before = uselocale(unicode);
	width = wcwidth(character);
	uselocale(before);
	return width < 0 ? 1 : (size_t)width;
}

/* The columns of the character at text, and its bytes; a byte that is no character is one. */
static inline size_t next(const char *text, size_t length, size_t *bytes)
{
	*bytes = 1;
	if ((unsigned char)*text < 0x80)
		return 1;
	*bytes = utf8_length(text, length);
	if (*bytes > 0)
		return width_of((wchar_t)utf8_decode(text, *bytes));
	*bytes = 1;
	return 1;
}

size_t columns_count(const char *text, size_t length)
{
	size_t plain = utf8_plain_span(text, length), count = plain;

	for (size_t at = plain, bytes; at < length; at += bytes)
		count += next(text + at, length - at, &bytes);
	return count;
}

size_t columns_at_most(const char *text, size_t columns)
{
	size_t at = 0, count = 0, bytes;

	for (; text[at] != '\0'; at += bytes) {
		count += next(text + at, UTF8_MAX, &bytes);
		if (count > columns)
			break;
	}
	return at;
}

size_t columns_at_least(const char *text, size_t columns)
{
	size_t at = 0, count = 0, bytes;

	for (; text[at] != '\0'; at += bytes) {
		size_t width = next(text + at, UTF8_MAX, &bytes);

		if (count >= columns && width > 0)
			break;
		count += width;
	}
	return at;
}

void columns_cut_lines(char *lines, size_t columns)
{
	char *to = lines;

	for (const char *from = lines; *from != '\0';) {
		size_t line = strcspn(from, "\n"), kept = columns_at_most(from, columns);

		kept = kept < line ? kept : line;
		memmove(to, from, kept);
		to += kept;
		from += line;
		if (*from == '\n')
			*to++ = *from++;
	}
	*to = '\0';
}
