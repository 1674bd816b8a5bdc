/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * command_options: the words of a command, "--NAME VALUE", "--NAME=VALUE" or "--NAME", read by
 * a table.
 */
#ifndef JPROF_CLI_COMMAND_OPTIONS_H
#define JPROF_CLI_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "options/nearest.h"

struct command_option;

/* An option that was given. */
struct taken {
	const char *command; /* its name */
	const struct command_option *option;
	const char *value; /* NULL: there is none */
	void *words;       /* of the command */
	void *to;          /* what stands in them at the option's offset */
};

/* Takes it into words. An exit status; for any but EXIT_DONE a line was printed. */
typedef int option_taker(const struct taken *taken);

struct command_option {
	const char *name;
	const char
		*value; /* as help calls it; "": no such; NULL: it has none; OPTIONAL_VALUE */
	const char *meaning; /* for help */
	option_taker *take;
	size_t offset; /* in words, of what take sets */
};

/* The value may be left out: NULL is taken then. */
#define OPTIONAL_VALUE "[VALUE]"

/* A const char *, borrowed; the same, not empty; a bool that becomes true; one that tells
 * whether the format is json, not text. */
option_taker take_text, take_some_text, take_flag, take_json;

/* A uint64_t above 0; a double, a percentage as a part of one. */
option_taker take_whole_number, take_percent;

struct command_table {
	const char *command;
	const struct command_option *option;
	size_t count;
	/* Takes a word that is no option; NULL: it is an unknown one. */
	int (*other)(void *words, const char *word);
	bool may_follow; /* an optional value is the next word, unless that is an option */
};

/* Takes the option at argv[*at], and moves *at to its last word. An exit status, as above. */
int command_option_read(
	const struct command_table *table, void *words, int argc, char **argv, int *at);

/* Takes them all. argv[0] is the command's own name. An exit status, as above. */
int command_options_read(const struct command_table *table, void *words, int argc, char **argv);

/* The place of the value among names (to NULL), or -1 and a line: "no WHAT 'VALUE'...". */
int command_choose(
	const char *command, const char *what, const char *value, const char *const *names);

#endif
