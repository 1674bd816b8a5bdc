/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * session_table: the sessions that an agent's answer to `status` tells of, as a table.
 *
 *   Name  Owner               For              Calls       Metrics         Traces
 *   main  command line        3 min            auto        wall+cpu+alloc  -
 *         into /srv/app/jprof-4711.jprof
 *   s2    alice, jprof start  12 s, 48 s left  instrument  wall            gc+locks
 *         include com.acme.*  into /tmp/jprof-4711-2.jprof
 *
 * Columns that do not fit into the width stand below their row, each behind a word.
 */
#ifndef JPROF_CLI_SESSION_TABLE_H
#define JPROF_CLI_SESSION_TABLE_H

#include <jansson.h>
#include <stdio.h>

/* sessions: the member of that name (docs/control-protocol.md); what is of a wrong type is shown as "-". No line is wider
 * than width; 0: any width. */
void session_table_put(FILE *out, const json_t *sessions, unsigned width);

/* Whose a session is: "alice, jprof attach". Owned; NULL: not known, or no memory. */
char *session_owner(const json_t *session);

#endif
