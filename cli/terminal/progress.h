/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * progress: what the command is busy with, once it takes longer than a moment.
 *
 * Out:  a line on standard error, if that is a terminal; erased when there is something else to
 *       print. Nothing where it is not.
 * Runs: a thread of its own, which prints; the others only say what they begin.
 */
#ifndef JPROF_CLI_PROGRESS_H
#define JPROF_CLI_PROGRESS_H

/* From now on it is this: "reading 'p.jprof'". */
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Nothing more; the line is gone when it returns. Harmless when there was none. */
void progress_hide(void);

#endif
