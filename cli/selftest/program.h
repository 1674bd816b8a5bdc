/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * program: the command that runs the program with known shares under the agent.
 */
#ifndef JPROF_CLI_PROGRAM_H
#define JPROF_CLI_PROGRAM_H

#include "cli/calibrate/java_command.h"
#include "cli/selftest/selftest.h"

enum { PROGRAM_WORDS = JAVA_STEADY + 16 };

/* Embedded. */
struct program {
	char java[PATH_MAX], agent[3 * PATH_MAX], crash[PATH_MAX + 32], jar[PATH_MAX];
	char profile[PATH_MAX + 32]; /* of the run with probes */
	char *without, *with; /* options of the recordings, owned */
	const char *word[PROGRAM_WORDS]; /* ends with NULL; points into this object and what is asked for */
};

/* All files are in the folder. 0, or a negative code: there is no java, agent or jar, or an option is
 * not legal. Embedded (program_fini), also after a failure. */
int program_make(struct program *program, const struct selftest *what, const char *folder,
	struct error *error);
void program_fini(struct program *program);

#endif
