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

static int take_option(struct agent_words *words, const char *key, const char *value)
{
	bool is_file = strcmp(key, "file") == 0, is_relative;
	struct error error = {0};
	char *whole;
	int failed;

	if (words->has_duration && strcmp(key, "duration") == 0) {
		if (words->duration != 0)
			return command_usage(words->command, "--duration is given twice");
		if (waiting_read_span(value, &words->duration, &error) == 0)
			return EXIT_DONE;
		return command_usage(words->command, "--duration: %s", error.text);
	}
	if (words->has_duration && !options_is_key(key) &&
		nearest_distance(key, "duration", false) < 4)
		return command_usage(words->command,
			"unknown option '--%s'; did you mean '--duration'?", key);
	/* A process that works elsewhere gets whole paths. That of the profile may hold more. */
	is_relative = words->folder && !is_file && options_is_relative(key, value);
	if (asprintf(&whole, "%s%s%s", is_relative ? words->folder : "", is_relative ? "/" : "",
		    value) < 0)
		return command_no_memory();
	failed = options_append(is_file ? &words->file : &words->options, key, whole, &error);
	free(whole);
	if (failed == 0)
		return EXIT_DONE;
	if (error.code == ERROR_MEMORY)
		return command_failed(&error);
	return command_usage(words->command, "%s", error.text);
}

int agent_words_take(struct agent_words *words, int argc, char **argv, int *at)
{
	const char *name = argv[*at] + strlen("--");
	size_t length = strcspn(name, "=");
	const char *value = name[length] == '=' ? name + length + 1 : NULL;
	char *key = strndup(name, length);
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
	const char *options = words->options ? words->options : "";
	const char *file = words->file ? words->file : "";
	char *all;

	return asprintf(&all, "%s%s%s", options, options[0] && file[0] ? "," : "", file) < 0
		       ? NULL
		       : all;
}

void agent_words_fini(struct agent_words *words)
{
	free(words->options);
	free(words->file);
	words->options = words->file = NULL;
}
