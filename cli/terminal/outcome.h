/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* outcome: lines for the person at the terminal, and how a command ends: its exit status, and
 * the line that says why. */
#ifndef JPROF_CLI_OUTCOME_H
#define JPROF_CLI_OUTCOME_H

#include "error/error.h"

/* Prints "jprof: " and one line on standard error, without what a terminal might obey
 * (error/harmless.h): all that holds a name goes this way. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Exit status of the command; EXIT_RULE: it did what it should, and a rule that the user gave is broken. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_RULE = 3 };

/* Prints "jprof: COMMAND: ..." and where help is, on standard error. Returns EXIT_USAGE. */
int command_usage(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints "jprof: " and the error's text on standard error. Returns EXIT_FAILED. */
int command_failed(const struct error *error);

/* Says on standard error that there is no memory. Returns EXIT_FAILED. */
int command_no_memory(void);

/* Flushes standard output. EXIT_DONE, or EXIT_FAILED with a line if it could not be
 * written. */
int command_flush(void);

#endif
