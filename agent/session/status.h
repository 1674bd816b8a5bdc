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

/* What other rooms have counted for a session. */
struct session_counts {
	uint64_t classes, methods; /* that have probes */
	uint64_t methods_lost;     /* without a record */
	/* Of a recording that keeps a budget: methods by how their calls are seen at the moment; changes so far. */
	uint64_t timed, counted, dear, changed, changing_ns;
};

/* Sets the members of a session that records in the object. 0, or a negative code: no memory, or
 * nothing can be counted now. */
int session_status(struct session *session, const struct session_counts *others, json_t *object,
	struct error *error);

/* Sets the member "rates": what happened since somebody last asked for that, and the `top` methods that
 * did most of it. 0, or a negative code as above. */
int session_rates(struct session *session, size_t top, json_t *object, struct error *error);

#endif
