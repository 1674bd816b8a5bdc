/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Bytes in, in any pieces; the same lines out, and no memory kept. */
#include "agent/control/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct line_pool pool = {.limit = 4 << 20};

/* Puts bytes in, as far as there is room. */
static size_t give(struct line_input *input, const char *bytes, size_t length)
{
	size_t room;
	char *space = line_space(input, &room, NULL);

	if (!space)
		return 0;
	if (room > length)
		room = length;
	memcpy(space, bytes, room);
	line_filled(input, room);
	return room;
}

static void give_all(struct line_input *input, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t given = give(input, bytes, length);

		assert_true(given > 0);
		bytes += given;
		length -= given;
	}
}

static void expect_line(struct line_input *input, const char *expected, size_t length)
{
	const char *line;
	size_t found;

	assert_true(line_next(input, &line, &found));
	assert_int_equal(found, length);
	assert_memory_equal(line, expected, length);
	line_done(input);
}

static const char text[] = "one\n\n\r\ntwo\r\n\r\r\n\na\0b\r\n\n";

static void expect_text(struct line_input *input)
{
	const char *line;
	size_t length;

	expect_line(input, "one", 3);
	expect_line(input, "two", 3);
	expect_line(input, "\r", 1);
	expect_line(input, "a\0b", 3);
	assert_false(line_next(input, &line, &length));
	assert_false(line_waiting(input));
}

static void test_pieces(void **state)
{
	for (size_t first = 0; first < sizeof(text); first++)
		for (size_t second = first; second < sizeof(text); second++) {
			struct line_input input = {.pool = &pool};

			give_all(&input, text, first);
			line_waiting(&input);
			give_all(&input, text + first, second - first);
			line_waiting(&input);
			give_all(&input, text + second, sizeof(text) - 1 - second);
			expect_text(&input);
			line_fini(&input);
		}
}

/* Lines are taken as soon as they are there. */
static void test_byte_by_byte(void **state)
{
	struct line_input input = {.pool = &pool};
	unsigned lines = 0;

	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		const char *line;
		size_t length;

		give_all(&input, text + i, 1);
		if (line_next(&input, &line, &length)) {
			assert_int_equal(text[i], '\n');
			lines++;
			line_done(&input);
			assert_null(input.bytes);
		}
	}
	assert_int_equal(lines, 4);
	line_fini(&input);
}

static char *long_line(size_t length)
{
	char *bytes = malloc(length);

	assert_non_null(bytes);
	for (size_t i = 0; i < length; i++)
		bytes[i] = (char)('a' + i % 26);
	return bytes;
}

static void test_longest(void **state)
{
	struct line_input input = {.pool = &pool};
	char *bytes = long_line(LINE_MAX_BYTES);

	bytes[LINE_MAX_BYTES - 1] = '\n';
	give_all(&input, bytes, LINE_MAX_BYTES);
	assert_int_equal(pool.used, LINE_MAX_BYTES - LINE_FIRST_BYTES);
	expect_line(&input, bytes, LINE_MAX_BYTES - 1);
	assert_int_equal(pool.used, 0);
	assert_null(input.bytes);
	/* Behind the rest of another it fits, too. */
	give_all(&input, "x\n", 2);
	give_all(&input, bytes, 100);
	expect_line(&input, "x", 1);
	give_all(&input, bytes + 100, LINE_MAX_BYTES - 100);
	expect_line(&input, bytes, LINE_MAX_BYTES - 1);
	line_fini(&input);
	free(bytes);
}

static void test_too_long(void **state)
{
	struct line_input input = {.pool = &pool};
	struct error error = {0};
	char *bytes = long_line(LINE_MAX_BYTES);
	size_t room;

	give_all(&input, bytes, LINE_MAX_BYTES);
	assert_false(line_waiting(&input));
	assert_null(line_space(&input, &room, &error));
	assert_int_equal(error.code, ERROR_FORMAT);
	assert_non_null(strstr(error.text, "1048576"));
	line_fini(&input);
	assert_int_equal(pool.used, 0);
	free(bytes);
}

/* Memory comes in steps, and follows what was sent. */
static void test_steps(void **state)
{
	struct line_input input = {.pool = &pool};
	char *bytes = long_line(LINE_MAX_BYTES);

	assert_null(input.bytes);
	for (size_t given = 0; given < LINE_MAX_BYTES;) {
		given += give(&input, bytes + given, 1000);
		assert_true(input.room <= 2 * given || input.room == LINE_FIRST_BYTES);
	}
	line_fini(&input);
	free(bytes);
}

/* Who grows beyond what is left is told; everybody's first step is always there. */
static void test_pool(void **state)
{
	struct line_pool small = {.limit = 20000};
	struct line_input greedy = {.pool = &small}, modest = {.pool = &small};
	struct error error = {0};
	char *bytes = long_line(LINE_MAX_BYTES);
	size_t given = 0, more, room;

	while ((more = give(&greedy, bytes, 4096)) > 0)
		given += more;
	assert_int_equal(given, 16384);
	assert_null(line_space(&greedy, &room, &error));
	assert_int_equal(error.code, ERROR_MEMORY);
	give_all(&modest, bytes, LINE_FIRST_BYTES);
	assert_int_equal(small.used, 16384 - LINE_FIRST_BYTES);
	line_fini(&greedy);
	give_all(&modest, bytes, LINE_FIRST_BYTES);
	line_fini(&modest);
	assert_int_equal(small.used, 0);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
