/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* harmless: what reaches a terminal, class by class; cuts; going twice changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error/error.h"
#include "error/harmless.h"
#include "error/utf8.h"

static const struct text_case {
	int line;
	const char *text, *shown; /* NULL: as it is */
} cases[] = {
	{__LINE__, "", NULL},
	{__LINE__, "plain ~ \\ text", NULL},
	{__LINE__, "gr\xc3\xbc\xc3\x9f \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80", NULL},
	/* A right-to-left script turns only itself. */
	{__LINE__, "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", NULL},
	{__LINE__, "\xc2\xa0", NULL},
	/* C0 and delete */
	{__LINE__, "a\nb\tc\x1b[2J\x7f", "a\\u000ab\\u0009c\\u001b[2J\\u007f"},
	/* C1, as characters and as bytes */
	{__LINE__,
		"\xc2\x80\xc2\x9b"
		"31m\xc2\x9f",
		"\\u0080\\u009b31m\\u009f"},
	{__LINE__,
		"\x80\x9b"
		"31m\x9f",
		"\\x80\\x9b31m\\x9f"},
	{__LINE__, "\xc2", "\\xc2"},
	/* Marks, embeddings, overrides, isolates */
	{__LINE__, "\xe2\x80\x8e\xe2\x80\x8f", "\\u200e\\u200f"},
	{__LINE__, "\xe2\x80\xaa\xe2\x80\xae", "\\u202a\\u202e"},
	{__LINE__, "\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069"},
	{__LINE__, "\xd8\x9c", "\\u061c"},
	/* No width */
	{__LINE__, "\xe2\x80\x8b\xe2\x80\x8d\xe2\x81\xa0\xef\xbb\xbf\xc2\xad",
		"\\u200b\\u200d\\u2060\\ufeff\\u00ad"},
	{__LINE__, "\xf3\xa0\x80\x81", "\\U000e0001"},
	/* Line and paragraph */
	{__LINE__, "\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
	/* Not UTF-8: overlong, a surrogate, above the last character, an end */
	{__LINE__, "\xc0\xaf", "\\xc0\\xaf"},
	{__LINE__, "\xed\xa0\xbd", "\\xed\\xa0\\xbd"},
	{__LINE__, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
	{__LINE__, "\xff\xfe", "\\xff\\xfe"},
	{__LINE__, "x\xe2\x82", "x\\xe2\\x82"},
};

static void each_class(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *wanted = cases[i].shown ? cases[i].shown : cases[i].text;
		char shown[256], again[256];
		size_t length = harmless_copy(
			shown, sizeof(shown), cases[i].text, strlen(cases[i].text));
		struct error error = {0};

		if (strcmp(shown, wanted) != 0 || length != strlen(wanted))
			fail_msg("line %d: '%s'", cases[i].line, shown);
		harmless_copy(again, sizeof(again), shown, length);
		assert_string_equal(again, shown);
		error_set(&error, ERROR_IO, "'%s'", cases[i].text);
		snprintf(again, sizeof(again), "'%s'", wanted);
		assert_string_equal(error.text, again);
	}
}

/* Each byte at each place of texts of each length. */
static void plain_spans(void **state)
{
	enum { LENGTH = 20 };
	char text[LENGTH];

	for (size_t length = 0; length <= LENGTH; length++)
		for (size_t at = 0; at < length; at++)
			for (int byte = 0; byte < 256; byte++) {
				bool plain = byte >= ' ' && byte <= '~';

				memset(text, byte % 2 ? '~' : ' ', sizeof(text));
				text[at] = (char)byte;
				assert_int_equal(
					utf8_plain_span(text, length), plain ? length : at);
			}
}

static void a_zero_byte(void **state)
{
	char shown[32];

	harmless_copy(shown, sizeof(shown), "a\0b", 3);
	assert_string_equal(shown, "a\\u0000b");
}

static void to_a_file(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	harmless_put(out, "a\x9b\xe2\x80\xae"
			  "b\n");
	fclose(out);
	assert_string_equal(text, "a\\x9b\\u202eb\\u000a");
	free(text);
}

/* Every size: whole characters and whole escapes, and nothing behind the end. */
static void cut_between(void **state)
{
	static const char text[] = "ab\xc3\xa9\x1b\xe2\x82\xac\x9b\xf3\xa0\x80\x81!";
	static const char whole[] = "ab\xc3\xa9\\u001b\xe2\x82\xac\\x9b\\U000e0001!";
	static const size_t ends[] = {0, 1, 2, 4, 10, 13, 17, 27, 28};

	for (size_t size = 1; size <= sizeof(whole); size++) {
		char *shown = malloc(size);
		size_t length = harmless_copy(shown, size, text, sizeof(text) - 1), wanted = 0;

		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
			wanted = ends[i] < size ? ends[i] : wanted;
		assert_int_equal(length, wanted);
		assert_int_equal(strlen(shown), length);
		assert_memory_equal(shown, whole, length);
		free(shown);
	}
}

/* Two bytes that are each a half: nothing is read beyond the length. */
static void bounded(void **state)
{
	char half[] = {'\xe2', '\x82'};
	char escape[HARMLESS_ESCAPE];

	assert_int_equal(utf8_length(half, 2), 0);
	assert_int_equal(harmless_span(half, 2), 0);
	assert_int_equal(harmless_escape(half, 2, escape), 1);
	assert_string_equal(escape, "\\xe2");
	assert_int_equal(utf8_length(half, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_class),
		cmocka_unit_test(plain_spans),
		cmocka_unit_test(a_zero_byte),
		cmocka_unit_test(to_a_file),
		cmocka_unit_test(cut_between),
		cmocka_unit_test(bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
