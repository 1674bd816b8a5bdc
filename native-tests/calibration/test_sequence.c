/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sequence: codes rolled on, against lists of what happened; words there and back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "calibration/sequence.h"

static const char *const types[] = {"interpreted", "interpreted static", "jitted",
	"jitted static", "native", "native static", "outside"};
enum { TYPES = sizeof(types) / sizeof(*types), STEPS = 100000 };

static void check_words(uint32_t code, const char *const *type, const bool *exit)
{
	struct sequence_words words;

	assert_true(sequence_to_words(code, &words));
	assert_string_equal(words.first, type[0]);
	assert_string_equal(words.begin, exit[1] ? "exit" : "entry");
	assert_string_equal(words.second, type[1]);
	assert_string_equal(words.end, exit[2] ? "exit" : "entry");
	assert_string_equal(words.third, type[2]);
	assert_int_equal(sequence_from_words(&words), code);
}

/* The last three types and transitions, remembered one by one. */
static void rolled_on_as_a_list_says(void **state)
{
	const char *type[3] = {"outside", "outside", "outside"};
	bool exit[3] = {false};
	uint32_t code = SEQUENCE_OUTSIDE;

	srand(17);
	for (int i = 0; i < STEPS; i++) {
		unsigned next = (unsigned)rand() % TYPES;
		bool leave = rand() & 1;

		memmove(type, type + 1, 2 * sizeof(*type));
		memmove(exit, exit + 1, 2 * sizeof(*exit));
		type[2] = types[next];
		exit[2] = leave;
		code = sequence_next(code, (enum call_state)(next / 2),
			leave ? TRANSITION_EXIT : TRANSITION_ENTRY, next & 1);
		assert_true(code < SEQUENCE_UNWIND);
		check_words(code, type, exit);
	}
}

static void every_code_has_words_of_its_own(void **state)
{
	unsigned known = 0, unwinds = 0;

	for (uint32_t code = 0; code < SEQUENCE_CODES + 10; code++) {
		struct sequence_words words;

		if (!sequence_to_words(code, &words))
			continue;
		assert_int_equal(sequence_from_words(&words), code);
		known++;
		unwinds += words.first == NULL;
	}
	assert_int_equal(known, TYPES * 2 * TYPES * 2 * TYPES + TYPES);
	assert_int_equal(unwinds, TYPES);
}

static void an_unwind_is_by_the_second_alone(void **state)
{
	uint32_t code = SEQUENCE_OUTSIDE;
	struct sequence_words words;

	code = sequence_next(code, STATE_NATIVE, TRANSITION_ENTRY, true);
	code = sequence_next(code, STATE_JITTED, TRANSITION_EXIT, false);
	assert_true(sequence_to_words(sequence_unwound(code), &words));
	assert_string_equal(words.second, "native static");
	assert_string_equal(words.end, "unwind");
	assert_null(words.first);
	assert_null(words.third);
}

static const struct {
	int line;
	struct sequence_words words;
} unknown[] = {
	{__LINE__, {"jitted", "entry", "jitted", "exit", "compiled"}},
	{__LINE__, {"jitted", "entry", "jitted", "exit", NULL}},
	{__LINE__, {"jitted", "unwind", "jitted", "exit", "jitted"}},
	{__LINE__, {"jitted", "entry", "", "exit", "jitted"}},
	{__LINE__, {"jitted", NULL, "jitted", "exit", "jitted"}},
	{__LINE__, {"jitted", "entry", "jitted", NULL, "jitted"}},
	{__LINE__, {"outside static", "entry", "jitted", "exit", "jitted"}},
	{__LINE__, {"jitted", "entry", "jitted", "unwind", "jitted"}},
	{__LINE__, {NULL, NULL, "other", "unwind", NULL}},
	{__LINE__, {NULL, NULL, NULL, "unwind", NULL}},
};

static void unknown_words_have_no_code(void **state)
{
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		if (sequence_from_words(&unknown[i].words) != -1)
			fail_msg("the words of line %d have a code", unknown[i].line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rolled_on_as_a_list_says),
		cmocka_unit_test(every_code_has_words_of_its_own),
		cmocka_unit_test(an_unwind_is_by_the_second_alone),
		cmocka_unit_test(unknown_words_have_no_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
