/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * agent_words: the agent's options among the words of a command, "--KEY VALUE" or
 * "--KEY=VALUE", checked as they come; --duration, which is the command's own; and what `jprof
 * attach` and `jprof start` make of them.
 */
#ifndef JPROF_CLI_AGENT_WORDS_H
#define JPROF_CLI_AGENT_WORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/attach/control_client.h"

struct agent_words {
	const char *command; /* for messages, borrowed */
	const char *folder;  /* where relative paths begin, to be made whole; or NULL */
	bool has_duration;   /* --duration is one of its words */
	int64_t duration;    /* milliseconds; 0: not given */
	char *options;       /* an option string without `file`, owned, or NULL */
	char *file;          /* "file=...", apart because its %t is replaced; owned, or NULL */
};

/* Takes the option at argv[*at], and moves *at to its last word. An exit status; for any
 * but EXIT_DONE a line was printed. */
int agent_words_take(struct agent_words *words, int argc, char **argv, int *at);

/* All of them as one option string, owned; NULL without memory. */
char *agent_words_join(const struct agent_words *words);

void agent_words_fini(struct agent_words *words);

/* What goes to the agent. The config file that words name is read here: the target may not see
 * it. */
struct start_request {
	json_t *options; /* of the recording: the given ones, without `start`; owned */
	char *load;      /* the option string for loading the agent, which is short; owned */
	bool is_armed;   /* start=no */
	bool has_start;  /* start was given */
	bool is_plain;   /* nothing is asked for beside what loading takes */
};

/* 0, or a negative code; start_request_fini is harmless then. */
int start_request_read(
	struct start_request *request, const struct agent_words *words, struct error *error);
/* The same of options as a config file has them, an object, which is taken. */
int start_request_take(struct start_request *request, json_t *options, struct error *error);
void start_request_fini(struct start_request *request);

/* The agent was loaded with `load`: options that only loading takes are done. */
void start_request_loaded(struct start_request *request);

/* Sets `file` to where the profile goes in that target. 0, or a negative code. */
int start_request_place(
	struct start_request *request, const struct target *target, struct error *error);

/* For an agent that is there, asks it how it was loaded, and makes the members of the verb `start`; *members: owned, NULL
 * for none. 0, or a negative code. */
#define START_IS_FOR_LOADING "'start' is an option of 'jprof attach' and 'jprof run' only"
int start_request_ask(struct start_request *request, struct control *control,
	const struct target *target, json_t **members, struct error *error);

/* Adds to the members (owned; NULL: none yet) what the session is to be called, NULL: as the agent likes, and who wants
 * it, "jprof start". 0, or a negative code. */
int start_request_sign(json_t **members, const char *name, const char *by, struct error *error);

#endif
