/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* status_text: an agent's answers as lines for people. What is of a wrong type, or missing, is
 * left out. */
#ifndef JPROF_CLI_STATUS_TEXT_H
#define JPROF_CLI_STATUS_TEXT_H

#include <jansson.h>
#include <stdbool.h>

/* The answer to `status`: aligned lines with units; of several sessions a table stands before them, unless name says which
 * one is meant. width: no line is longer; 0: any length; the table is at most table_width wide. Owned; NULL without
 * memory. */
char *status_text(const json_t *status, const char *name, unsigned width, unsigned table_width);

/* Behind "recording into FILE" on standard error, of an answer to `start`: which session it is, beside which others, and
 * how it is ended. False: it has no name that the user gave (NULL: none), and is alone; nothing was put. */
bool status_put_session(const json_t *started, const char *given, long pid);

/* Methods that are asked for with "rates". */
enum { RATES_TOP = 10 };

/* What happened in the time since the last look (docs/control-protocol.md, "rates"): some
 * lines, none longer than width; 0: one line, without its end. Owned; NULL without memory. */
char *status_rates(const json_t *status, long pid, unsigned width);

/* Says on standard error which patterns have matched nothing: a line for each, the first few.
 * rows: "matches" of an answer (options/matches.h). If no call can have been recorded for that,
 * another line says so once the recording has ended; true then. */
bool status_say_matches(const json_t *rows, bool has_ended);

#endif
