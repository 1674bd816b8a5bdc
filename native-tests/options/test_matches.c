/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_matches: what is said of patterns that match nothing, and of calls that cannot have been
 * recorded for that; rows of any shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "options/matches.h"

struct said {
	char text[1024]; /* lines */
	size_t used;
};

static void say(void *user, const char *line)
{
	struct said *said = user;

	said->used += (size_t)snprintf(
		said->text + said->used, sizeof(said->text) - said->used, "%s\n", line);
}

static json_t *read_rows(const char *text)
{
	json_t *rows = json_loads(text, JSON_DECODE_ANY, NULL);

	if (!rows)
		fail_msg("no JSON: %s", text);
	return rows;
}

static void a_row(void **state)
{
	json_t *rows =
		json_pack("[o,o]", matches_row("scope", "a.B.c", 0, json_pack("[s]", "a.b.C")),
			matches_row("threads", "x", 7, NULL));
	json_t *wanted = read_rows("[{\"option\":\"scope\",\"pattern\":\"a.B.c\",\"matches\":0,"
				   "\"near\":[\"a.b.C\"]},"
				   "{\"option\":\"threads\",\"pattern\":\"x\",\"matches\":7}]");

	assert_true(json_equal(rows, wanted));
	json_decref(rows);
	json_decref(wanted);
	/* A pattern that is no UTF-8 has no row, and its names are given back. */
	assert_null(matches_row("scope", "\xff", 0, json_array()));
}

struct telling {
	int line;
	const char *rows;
	bool has_ended;
	size_t count;
	const char *said;
};

static const struct telling tellings[] = {
	{__LINE__, "[]", true, 0, ""},
	{__LINE__, "[{\"option\":\"include\",\"pattern\":\"a\",\"matches\":3}]", true, 0, ""},
	{__LINE__, "[{\"option\":\"include\",\"pattern\":\"a.*\",\"matches\":0}]", true, 1,
		"include=a.*: no method of this name was seen\n"},
	{__LINE__, "[{\"option\":\"include\",\"pattern\":\"a.*\",\"matches\":0}]", false, 1,
		"include=a.*: no method of this name is there yet\n"},
	{__LINE__,
		"[{\"option\":\"threads\",\"pattern\":\"t-*\",\"matches\":0,\"near\":[\"u-1\"]}"
		","
		"{\"option\":\"scope\",\"pattern\":\"S.m\",\"matches\":1},"
		"{\"option\":\"scope\",\"pattern\":\"S.n\",\"matches\":0,"
		"\"near\":[\"S.m\",5,\"S.o\"]}]",
		true, 2,
		"threads=t-*: no thread of this name was seen; near it are 'u-1'\n"
		"scope=S.n: no method of this name was seen; near it are 'S.m', 'S.o'\n"},
	{__LINE__,
		"[{\"option\":\"events\",\"pattern\":\"a.b\",\"matches\":0},"
		"{\"option\":\"distribution\",\"pattern\":\"a.c\",\"matches\":0}]",
		true, 2,
		"events=a.b: no event of a method of this name was seen\n"
		"distribution=a.c: no method of this name was seen\n"},
	/* Of another shape. */
	{__LINE__, "5", true, 0, ""},
	{__LINE__, "{\"option\":\"scope\",\"pattern\":\"a\",\"matches\":0}", true, 0, ""},
	{__LINE__,
		"[null,7,\"x\",[],{},{\"option\":1,\"pattern\":\"a\",\"matches\":0},"
		"{\"option\":\"scope\",\"matches\":0},{\"option\":\"scope\",\"pattern\":\"a\"},"
		"{\"option\":\"scope\",\"pattern\":\"a\",\"matches\":0.0},"
		"{\"option\":\"scope\",\"pattern\":\"a\",\"matches\":-1}]",
		true, 0, ""},
	{__LINE__, "[{\"option\":\"scope\",\"pattern\":\"a\",\"matches\":0,\"near\":{}}]", true,
		1, "scope=a: no method of this name was seen\n"},
};

