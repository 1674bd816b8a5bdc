/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Stacks of a piece of code become a tree and ranges, these bytes, and the same again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/code/code_stacks.h"
#include "error/error.h"

/* An offset, then a stack, outermost first: method, line... up to END. */
enum { END = 0, ROWS = 8, WORDS = 12 };
typedef uint32_t rows_of[ROWS][WORDS];

/* A line of the text: "OFFSET: METHOD:LINE < METHOD:LINE", innermost first; 0 is the code's method. */
static const char *show(const struct code_places *places, uint32_t offset)
{
	static char text[400];
	struct code_position position[CODE_DEPTH];
	unsigned depth = code_places_at(places, offset, position, CODE_DEPTH);
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < depth; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%u:%u",
			i ? " < " : "", position[i].method, position[i].line);
	return text;
}

static void make(struct code_stacks *stacks, const rows_of rows)
{
	code_stacks_begin(stacks);
	for (int i = 0; i < ROWS && rows[i][1]; i++) {
		struct code_position position[WORDS];
		unsigned depth = 0;

		for (int j = 1; rows[i][j]; j += 2)
			position[depth++] = (struct code_position){rows[i][j], rows[i][j + 1]};
		code_stacks_add(stacks, rows[i][0], position, depth);
	}
	assert_false(stacks->failed);
}

/* Through bytes, and back. */
static void again(const struct code_places *places, struct code_places *out)
{
	size_t size;
	uint8_t *bytes = code_places_encode(places, &size);

	assert_non_null(bytes);
	assert_int_equal(code_places_decode(out, bytes, size), 0);
	assert_int_equal(out->frames, places->frames);
	assert_int_equal(out->places, places->places);
	for (uint32_t i = 1; i < places->frames; i++)
		assert_memory_equal(&out->frame[i], &places->frame[i], sizeof *out->frame);
	for (uint32_t i = 0; i < places->places; i++)
		assert_memory_equal(&out->place[i], &places->place[i], sizeof *out->place);
	free(bytes);
}

static void shapes(void **state)
{
	static const struct {
		int line;
		rows_of rows;
		uint32_t frames, places;
		struct {
			uint32_t offset;
			const char *stack;
		} asked[4];
	} cases[] = {
		{__LINE__, {{10, 2, 40}}, 1, 1,
			{{0, "0:40"}, {10, "0:40"}, {11, ""}, {UINT32_MAX, ""}}},
		/* Neighbours that say the same are one. */
		{__LINE__, {{0, 2, 40}, {7, 2, 40}, {9, 2, 41}}, 1, 2,
			{{0, "0:40"}, {7, "0:40"}, {8, "0:41"}}},
		/* Two calls of the same method, from two lines, and one line of both. */
		{__LINE__, {{4, 2, 40, 3, 7}, {8, 2, 41, 3, 7}, {12, 2, 40, 3, 8}}, 3, 3,
			{{4, "3:7 < 0:40"}, {8, "3:7 < 0:41"}, {9, "3:8 < 0:40"}}},
		/* Inwards, outwards, aside; recursion; lines that are not known. */
		{__LINE__,
			{{1, 2, 9}, {2, 2, 9, 3, 5, 3, 5, 3, 1}, {3, 2, 9, 3, 5},
				{4, 2, 9, 3, 5, 70000, 65535}, {5, 2, 0}, {6, 2, 0, 4, 0}},
			6, 6,
			{{2, "3:1 < 3:5 < 3:5 < 0:9"}, {4, "70000:65535 < 3:5 < 0:9"},
				{5, "0:0"}, {6, "4:0 < 0:0"}}},
		/* Offsets that do not rise are not taken. */
		{__LINE__, {{5, 2, 1}, {5, 2, 2}, {4, 2, 3}, {6, 2, 4}}, 1, 2,
			{{5, "0:1"}, {6, "0:4"}, {7, ""}}},
	};
	struct code_stacks stacks = {0};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct code_places places;

		make(&stacks, cases[i].rows);
		again(&stacks.places, &places);
		if (places.frames != cases[i].frames || places.places != cases[i].places)
			fail_msg("row of line %d: %u frames, %u places", cases[i].line,
				places.frames, places.places);
		for (int j = 0; j < 4 && cases[i].asked[j].stack; j++) {
			const char *stack = show(&places, cases[i].asked[j].offset);

			if (strcmp(stack, cases[i].asked[j].stack) != 0)
				fail_msg("row of line %d, %u: %s", cases[i].line,
					cases[i].asked[j].offset, stack);
		}
		code_places_fini(&places);
	}
	code_stacks_fini(&stacks);
}

