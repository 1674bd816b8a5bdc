/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * progress: what the command is busy with, once it takes longer than a moment.
 *
 * Out:  a line on standard error, if that is a terminal, that the next one replaces; erased
 *       when there is something else to print.
 * Runs: a thread of its own, which prints; the others, any and at the same time, only say what they begin. There is
 *       one line: what is said last is shown, and who hides it hides that of another thread, too.
 */
#ifndef JPROF_CLI_PROGRESS_H
#define JPROF_CLI_PROGRESS_H

/* From now on it is this: "reading 'p.jprof'". */
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Nothing more; the line is gone when it returns. Harmless when there was none. */
void progress_hide(void);

/* Shows "jprof: " and the text now, cut to the terminal's width: a line that wraps cannot be
 * erased. */
void passing_line_show(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Harmless when there is none. */
void passing_line_erase(void);

#endif
