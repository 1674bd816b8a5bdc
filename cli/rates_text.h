/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* rates_text: what an agent tells of the time since the last look (docs/control-protocol.md, "rates"),
 * as text: for a terminal, or a line. */
#ifndef JPROF_CLI_RATES_TEXT_H
#define JPROF_CLI_RATES_TEXT_H

#include <jansson.h>

/* Methods that are asked for. */
enum { RATES_TOP = 10 };

/* Some lines, none longer than width; owned (free), NULL without memory. What is of a wrong type, or
 * missing, is left out. */
char *rates_screen(const json_t *status, long pid, unsigned width);

/* The same as one line, without its end. */
char *rates_line(const json_t *status);

#endif
