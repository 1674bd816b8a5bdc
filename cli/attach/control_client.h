/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * control_client: talks to the agent in a JVM, one request and one answer at a time.
 *
 * The agent listens on the socket `control` in a directory .jprof-PID of its own;
 * requests and answers are JSON objects, one a line (docs/control-protocol.md).
 */
#ifndef JPROF_CLI_CONTROL_CLIENT_H
#define JPROF_CLI_CONTROL_CLIENT_H

#include <jansson.h>

#include "cli/attach/target.h"

/* A connection. Embedded; zero-initialised it is not open only after control_close. */
struct control {
	int descriptor;
	long pid;    /* for messages */
	long asked;  /* requests so far: their ids */
	char *bytes; /* of an answer that is not complete, owned */
	size_t size;
};

/* ".jprof-PID", as the agent in the target names its directory. */
struct control_name {
	char text[48];
};
struct control_name control_directory(const struct target *target);

/* Connects. 0, or a negative code: -ERROR_MISSING if no agent listens there.
 * control_close is harmless after a failure. */
int control_open(struct control *control, const struct target *target, struct error *error);
void control_close(struct control *control);

/* The same with an agent that is about to listen: waits for it for some seconds. */
int control_await(struct control *control, const struct target *target, struct error *error);

/* Sends a request with these members (an object, borrowed, or NULL) and waits for its
 * answer. *result: what the agent tells, owned; an empty object where it tells nothing.
 * 0, or a negative code: the agent's own, or -ERROR_IO if the connection is gone. */
int control_ask(struct control *control, const char *verb, json_t *members, json_t **result,
	struct error *error);

/* Waits until the agent has closed the connection. 0, or -ERROR_BUSY if it takes too
 * long. */
int control_await_end(struct control *control, struct error *error);

/* What the agent does: "recording", "armed"; "silent" if it does not answer. Owned; NULL: no
 * agent listens, or there is no memory. */
char *control_state(const struct target *target);

#endif
