/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * java_words: the command that runs the calibration's program, with probes and without.
 */
#ifndef JPROF_CLI_JAVA_WORDS_H
#define JPROF_CLI_JAVA_WORDS_H

#include <limits.h>
#include <stdbool.h>

#include "cli/calibrate/calibrate.h"

enum { JAVA_WORDS = 40 };

/* Embedded. */
struct java_words {
	char java[PATH_MAX], agent[3 * PATH_MAX], crash[PATH_MAX + 32], jar[PATH_MAX];
	char profile[PATH_MAX + 32];
	char milliseconds[16];
	const char *word[JAVA_WORDS]; /* ends with NULL; points into this object and what is asked for */
};

/* The profile and whatever else the JVM writes is in the folder. 0, or a negative code: there is no
 * java, agent or jar, or an option is not legal. */
int java_words_make(struct java_words *words, const struct calibrate *what,
	const char *folder, bool probes, struct error *error);

#endif
