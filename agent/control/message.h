/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * message: from a request's line to the answer's, through the table of verbs
 * (docs/control-protocol.md).
 *
 * In:   untrusted bytes: any nesting, any types. What would cost much memory or stack is
 *       refused before it is parsed: it is the application's memory, and a small stack.
 * Out:  lines of JSON.
 * Runs: on the control thread, without locks.
 */
#ifndef JPROF_AGENT_CONTROL_MESSAGE_H
#define JPROF_AGENT_CONTROL_MESSAGE_H

#include <stddef.h>

#include "agent/control/control.h"

enum {
	MESSAGE_DEPTH = 32,     /* objects and arrays in each other */
	MESSAGE_VALUES = 16384, /* in one request */
	MESSAGE_ID_BYTES = 1024 /* of an id that is a string */
};

/* verb and id are borrowed from object. */
struct request {
	json_t *object;
	const char *verb;
	const json_t *id; /* NULL: it has none, or none that is legal */
};

/* Fills *request, which request_fini must see, whatever the result. 0, or a negative code with
 * error filled; the id is there even then, if it could be read. */
int request_parse(
	struct request *request, const char *line, size_t length, struct error *error);
void request_fini(struct request *request);

/* The answer with its '\n', and its length: result (NULL: {}) if the error is none, otherwise
 * the error. All borrowed. Owned, to be freed; NULL: no memory. */
char *answer_line(
	const json_t *id, const json_t *result, const struct error *error, size_t *length);

/* Does what the line of that peer asks for. The answer with its '\n' and its length: owned, to be freed;
 * NULL: no memory for it. *last: the channel is to be closed behind it. */
char *verbs_answer(const struct control_setup *setup, const struct control_peer *peer,
	const char *line, size_t line_length, size_t *length, bool *last);

/* What can always be said, with its '\n': there is no memory for a better answer. */
extern const char answer_no_memory[];

#endif
