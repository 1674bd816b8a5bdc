/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof: finds the command and runs it. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

static bool asks_for_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		fprintf(stderr, "jprof: no command given (see 'jprof help')\n");
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("jprof %s\n", JPROF_VERSION);
		return command_flush();
	}
	command = command_find(asks_for_help(argv[1]) ? "help" : argv[1]);
	if (!command)
		return command_unknown(argv[1], NULL);
	/* `jprof COMMAND --help` asks the same as `jprof help COMMAND`. */
	if (argc == 3 && asks_for_help(argv[2]))
		return cmd_help(2, (char *[]){argv[2], argv[1], NULL});
	return command->run(argc - 1, argv + 1);
}
