/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* matches_text: tells a user on standard error which patterns have matched nothing. */
#ifndef JPROF_CLI_MATCHES_TEXT_H
#define JPROF_CLI_MATCHES_TEXT_H

#include <jansson.h>
#include <stdbool.h>

/* A line for each, the first few; rows: "matches" of an agent's answer (options/matches.h), which may be
 * missing. If no call can have been recorded for that, another line that says so once the recording
 * has ended; true then. */
bool matches_tell(const json_t *rows, bool has_ended);

#endif
