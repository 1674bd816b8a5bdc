/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * java_child: runs java for a limited time and takes what it prints, line by line.
 *
 * In:   the words of the command; its standard output and error come in one stream.
 * Out:  lines that begin with '{' to the caller; what else it said only where it fails.
 *       Afterwards there is no such process, however it ended: also when this one is killed.
 */
#ifndef JPROF_CLI_JAVA_CHILD_H
#define JPROF_CLI_JAVA_CHILD_H

#include <stdint.h>

#include "error/error.h"

/* A line, without its end; it may be changed. Other than 0 ends the child. */
typedef int java_line(void *argument, char *line, struct error *error);

/* Runs argv[0] (looked for in PATH if it has no slash) with at most so many milliseconds. 0, or
 * a negative code with one line: it cannot be run, what it said when it failed, it took too
 * long, or Ctrl-C (waiting_catch_interrupt). */
int java_child_run(char *const argv[], int64_t limit, java_line *line, void *argument,
	struct error *error);

#endif