static void what_is_told(void **state)
{
	for (size_t i = 0; i < sizeof(tellings) / sizeof(*tellings); i++) {
		json_t *rows = read_rows(tellings[i].rows);
		struct said said = {.text = ""};
		size_t count = matches_say(rows, tellings[i].has_ended, 0, say, &said);

		if (count != tellings[i].count || strcmp(said.text, tellings[i].said) != 0)
			fail_msg("line %d: %zu: %s", tellings[i].line, count, said.text);
		json_decref(rows);
	}
	assert_int_equal(matches_say(NULL, true, 0, say, NULL), 0);
}

/* Of many a few are named, and the others counted. */
static void many_are_told(void **state)
{
	static const char three[] = "[{\"option\":\"scope\",\"pattern\":\"a\",\"matches\":0},"
				    "{\"option\":\"scope\",\"pattern\":\"b\",\"matches\":0},"
				    "{\"option\":\"scope\",\"pattern\":\"c\",\"matches\":0}]";
	json_t *rows = read_rows(three);
	struct said said = {.text = ""};

	assert_int_equal(matches_say(rows, true, 3, say, &said), 3);
	assert_null(strstr(said.text, "more"));
	said = (struct said){.text = ""};
	assert_int_equal(matches_say(rows, true, 1, say, &said), 3);
	assert_string_equal(said.text, "scope=a: no method of this name was seen\n"
				       "and 2 patterns more have matched nothing\n");
	json_decref(rows);
}

struct nothing {
	int line;
	/* A letter a pattern: "0" matched nothing, "1" did, "+" adds to all and did not. */
	const char *include, *scope, *threads;
	const char *option;
};

static const struct nothing nothings[] = {
	{__LINE__, "", "", "", NULL},
	{__LINE__, "0", "", "", "include"},
	{__LINE__, "1", "", "", NULL},
	{__LINE__, "0 0", "", "", "include"},
	{__LINE__, "0 1 0", "", "", NULL},
	{__LINE__, "+", "", "", NULL},
	{__LINE__, "0 +", "", "", NULL},
	{__LINE__, "", "0", "", "scope"},
	{__LINE__, "", "0 1", "", NULL},
	{__LINE__, "1", "0", "", "scope"},
	/* Methods of the scope are recorded whatever include says. */
	{__LINE__, "0", "1", "", NULL},
	{__LINE__, "0", "0", "", "scope"},
	{__LINE__, "", "", "0", "threads"},
	{__LINE__, "1", "1", "0", "threads"},
	{__LINE__, "0", "0", "0 1", "scope"},
	{__LINE__, "0", "1", "1", NULL},
	{__LINE__, "1", "1", "1", NULL},
};

static void append(json_t *rows, const char *option, const char *patterns)
{
	for (; *patterns; patterns++)
		if (*patterns != ' ')
			json_array_append_new(
				rows, matches_row(option, *patterns == '+' ? "+a.*" : "a.*",
					      *patterns == '1', NULL));
}

static void what_hides_all_calls(void **state)
{
	for (size_t i = 0; i < sizeof(nothings) / sizeof(*nothings); i++) {
		const struct nothing *row = &nothings[i];
		json_t *rows = json_array();
		const char *option;

		append(rows, "include", row->include);
		append(rows, "scope", row->scope);
		append(rows, "threads", row->threads);
		option = matches_nothing(rows);
		if ((option == NULL) != (row->option == NULL) ||
			(option && strcmp(option, row->option) != 0))
			fail_msg("line %d: %s", row->line, option ? option : "none");
		json_decref(rows);
	}
	assert_null(matches_nothing(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row),
		cmocka_unit_test(what_is_told),
		cmocka_unit_test(many_are_told),
		cmocka_unit_test(what_hides_all_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
