/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * What is written down about the options equals the table. A failure prints the text that
 * belongs into the file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/option_table.h"
#include "options/options.h"

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	if (!file)
		fail_msg("cannot open '%s'", path);
	static char text[65536];
	size_t size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	fclose(file);
	return text;
}

static char *print(void (*printer)(FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	printer(out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void docs_hold_the_table(void **state)
{
	char *table = print(options_markdown);
	if (!strstr(read_file(SOURCE_DIR "/docs/options.md"), table))
		fail_msg("docs/options.md must hold:\n%s", table);
	free(table);
}

static void the_schema_is_the_table_s(void **state)
{
	char *schema = print(options_schema);
	if (strcmp(read_file(SOURCE_DIR "/config/schema.json"), schema) != 0)
		fail_msg("config/schema.json must hold:\n%s", schema);
	free(schema);
}

static void default_config_holds_the_defaults(void **state)
{
	struct options options;
	assert_int_equal(options_parse(&options, NULL, NULL), 0);
	char *json = options_to_json(&options, 2);
	char *text = read_file(SOURCE_DIR "/config/default.json");
	size_t length = strlen(json);
	if (strncmp(text, json, length) != 0 || strcmp(text + length, "\n") != 0)
		fail_msg("config/default.json must hold:\n%s", json);
	free(json);
	options_fini(&options);
}

static void default_config_is_accepted(void **state)
{
	struct options options;
	struct error error = {0};
	if (options_parse(&options, "config=" SOURCE_DIR "/config/default.json", &error) != 0)
		fail_msg("%s", error.text);
	options_fini(&options);
}

/* The words of the text, a blank between them. */
static char *unwrapped(const char *text)
{
	char *copy = strdup(text), *out = copy;
	assert_non_null(copy);
	for (const char *in = text; *in; in++)
		if (!strchr(" \n", *in) || (out > copy && out[-1] != ' '))
			*out++ = *in == '\n' ? ' ' : *in;
	*out = '\0';
	return copy;
}

static void help_names_every_key(void **state)
{
	char *help = print(options_help), *words = unwrapped(help);
	for (size_t i = 0; i < option_count; i++) {
		char key[40];
		snprintf(key, sizeof(key), "  %-20s ", option_table[i].key);
		assert_non_null(strstr(help, key));
		assert_non_null(strstr(words, option_table[i].meaning));
	}
	for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n"))
		if (strlen(line) > 80)
			fail_msg("wider than 80 columns: %s", line);
	free(words);
	free(help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(docs_hold_the_table),
		cmocka_unit_test(the_schema_is_the_table_s),
		cmocka_unit_test(default_config_holds_the_defaults),
		cmocka_unit_test(default_config_is_accepted),
		cmocka_unit_test(help_names_every_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
