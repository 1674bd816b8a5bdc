/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * The agent's reader takes the config files that come with jprof, and agrees with the
 * verdicts of configs.txt, with which schema.py compares the schema.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/option_table.h"
#include "options/options.h"

static const char *verdict_on(const char *json, struct error *error)
{
	struct option_set set = {0};
	int failed = config_parse(&set, json, strlen(json), "row", error);
	option_set_fini(&set);
	return failed ? "refused" : "accepted";
}

static void the_reader_agrees_with_the_verdicts(void **state)
{
	FILE *table = fopen(TABLE, "r");
	char *line = NULL;
	size_t room = 0, rows = 0;
	assert_non_null(table);
	for (int number = 1; getline(&line, &room, table) > 0; number++) {
		char verdict[10];
		int json = 0;
		if (line[0] == '#' || line[0] == '\n')
			continue;
		assert_int_equal(sscanf(line, "%9s %n", verdict, &json), 1);
		struct error error = {0};
		if (strcmp(verdict_on(line + json, &error), verdict) != 0)
			fail_msg("line %d is not %s: %s", number, verdict, error.text);
		/* What is wrong must be the option, not the JSON. */
		if (strstr(error.text, "not JSON"))
			fail_msg("line %d: %s", number, error.text);
		rows++;
	}
	assert_true(rows > 100);
	free(line);
	fclose(table);
}

static void assert_accepted(const char *path)
{
	char *string = NULL;
	struct options options;
	struct error error = {0};
	assert_int_equal(options_append(&string, "config", path, NULL), 0);
	if (options_parse(&options, string, &error) != 0)
		fail_msg("%s", error.text);
	options_fini(&options);
	free(string);
}

static void examples_are_accepted(void **state)
{
	glob_t found;
	assert_int_equal(glob(SOURCE_DIR "/config/examples/*", 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= 5);
	for (size_t i = 0; i < found.gl_pathc; i++)
		assert_accepted(found.gl_pathv[i]);
	globfree(&found);
}

/* An example that nobody explains helps nobody. */
static void examples_are_explained(void **state)
{
	static char text[16384];
	glob_t found;
	FILE *file = fopen(SOURCE_DIR "/config/README.md", "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_int_equal(glob(SOURCE_DIR "/config/examples/*", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		assert_non_null(strstr(text, strrchr(found.gl_pathv[i], '/') + 1));
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_reader_agrees_with_the_verdicts),
		cmocka_unit_test(examples_are_accepted),
		cmocka_unit_test(examples_are_explained),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