/* More frames than there is room at first; what is deepest is cut. */
static void many(void **state)
{
	enum { STACKS = 5000 };
	struct code_stacks stacks = {0};
	struct code_places places;
	struct code_position position[CODE_DEPTH + 10], found[CODE_DEPTH];

	for (int round = 0; round < 2; round++) {
		code_stacks_begin(&stacks);
		for (uint32_t i = 0; i < STACKS; i++) {
			for (uint32_t j = 0; j < 4; j++)
				position[j] = (struct code_position){
					2 + (i >> (9 - 3 * j)) % 8 + j * 10, 1 + i % 5};
			position[0].method = 2;
			code_stacks_add(&stacks, i * 3, position, 4);
		}
		assert_false(stacks.failed);
		again(&stacks.places, &places);
		for (uint32_t i = 0; i < STACKS; i += 7) {
			assert_int_equal(code_places_at(&places, i * 3, found, 4), 4);
			for (uint32_t j = 0; j < 4; j++) {
				assert_int_equal(found[3 - j].method,
					j == 0 ? 0 : 2 + (i >> (9 - 3 * j)) % 8 + j * 10);
				assert_int_equal(found[3 - j].line, 1 + i % 5);
			}
		}
		code_places_fini(&places);
	}
	for (int i = 0; i < CODE_DEPTH + 10; i++)
		position[i] = (struct code_position){2, 1};
	code_stacks_begin(&stacks);
	code_stacks_add(&stacks, 4, position, CODE_DEPTH + 10);
	assert_int_equal(code_places_at(&stacks.places, 4, found, CODE_DEPTH), CODE_DEPTH);
	assert_int_equal(code_places_at(&stacks.places, 4, found, 3), 3);
	code_stacks_fini(&stacks);
}

/* Bytes that are no places. */
static void damaged(void **state)
{
	static const struct {
		int line;
		size_t size;
		uint8_t bytes[12];
	} rows[] = {
		{__LINE__, 0, {0}}, {__LINE__, 1, {1}}, /* no frame */
		{__LINE__, 4, {1, 0, 0, 0}},            /* its own outer one */
		{__LINE__, 4, {1, 2, 0, 0}},            /* one before the first */
		{__LINE__, 4, {1, 1, 1, 0}},            /* a line below 0 */
		{__LINE__, 3, {1, 1, 0}},               /* it ends within */
		{__LINE__, 2, {0, 4}},                  /* a place without a line */
		{__LINE__, 4, {0, 5, 2, 0}},            /* frame 1 of 1 */
		{__LINE__, 5, {0, 4, 0, 0, 0}},         /* an offset twice */
		{__LINE__, 3, {0, 4, 1}},               /* line -1 */
		{__LINE__, 7, {0, 0x80, 0x80, 0x80, 0x80, 0x80, 0}}, /* too long a number */
		{__LINE__, 10,
			{0, 0xfe, 0xff, 0xff, 0xff, 0x1f, 0, 4, 0}}, /* offsets above 2^32 */
		{__LINE__, 5, {0xff, 0xff, 0xff, 0xff, 0x0f}},       /* frames without end */
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct code_places places;
		int status = code_places_decode(&places, rows[i].bytes, rows[i].size);

		if (status != -ERROR_FORMAT || places.frame || places.place)
			fail_msg("row of line %d: %d", rows[i].line, status);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),
		cmocka_unit_test(many),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
