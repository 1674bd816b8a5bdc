/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* command_options: see command_options.h. */
#include "cli/terminal/command_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/terminal/outcome.h"

int take_text(const char *command, const struct command_option *option, void *words,
	const char *value)
{
	(void)command;
	*(const char **)((char *)words + option->offset) = value;
	return EXIT_DONE;
}

int take_some_text(const char *command, const struct command_option *option, void *words,
	const char *value)
{
	if (value[0] == '\0')
		return command_usage(command, "%s needs a value", option->name);
	return take_text(command, option, words, value);
}

int take_flag(const char *command, const struct command_option *option, void *words,
	const char *value)
{
	(void)command;
	(void)value;
	*(bool *)((char *)words + option->offset) = true;
	return EXIT_DONE;
}

static int unknown_option(const struct command_table *table, const char *word)
{
	char name[64];
	struct choices choices = {.nearest.wanted = name};

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	for (size_t i = 0; i < table->count; i++)
		choices_add(&choices, table->option[i].name);
	return command_usage(table->command, "unknown option '%s'%s", name,
		choices_text(&choices, "options"));
}

static const struct command_option *find_option(
	const struct command_table *table, const char *word, size_t length)
{
	for (size_t i = 0; i < table->count; i++) {
		const char *name = table->option[i].name;

		if (strlen(name) == length && strncmp(name, word, length) == 0)
			return &table->option[i];
	}
	return NULL;
}

int command_options_read(const struct command_table *table, void *words, int argc, char **argv)
{
	int status = EXIT_DONE;

	for (int at = 1; at < argc && status == EXIT_DONE; at++) {
		const char *word = argv[at], *value = strchr(word, '=');
		const struct command_option *option =
			find_option(table, word, value ? (size_t)(value - word) : strlen(word));

		if (word[0] != '-' && table->other) {
			status = table->other(words, word);
			continue;
		}
		if (!option)
			return unknown_option(table, word);
		if (!option->value && value)
			return command_usage(table->command, "%s takes no value", option->name);
		if (option->value && !value && at + 1 == argc)
			return command_usage(table->command, "%s needs a value%s%s",
				option->name, option->value[0] != '\0' ? ": " : "",
				option->value);
		if (option->value)
			value = value ? value + 1 : argv[++at];
		status = option->take(table->command, option, words, value);
	}
	return status;
}

int command_choose(
	const char *command, const char *what, const char *value, const char *const *names)
{
	struct choices choices = {.nearest.wanted = value};
	char all[32];

	for (int i = 0; names[i]; i++) {
		if (strcmp(names[i], value) == 0)
			return i;
		choices_add(&choices, names[i]);
	}
	snprintf(all, sizeof(all), "%ss", what);
	command_usage(command, "no %s '%s'%s", what, value, choices_text(&choices, all));
	return -1;
}
