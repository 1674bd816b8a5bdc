/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * commands: what can stand behind `jprof`.
 *
 * A command is one row of the table in commands.c and one file cmd_NAME.c; main, help, the usage lines and
 * the shells' completion read the row.
 *
 * A new one: a row with its table of options, which help prints and completion offers. What an option's value may be
 * is told by what the table calls it: "text|json" are words to choose from; of a name in capitals (`VIEW`, `FORMAT`)
 * `values` knows the words, or it begins with FILE, PATH or OUT and is a file, or with METRIC or "M[" and is metrics;
 * anything else is the user's.
 */
#ifndef JPROF_COMMANDS_H
#define JPROF_COMMANDS_H

#include <stddef.h>
#include <stdio.h>

#include "cli/terminal/command_options.h"
#include "cli/terminal/outcome.h"

/* What words beside options are; several where a command takes one or another. */
enum command_words {
	WORDS_PROCESS = 1, /* a PID, a main class or a jar */
	WORDS_PROFILE = 2, /* *.jprof */
	WORDS_PROGRAM = 4, /* behind --, a command of its own */
	WORDS_TOPIC = 8,   /* of help */
	WORDS_SHELL = 16   /* of completion */
};

/* The agent's options, --KEY VALUE (options/option_table.h), beside the command's own. */
enum command_agent { AGENT_NONE, AGENT_OPTIONS, AGENT_AND_DURATION };

struct command {
	const char *name;
	const char *arguments; /* as the usage line shows them */
	const char *summary;   /* a few words */
	const char *text;      /* what help prints below the usage line, or NULL */
	/* Prints what help has below that, from tables; or NULL. */
	void (*details)(FILE *out);
	/* argv[0] is the command's own name. Returns the exit status. */
	int (*run)(int argc, char **argv);

	/* Named in a row that has them; where it has none `.words = 0` says so (compilers warn of rows that end early). */
	const struct command_table *options; /* its own; NULL: it has none */
	unsigned words;                      /* of enum command_words */
	enum command_agent agent;
	/* The i-th legal value of options whose value is called so; NULL: there are no more. NULL: none are
	 * known. */
	const char *(*values)(const char *called, size_t i);
};

extern const struct command commands[];
extern const size_t command_count;

/* The row of that name, or NULL. */
const struct command *command_find(const char *name);

/* Those of the commands' files. */
extern const struct command_table list_table, attach_table, start_table, stop_table,
	status_table, snapshot_table, reset_table, trace_table, scope_table, deadlocks_table,
	detach_table, report_table, export_table, diff_command_table, html_table, open_table,
	calibrate_table, selftest_table, heap_table;

/* Words behind help, beside commands; and the shells that there is completion for. Both to NULL. */
extern const char *const help_topics[], *const completion_shells[];

int cmd_run(int argc, char **argv);
int cmd_attach(int argc, char **argv);
/* start, stop, status, snapshot, reset, trace, scope, deadlocks, detach: argv[0] tells which. */
int cmd_control(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_heap(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_open(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_selftest(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_completion(int argc, char **argv);

const char *cmd_report_values(const char *called, size_t i);
const char *cmd_export_values(const char *called, size_t i);
void cmd_report_details(FILE *out);
void cmd_export_details(FILE *out);
const char *cmd_diff_values(const char *called, size_t i);
void cmd_diff_details(FILE *out);
void cmd_help_details(FILE *out);

/* Says that there is no such command, and which there are; for help also its topics (NULL:
 * none). Returns EXIT_USAGE. */
int command_unknown(const char *word, const char *const *topics);

#endif
