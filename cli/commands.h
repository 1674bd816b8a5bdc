/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * commands: what can stand behind `jprof`.
 *
 * A command is one row of the table in commands.c and one file cmd_NAME.c; main, help and
 * the usage lines read the row.
 */
#ifndef JPROF_COMMANDS_H
#define JPROF_COMMANDS_H

#include <stddef.h>
#include <stdio.h>

#include "cli/terminal/outcome.h"

struct command {
	const char *name;
	const char *arguments; /* as the usage line shows them */
	const char *summary;   /* a few words */
	const char *text;      /* what help prints below the usage line, or NULL */
	/* Prints what help has below that, from tables; or NULL. */
	void (*details)(FILE *out);
	/* argv[0] is the command's own name. Returns the exit status. */
	int (*run)(int argc, char **argv);
};

extern const struct command commands[];
extern const size_t command_count;

/* The row of that name, or NULL. */
const struct command *command_find(const char *name);

int cmd_run(int argc, char **argv);
int cmd_attach(int argc, char **argv);
/* start, stop, status, snapshot, reset, detach: argv[0] tells which. */
int cmd_control(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_selftest(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_help(int argc, char **argv);

void cmd_report_details(FILE *out);
void cmd_html_details(FILE *out);
void cmd_help_details(FILE *out);

/* Says that there is no such command, and which there are; for help also its topics (NULL:
 * none). Returns EXIT_USAGE. */
int command_unknown(const char *word, const char *const *topics);

#endif
