/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof: finds the command and runs it. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

/* Words in front of a command that stand for one. */
static const struct {
	const char *word, *command;
} aliases[] = {
	{"--help", "help"},
	{"-h", "help"},
};

static int print_version(void)
{
	printf("jprof %s\n", JPROF_VERSION);
	return command_flush();
}

static const char *command_word(const char *word)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (strcmp(aliases[i].word, word) == 0)
			return aliases[i].command;
	}
	return word;
}

/* `jprof COMMAND --help` asks the same as `jprof help COMMAND`. */
static int run_command(const struct command *command, int argc, char **argv)
{
	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		char *words[] = {argv[1], argv[0], NULL};

		return cmd_help(2, words);
	}
	return command->run(argc, argv);
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		fprintf(stderr, "jprof: no command given (see 'jprof help')\n");
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0)
		return print_version();
	command = command_find(command_word(argv[1]));
	if (!command)
		return command_unknown(argv[1], NULL);
	return run_command(command, argc - 1, argv + 1);
}
