/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof help: prints the tables. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "components/components.h"
#include "options/options.h"
#include "options/wrap.h"

void cmd_help_details(FILE *out)
{
	char names[400] = "";

	for (size_t i = 0; i < command_count; i++) {
		size_t used = strlen(names);

		snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? " " : "",
			commands[i].name);
	}
	fprintf(out, "Commands: ");
	wrap_text(out, 10, names);
}

const char *const help_topics[] = {"options", "schema", "components", NULL};

/* "  --top           N          show the first N rows..." */
static void print_options(const struct command_table *table)
{
	enum { MEANING = 29, VALUE = 13 };

	printf("Options:\n");
	for (size_t i = 0; i < table->count; i++) {
		const struct command_option *option = &table->option[i];
		const char *value = option->value ? option->value : "";

		if (strlen(value) > VALUE)
			printf("  %-15s %s\n%*s", option->name, value, MEANING, "");
		else
			printf("  %-15s %-10s ", option->name, value);
		wrap_text(stdout, MEANING, option->meaning);
	}
}

int cmd_help(int argc, char **argv)
{
	const struct command *command;

	if (argc > 2)
		return command_usage("help", "one word at most, not '%s'", argv[2]);
	if (argc < 2) {
		printf("usage: jprof COMMAND [ARGUMENTS]\n\n");
		for (size_t i = 0; i < command_count; i++) {
			printf("  %-10s ", commands[i].name);
			wrap_text(stdout, 13, commands[i].summary);
		}
		printf("\n`jprof help COMMAND` says more, `jprof help options`, `schema` and "
		       "`components`\n"
		       "print what can be set; `jprof --version` prints the version.\n");
		return command_flush();
	}
	/* What can be asked about besides the commands. */
	if (strcmp(argv[1], "options") == 0) {
		options_help(stdout);
		return command_flush();
	}
	if (strcmp(argv[1], "schema") == 0) {
		options_schema(stdout);
		return command_flush();
	}
	if (strcmp(argv[1], "components") == 0) {
		size_t length;
		const char *text = components_ready_made(&length);

		fwrite(text, 1, length, stdout);
		return command_flush();
	}
	command = command_find(argv[1]);
	if (!command)
		return command_unknown(argv[1], help_topics);
	printf("usage: jprof %s%s%s\n\n%s\n", command->name,
		command->arguments[0] != '\0' ? " " : "", command->arguments, command->summary);
	if (command->text)
		printf("\n%s", command->text);
	if (command->options) {
		putchar('\n');
		print_options(command->options);
	}
	if (command->details) {
		putchar('\n');
		command->details(stdout);
	}
	return command_flush();
}
