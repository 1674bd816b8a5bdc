/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof help: prints the tables. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "options/options.h"
#include "options/wrap.h"

/* What can be asked about besides the commands. */
static const struct topic {
	const char *name;
	void (*print)(FILE *out);
} topics[] = {
	{"options", options_help},
	{"schema", options_schema},
};

static const struct topic *topic_find(const char *name)
{
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++)
		if (strcmp(topics[i].name, name) == 0)
			return &topics[i];
	return NULL;
}

static void list_commands(FILE *out)
{
	fprintf(out, "usage: jprof COMMAND [ARGUMENTS]\n\n");
	for (size_t i = 0; i < command_count; i++) {
		fprintf(out, "  %-10s ", commands[i].name);
		wrap_text(out, 13, commands[i].summary);
	}
	fprintf(out,
		"\n`jprof help COMMAND` says more; `jprof --version` prints the version.\n");
}

static void describe(FILE *out, const struct command *command)
{
	fprintf(out, "usage: jprof %s%s%s\n\n%s\n", command->name,
		command->arguments[0] != '\0' ? " " : "", command->arguments, command->summary);
	if (command->text)
		fprintf(out, "\n%s", command->text);
	if (command->details) {
		fputc('\n', out);
		command->details(out);
	}
}

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

int cmd_help(int argc, char **argv)
{
	const struct command *command;
	const struct topic *topic;

	if (argc > 2)
		return command_usage("help", "one word at most, not '%s'", argv[2]);
	if (argc < 2) {
		list_commands(stdout);
		return command_flush();
	}
	topic = topic_find(argv[1]);
	if (topic) {
		topic->print(stdout);
		return command_flush();
	}
	command = command_find(argv[1]);
	if (!command)
		return command_unknown(
			argv[1], (const char *const[]){"options", "schema", NULL});
	describe(stdout, command);
	return command_flush();
}
