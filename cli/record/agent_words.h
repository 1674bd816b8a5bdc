/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * agent_words: the agent's options among the words of a command, "--KEY VALUE" or
 * "--KEY=VALUE", checked as they come; and --duration, which is the command's own.
 */
#ifndef JPROF_CLI_AGENT_WORDS_H
#define JPROF_CLI_AGENT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

struct agent_words {
	const char *command; /* for messages, borrowed */
	const char *folder;  /* where relative paths begin, to be made whole; or NULL */
	bool has_duration;   /* --duration is one of its words */
	int64_t duration;    /* milliseconds; 0: not given */
	char *options;       /* an option string without `file`, owned, or NULL */
	char *file; /* "file=..." kept apart, because its %t is replaced; owned, or NULL
		     */
};

/* Takes the option at argv[*at], and moves *at to its last word. An exit status; anything
 * but EXIT_DONE was told. */
int agent_words_take(struct agent_words *words, int argc, char **argv, int *at);

/* All of them as one option string, owned; NULL without memory. */
char *agent_words_join(const struct agent_words *words);

void agent_words_fini(struct agent_words *words);

#endif
