/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * verbs: from a request's line to the answer's, through the table of verbs.
 *
 * Runs: on the control thread, without locks.
 */
#ifndef JPROF_AGENT_CONTROL_VERBS_H
#define JPROF_AGENT_CONTROL_VERBS_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/control/control.h"

/* Does what the line asks for. The answer with its '\n' and its length: owned, to be freed;
 * NULL: no memory for it. *last: the channel is to be closed behind it. */
char *verbs_answer(const struct control_setup *setup, const char *line, size_t line_length,
	size_t *length, bool *last);

#endif
