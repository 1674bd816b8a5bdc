/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof completion: prints a script for a shell. */
#include "cli/completion.h"

const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};

int cmd_completion(int argc, char **argv)
{
	/* In the order of the names. */
	static void (*const print[])(const struct completion_tables *tables, FILE *out) = {
		completion_bash, completion_zsh, completion_fish};
	const struct completion_tables tables = {
		commands, command_count, help_topics, completion_shells};
	int found;

	if (argc < 2)
		return command_usage("completion", "no shell given: bash, zsh or fish");
	if (argc > 2)
		return command_usage("completion", "one shell only, not '%s' too", argv[2]);
	found = command_choose("completion", "shell", argv[1], completion_shells);
	if (found < 0)
		return EXIT_USAGE;
	print[found](&tables, stdout);
	return command_flush();
}
