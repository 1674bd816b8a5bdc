/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_columns: how wide characters are, and texts that are cut to so many columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "error/columns.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Columns: Unicode Standard Annex 11, "East Asian Width"; W and F are wide. */
static void widths(void **state)
{
	static const struct {
		int line;
		const char *text;
		size_t columns;
	} cases[] = {
		{__LINE__, "", 0}, {__LINE__, "abc", 3},
		{__LINE__, "\u00e9\u00df\u0416\u03a9", 4}, {__LINE__, "\u00b1\u2026", 2},
		{__LINE__, "\u4e2d\u6587", 4},         /* Han */
		{__LINE__, "\u3042\u30a2", 4},         /* kana */
		{__LINE__, "\uac00\ud7a3", 4},         /* Hangul syllables */
		{__LINE__, "\uff21\uff01", 4},         /* full width */
		{__LINE__, "\uff71", 1},               /* half width */
		{__LINE__, "\U00020000\U0001f600", 4}, /* beyond 16 bits */
		{__LINE__, "e\u0301", 1},
		{__LINE__, "\u0e01\u0e31", 1}, /* Thai with a vowel above */
		{__LINE__, "a\xff\xe4z", 4},   /* no characters */
		{__LINE__, "\xe4\xb8", 2},     /* half of one */
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t columns = columns_count(cases[i].text, strlen(cases[i].text));

		if (columns != cases[i].columns)
			fail_msg("line %d: %zu", cases[i].line, columns);
	}
}

static void parts(void **state)
{
	static const struct {
		int line;
		const char *text;
		size_t columns;
		size_t at_most, at_least; /* bytes */
	} cases[] = {
		{__LINE__, "abc", 0, 0, 0},
		{__LINE__, "abc", 2, 2, 2},
		{__LINE__, "abc", 3, 3, 3},
		{__LINE__, "abc", 9, 3, 3},
		{__LINE__, "", 4, 0, 0},
		{__LINE__, "\u4e2d\u6587", 1, 0, 3},
		{__LINE__, "\u4e2d\u6587", 2, 3, 3},
		{__LINE__, "\u4e2d\u6587", 3, 3, 6},
		{__LINE__,
			"a\u4e2d"
			"b",
			2, 1, 4},
		{__LINE__, "e\u0301x", 1, 3, 3},
		{__LINE__, "e\u0301x", 2, 4, 4},
		{__LINE__, "\xff\u4e2d", 1, 1, 1},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		if (columns_at_most(cases[i].text, cases[i].columns) != cases[i].at_most ||
			columns_at_least(cases[i].text, cases[i].columns) != cases[i].at_least)
			fail_msg("line %d: %zu, %zu", cases[i].line,
				columns_at_most(cases[i].text, cases[i].columns),
				columns_at_least(cases[i].text, cases[i].columns));
}

static void cut_lines(void **state)
{
	static const struct {
		int line;
		const char *text;
		size_t columns;
		const char *cut;
	} cases[] = {
		{__LINE__, "", 3, ""},
		{__LINE__, "abcd", 3, "abc"},
		{__LINE__, "abc\n\nabcd\nab", 3, "abc\n\nabc\nab"},
		{__LINE__, "abcd\n", 4, "abcd\n"},
		{__LINE__, "abcd\n", 0, "\n"},
		{__LINE__, "a\u4e2d\u6587\nx", 4, "a\u4e2d\nx"},
		{__LINE__, "ab\ncdef", 9, "ab\ncdef"},
	};
	char text[64];

	for (size_t i = 0; i < COUNT(cases); i++) {
		strcpy(text, cases[i].text);
		columns_cut_lines(text, cases[i].columns);
		if (strcmp(text, cases[i].cut) != 0)
			fail_msg("line %d: '%s'", cases[i].line, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths),
		cmocka_unit_test(parts),
		cmocka_unit_test(cut_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
