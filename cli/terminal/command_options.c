/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* command_options: see command_options.h. */
#include "cli/terminal/command_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/terminal/outcome.h"
#include "options/number.h"

int take_text(const struct taken *taken)
{
	*(const char **)taken->to = taken->value;
	return EXIT_DONE;
}

int take_some_text(const struct taken *taken)
{
	if (taken->value[0] == '\0')
		return command_usage(taken->command, "%s needs a value", taken->option->name);
	return take_text(taken);
}

int take_flag(const struct taken *taken)
{
	*(bool *)taken->to = true;
	return EXIT_DONE;
}

int command_option_read(
	const struct command_table *table, void *words, int argc, char **argv, int *at)
{
	const char *word = argv[*at], *value = strchr(word, '=');
	size_t length = strcspn(word, "=");
	const struct command_option *option = NULL;
	struct choices choices = {0};
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)length, word);
	choices.nearest.wanted = name;
	for (size_t i = 0; i < table->count && !option; i++) {
		const char *known = table->option[i].name;

		choices_add(&choices, known);
		if (strlen(known) == length && strncmp(known, word, length) == 0)
			option = &table->option[i];
	}
	if (!option)
		return command_usage(table->command, "unknown option '%s'%s", name,
			choices_text(&choices, "options"));
	if (!option->value && value)
		return command_usage(table->command, "%s takes no value", option->name);
	if (value)
		value++;
	else if (option->value && strcmp(option->value, OPTIONAL_VALUE) != 0) {
		if (*at + 1 == argc)
			return command_usage(table->command, "%s needs a value%s%s",
				option->name, option->value[0] != '\0' ? ": " : "",
				option->value);
		value = argv[++*at];
	} else if (option->value && table->may_follow && *at + 1 < argc &&
		   strncmp(argv[*at + 1], "--", 2) != 0) {
		value = argv[++*at];
	}
	return option->take(&(struct taken){
		table->command, option, value, words, (char *)words + option->offset});
}

int command_options_read(const struct command_table *table, void *words, int argc, char **argv)
{
	int status = EXIT_DONE;

	for (int at = 1; at < argc && status == EXIT_DONE; at++)
		status = argv[at][0] != '-' && table->other
				 ? table->other(words, argv[at])
				 : command_option_read(table, words, argc, argv, &at);
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

int take_json(const struct taken *taken)
{
	static const char *const formats[] = {"text", "json", NULL};
	int found = command_choose(taken->command, "format", taken->value, formats);

	*(bool *)taken->to = found == 1;
	return found < 0 ? EXIT_USAGE : EXIT_DONE;
}

int take_whole_number(const struct taken *taken)
{
	uint64_t *number = taken->to;

	if (!number_read(taken->value, number) || *number == 0)
		return command_usage(taken->command,
			"%s needs a whole number above 0, not '%s'", taken->option->name,
			taken->value);
	return EXIT_DONE;
}

int take_percent(const struct taken *taken)
{
	if (!number_read_percent(taken->value, taken->to))
		return command_usage(taken->command,
			"%s needs a percentage such as 5%%, not '%s'", taken->option->name,
			taken->value);
	return EXIT_DONE;
}
