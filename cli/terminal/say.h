/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* say: lines for the person at the terminal, on standard error. */
#ifndef JPROF_SAY_H
#define JPROF_SAY_H

/* Prints "jprof: " and one line, without what a terminal might obey (error/harmless.h):
 * all that holds a name goes this way. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
