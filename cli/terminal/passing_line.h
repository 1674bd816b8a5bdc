/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * passing_line: a line on standard error, if that is a terminal, that the next one
 * replaces, and that is gone when something else is printed.
 *
 * Runs: on one thread at a time.
 */
#ifndef JPROF_CLI_PASSING_LINE_H
#define JPROF_CLI_PASSING_LINE_H

/* Shows "jprof: " and the text, cut to the terminal's width: a line that wraps cannot be
 * erased. */
void passing_line_show(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Harmless when there is none. */
void passing_line_erase(void);

#endif
