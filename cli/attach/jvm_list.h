/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jvm_list: the JVMs of this machine, those in containers too, and the one that a user
 * names by its program.
 *
 * In:   /proc; of processes that may be looked into, what they have mapped and publish.
 * Of others only the command line is seen: those whose launcher is called java are JVMs.
 * Out:  rows in order of pid. Nothing is done to any process.
 */
#ifndef JPROF_CLI_JVM_LIST_H
#define JPROF_CLI_JVM_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "error/error.h"

struct jvm_row {
	pid_t pid;
	char user[64];   /* its name, or its number */
	char *version;   /* "17.0.15"; owned; NULL: not known */
	char *program;   /* main class, jar, module/class; owned; NULL: not known */
	char *refusal;   /* why it cannot be attached to; owned; NULL: it can */
	char *recording; /* the agent's state ("recording", "armed"); owned; NULL: no
			    agent listens */
};

struct jvm_list {
	struct jvm_row *row; /* owned */
	size_t count;
};

/* ask: the agents for their state, too. 0, or a negative code; to be given back in any
 * case. */
int jvm_list_read(struct jvm_list *list, bool ask, struct error *error);
void jvm_list_fini(struct jvm_list *list);

/* True if a user may call the program so: all of it, or the class without its packages,
 * the jar without its folder, the module's class. */
bool jvm_list_is_named(const char *program, const char *word);

/* "4711", or the program of one JVM. 0, or -ERROR_USAGE: it names none, or several, which
 * the error lists. */
int jvm_list_find(const char *word, pid_t *pid, struct error *error);

#endif
