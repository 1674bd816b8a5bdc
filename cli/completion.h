/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * completion: what a shell may complete behind `jprof`, told from the tables of commands and of the agent's options; and
 * the scripts that tell shells.
 */
#ifndef JPROF_CLI_COMPLETION_H
#define JPROF_CLI_COMPLETION_H

#include <stdio.h>

#include "cli/commands.h"

/* What is completed. */
struct completion_tables {
	const struct command *commands;
	size_t count;
	const char *const *topics; /* of help, beside commands; to NULL */
	const char *const *shells; /* the same */
};

/* An option of a command. */
struct completion_option {
	const char *name; /* "--view" */
	const char *meaning;
	const char *called;       /* its value, as help has it */
	bool has_value, may_lack; /* a value; it may be left out */
	bool is_file;             /* one is a file */
	bool is_list;             /* many are joined by '+' */
	char words[1024]; /* those that are legal, with blanks between; "": the user's own */
};

typedef void see_option(
	void *user, const struct command *command, const struct completion_option *option);

/* Shows all that the command has, in order. */
void completion_options(const struct command *command, see_option *see, void *user);

/* Words of a command that are not options, and are known: topics, shells. Each with a blank behind; prints nothing for
 * others. */
void completion_words(
	const struct completion_tables *tables, const struct command *command, FILE *out);

/* Prints text within single quotes: a character of `special` gets a backslash in front, a quote is written as the shell
 * has it: `quote`. */
void completion_quote(FILE *out, const char *text, const char *special, const char *quote);

/* Print the script for that shell. */
void completion_bash(const struct completion_tables *tables, FILE *out);
void completion_zsh(const struct completion_tables *tables, FILE *out);
void completion_fish(const struct completion_tables *tables, FILE *out);

#endif
