/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Bytes become lines, however they are cut; what is no line is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/jvm/log_lines.h"

static char taken[4096]; /* the lines, one behind the other */

static void take(void *argument, const struct log_line *line)
{
	size_t used = strlen(taken);

	assert_ptr_equal(argument, taken);
	snprintf(taken + used, sizeof(taken) - used, "%llu %llu %s|%s;",
		(unsigned long long)line->at, (unsigned long long)line->thread, line->tags,
		line->text);
}

static void forms(void **state)
{
	static const struct {
		int line;
		const char *bytes, *taken;
		unsigned strange;
	} cases[] = {
		{__LINE__, "", "", 0},
		{__LINE__, "[12ns][7][gc] text\n", "12 7 gc|text;", 0},
		{__LINE__, "[12ns][7][gc,start   ]  two blanks\n", "12 7 gc,start| two blanks;",
			0},
		{__LINE__, "[12ns][7][gc] a]b[c\n[13ns][8][gc] \n", "12 7 gc|a]b[c;13 8 gc|;",
			0},
		{__LINE__, "\n\n[12ns][7][gc] x\n\n", "12 7 gc|x;", 0},
		/* Without its end a line is none yet. */
		{__LINE__, "[12ns][7][gc] x", "", 0},
		{__LINE__, "[         ] second line of a message\n", "", 1},
		{__LINE__, "[12ms][7][gc] x\n[12ns][a][gc] x\n[12ns][7] x\n[12ns][7][gc]x\n",
			"", 4},
		{__LINE__, "[12ns][7][gc\n", "", 1},
		{__LINE__, "no line\n[1ns][2][gc] one\n", "1 2 gc|one;", 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t size = strlen(cases[i].bytes);

		/* In parts of each size. */
		for (size_t part = 1; part <= size + 1; part++) {
			struct log_lines lines;

			taken[0] = '\0';
			log_lines_init(&lines, take, taken);
			for (size_t at = 0; at < size; at += part)
				log_lines_feed(&lines, cases[i].bytes + at,
					size - at < part ? size - at : part);
			if (strcmp(taken, cases[i].taken) != 0 ||
				lines.strange != cases[i].strange)
				fail_msg("line %d in parts of %zu: '%s', %llu strange",
					cases[i].line, part, taken,
					(unsigned long long)lines.strange);
			log_lines_fini(&lines);
		}
	}
}

static void too_long(void **state)
{
	static char bytes[LOG_LINE_MAX + 100];
	struct log_lines lines;
	int head = snprintf(bytes, sizeof(bytes), "[1ns][2][gc] ");

	memset(bytes + head, 'x', sizeof(bytes) - (size_t)head);
	taken[0] = '\0';
	log_lines_init(&lines, take, taken);
	log_lines_feed(&lines, bytes, sizeof(bytes));
	log_lines_feed(&lines, "\n[3ns][4][gc] behind\n", 21);
	assert_string_equal(taken, "3 4 gc|behind;");
	assert_int_equal(lines.strange, 1);
	log_lines_fini(&lines);
}

/* A zero byte would hide what stands behind it. */
static void zero(void **state)
{
	struct log_lines lines;

	taken[0] = '\0';
	log_lines_init(&lines, take, taken);
	log_lines_feed(&lines, "[1ns][2][gc] a\0b\n[3ns][4][gc] c\n", 33);
	assert_string_equal(taken, "3 4 gc|c;");
	assert_int_equal(lines.strange, 1);
	log_lines_fini(&lines);
}

/* The line that bytes are missing of is none, and so is its rest. */
static void gap(void **state)
{
	struct log_lines lines;

	taken[0] = '\0';
	log_lines_init(&lines, take, taken);
	log_lines_feed(&lines, "[1ns][2][gc] a\n[3ns][4][g", 25);
	log_lines_gap(&lines);
	log_lines_feed(&lines, "c] b\n[5ns][6][gc] c\n", 20);
	assert_string_equal(taken, "1 2 gc|a;5 6 gc|c;");
	assert_int_equal(lines.strange, 1);
	log_lines_fini(&lines);
}

static void tags(void **state)
{
	static const struct {
		const char *has, *asked;
		bool same;
	} cases[] = {{"gc", "gc", true}, {"gc,start", "gc,start", true},
		{"start,gc", "gc,start", true}, {"gc", "gc,start", false},
		{"gc,start", "gc", false}, {"gc,phases,start", "start,gc,phases", true},
		{"gc,phase", "gc,start", false}, {"gcx", "gc", false}, {"", "gc", false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct log_line line = {.tags = cases[i].has};

		if (log_line_has_tags(&line, cases[i].asked) != cases[i].same)
			fail_msg("'%s', '%s'", cases[i].has, cases[i].asked);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),
		cmocka_unit_test(too_long),
		cmocka_unit_test(zero),
		cmocka_unit_test(gap),
		cmocka_unit_test(tags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
