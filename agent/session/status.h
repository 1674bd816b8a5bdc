/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * status: what a session has recorded so far, as the control channel tells it
 * (docs/control-protocol.md).
 */
#ifndef JPROF_SESSION_STATUS_H
#define JPROF_SESSION_STATUS_H

#include <jansson.h>

#include "agent/session/session.h"

/* Sets the members of a session that records in the object. 0, or a negative code: no memory, or
 * nothing can be counted now. */
int session_status(struct session *session, json_t *object, struct error *error);

/* Sets the member "rates": what happened since somebody last asked for that, and the `top` methods that
 * did most of it. 0, or a negative code as above. */
int session_rates(
	struct session *session, size_t top, json_t *object, struct error *error);

/* A text as JSON: of a path whose bytes are not UTF-8 those beyond ASCII become '?'. NULL without
 * memory. */
json_t *status_text(const char *text);

#endif
