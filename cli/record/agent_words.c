/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* agent_words: reads options by the option table. */
#include "cli/record/agent_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/outcome.h"
#include "cli/terminal/waiting.h"
#include "options/nearest.h"
#include "options/options.h"

/* The option "--KEY" or "--KEY=VALUE". *value is what stands behind the '=', or NULL. The
 * key is owned; NULL without memory. */
static char *split_option(const char *word, const char **value)
{
	size_t length = strcspn(word + 2, "=");

	*value = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
	return strndup(word + 2, length);
}

static int take_duration(struct agent_words *words, const char *value)
{
	struct error error = {0};

	if (words->duration != 0)
		return command_usage(words->command, "--duration is given twice");
	if (waiting_read_span(value, &words->duration, &error) == 0)
		return EXIT_DONE;
	return command_usage(words->command, "--duration: %s", error.text);
}

/* The value, which a process that works elsewhere understands. The profile's file, which
 * may hold more than a path, is left to others. */
static char *whole_value(const struct agent_words *words, const char *key, const char *value)
{
	bool is_relative =
		words->folder && strcmp(key, "file") != 0 && options_is_relative(key, value);
	char *whole;

	return asprintf(&whole, "%s%s%s", is_relative ? words->folder : "",
		       is_relative ? "/" : "", value) < 0
		       ? NULL
		       : whole;
}

static int take_option(struct agent_words *words, const char *key, const char *value)
{
	struct error error = {0};
	char **string = strcmp(key, "file") == 0 ? &words->file : &words->options, *whole;
	int failed;

	if (words->has_duration && strcmp(key, "duration") == 0)
		return take_duration(words, value);
	if (words->has_duration && !options_is_key(key) &&
		nearest_distance(key, "duration") < 4)
		return command_usage(words->command,
			"unknown option '--%s'; did you mean '--duration'?", key);
	whole = whole_value(words, key, value);
	if (!whole)
		return command_no_memory();
	failed = options_append(string, key, whole, &error);
	free(whole);
	if (failed == 0)
		return EXIT_DONE;
	if (error.code == ERROR_MEMORY)
		return command_failed(&error);
	return command_usage(words->command, "%s", error.text);
}

int agent_words_take(struct agent_words *words, int argc, char **argv, int *at)
{
	const char *value;
	char *key = split_option(argv[*at], &value);
	int status;

	if (!key)
		return command_no_memory();
	if (!value && *at + 1 < argc)
		value = argv[++*at];
	if (!value)
		status = command_usage(words->command, "--%s needs a value", key);
	else
		status = take_option(words, key, value);
	free(key);
	return status;
}

char *agent_words_join(const struct agent_words *words)
{
	bool both = words->options && words->file;
	char *all;

	return asprintf(&all, "%s%s%s", words->options ? words->options : "", both ? "," : "",
		       words->file ? words->file : "") < 0
		       ? NULL
		       : all;
}

void agent_words_fini(struct agent_words *words)
{
	free(words->options);
	free(words->file);
	words->options = words->file = NULL;
}
