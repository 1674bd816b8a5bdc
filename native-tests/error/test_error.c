/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* error: first failure wins, texts are one line, cuts never leave half a character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "error/error.h"

static void first_failure_wins(void **state)
{
	struct error error = {0};
	assert_int_equal(error_set(&error, ERROR_IO, "cannot open '%s'", "a"), -ERROR_IO);
	assert_int_equal(error_set(&error, ERROR_VALUE, "later"), -ERROR_VALUE);
	assert_int_equal(error_set_errno(&error, ERROR_JVM, ENOENT, "later"), -ERROR_JVM);
	assert_int_equal(error.code, ERROR_IO);
	assert_string_equal(error.text, "cannot open 'a'");
}

static void nobody_need_listen(void **state)
{
	assert_int_equal(error_set(NULL, ERROR_IO, "lost"), -ERROR_IO);
	assert_int_equal(error_set_errno(NULL, ERROR_IO, ENOENT, "lost"), -ERROR_IO);
}

static void reason_follows_subject(void **state)
{
	struct error error = {0};
	error_set_errno(&error, ERROR_IO, ENOENT, "cannot open '%s'", "x");
	assert_string_equal(error.text, "cannot open 'x': No such file or directory");
}

static void reason_survives_a_long_subject(void **state)
{
	struct error error = {0};
	char path[5000];
	memset(path, 'p', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	error_set_errno(&error, ERROR_IO, EACCES, "cannot open '%s'", path);
	const char *reason = strstr(error.text, ": Permission denied");
	assert_non_null(reason);
	assert_string_equal(reason, ": Permission denied");
	assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
}

static void text_is_one_line(void **state)
{
	struct error error = {0};
	error_set(&error, ERROR_IO,
		"a\nb\tc\x7f"
		"d\033e caf\xc3\xa9");
	assert_string_equal(error.text, "a\\u000ab\\u0009c\\u007fd\\u001be caf\xc3\xa9");
}

static void errno_stays(void **state)
{
	struct error error = {0}, other = {0};
	errno = EXDEV;
	error_set(&error, ERROR_IO, "a %s", "b");
	assert_int_equal(errno, EXDEV);
	error_set_errno(&other, ERROR_IO, 99999, "a");
	assert_int_equal(errno, EXDEV);
}

/* One character of 1 to 4 bytes after 0 to 4 other bytes, repeated past the end. */
static void cuts_between_characters(void **state)
{
	static const char *const characters[] = {
		"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	for (size_t c = 0; c < 4; c++)
		for (size_t shift = 0; shift < 5; shift++) {
			size_t size = strlen(characters[c]);
			char text[3000] = "";
			memset(text, '-', shift);
			for (size_t at = shift; at + size < sizeof(text); at += size)
				strcpy(text + at, characters[c]);
			struct error error = {0};
			error_set(&error, ERROR_IO, "%s", text);
			size_t room = sizeof(error.text) - 1;
			assert_int_equal(
				strlen(error.text), shift + (room - shift) / size * size);

			struct error_subject subject = error_subject(text);
			const char *gap = strstr(subject.text, "...");
			assert_non_null(gap);
			assert_true(strlen(subject.text) > 100);
			assert_int_equal(
				(size_t)(gap - subject.text - (ptrdiff_t)shift) % size, 0);
			assert_int_equal(strlen(gap + 3) % size, 0);
		}
}

static void bytes_that_are_no_characters(void **state)
{
	char text[3000];
	memset(text, 0x80, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	struct error error = {0};
	error_set(&error, ERROR_IO, "%s", text);
	assert_int_equal(strlen(error.text), (sizeof(error.text) - 1) / 4 * 4);
	assert_non_null(strstr(error_subject(text).text, "..."));
}

static void short_subjects_stay_whole(void **state)
{
	assert_string_equal(error_subject("").text, "");
	char text[sizeof(struct error_subject) + 1];
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 2] = '\0';
	assert_string_equal(error_subject(text).text, text);
	text[sizeof(text) - 2] = 'x';
	text[sizeof(text) - 1] = '\0';
	assert_string_not_equal(error_subject(text).text, text);
}

static void every_code_has_a_name(void **state)
{
	assert_string_equal(error_name(ERROR_NONE), "none");
	assert_string_equal(error_name(ERROR_MISSING), "missing");
	assert_string_equal(error_name(ERROR_JVM), "jvm");
	assert_string_equal(error_name((enum error_code)1000), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_failure_wins),
		cmocka_unit_test(nobody_need_listen),
		cmocka_unit_test(reason_follows_subject),
		cmocka_unit_test(reason_survives_a_long_subject),
		cmocka_unit_test(text_is_one_line),
		cmocka_unit_test(errno_stays),
		cmocka_unit_test(cuts_between_characters),
		cmocka_unit_test(bytes_that_are_no_characters),
		cmocka_unit_test(short_subjects_stay_whole),
		cmocka_unit_test(every_code_has_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
