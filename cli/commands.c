/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* commands: the table, and what all commands say in the same way. */
#include "cli/commands.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static const char run_text[] =
	"Starts the java given behind `--` with libjprof.so loaded, waits for it, and\n"
	"exits with its status (128 + the signal's number if a signal ended it). The\n"
	"options are those of the agent: `jprof help options`.\n";

const struct command commands[] = {
	{"run", "[--KEY VALUE ...] -- java ARGS...",
		"run a Java program with the agent, and say where the profile is", run_text,
		NULL, cmd_run},
	{"report",
		"FILE [--view VIEW] [--metric M] [--sort COLUMN] [--top N]\n"
		"             [--thread PATTERN] [--path PATTERN] [--method PATTERN]\n"
		"             [--snapshot A..B] [--format FORMAT]",
		"print a profile", NULL, cmd_report_details, cmd_report},
	{"metrics", "", "what can be counted on this machine, and why not the rest", NULL,
		NULL, cmd_metrics},
	{"help", "[COMMAND | options | schema]",
		"this list, one command, the agent's options, or the config file's schema",
		NULL, cmd_help_details, cmd_help},
};

const size_t command_count = sizeof(commands) / sizeof(commands[0]);

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < command_count; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

int command_usage(const char *command, const char *format, ...)
{
	struct error error = {0};
	char text[sizeof(error.text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	/* error_set makes one line of whatever the words contained. */
	error_set(&error, ERROR_USAGE, "%s", text);
	fprintf(stderr, "jprof: %s: %s (see 'jprof help %s')\n", command, error.text,
		command);
	return EXIT_USAGE;
}

int command_failed(const struct error *error)
{
	fprintf(stderr, "jprof: %s\n", error->text);
	return EXIT_FAILED;
}

int command_flush(void)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_DONE;
	if (errno != EPIPE)
		fprintf(stderr, "jprof: cannot write the output: %s\n", strerror(errno));
	return EXIT_FAILED;
}
