/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * live: the JVM whose profile the page shows, while it runs.
 *
 * In:   exchanges for `status`, and for `control` but its verb refresh.
 * Out:  their answers, by way of the agent's control socket; what is shown is told of another profile, and of changes.
 * Runs: on the thread of one worker. A connection that is gone is made anew, but by root to another user's JVM: that
 *       would be made as this user, which is a matter of the whole process (target_become).
 */
#ifndef JPROF_CLI_LIVE_H
#define JPROF_CLI_LIVE_H

#include "cli/attach/control_client.h"
#include "cli/open/shown.h"

/* Embedded; all zero: there is no JVM. */
struct live {
	bool is_open;
	bool is_there; /* and it has not ended */
	struct target target;
	struct control control;
	int *folder; /* owned: those of profiles that lie where the target's view is another */
	size_t folders;
	/* The recording that an answer named last, as the agent writes them. Owned; NULL: none was; when is not known. */
	char *file, *started;
	/* The session that is looked at, of several that the JVM may have; owned, or NULL: the agent chooses. */
	char *name;
	struct shown *shown; /* borrowed */
};

/* Connects. name: of the session that is meant, or NULL: the one whose profile is `shown`, or, where that is NULL, too,
 * the oldest. *file: its profile as we reach it, owned; NULL: it does not record. 0, or a negative code; live_close is
 * harmless then. */
int live_open(struct live *live, pid_t pid, const char *name, const char *shown, char **file,
	struct error *error);
void live_close(struct live *live);

/* ---- for a worker: user is the struct live ---- */

void live_status(void *user, struct exchange *exchange);

void live_control(void *user, struct exchange *exchange);

/* What the exchange's body asks for: an object that has a text "verb". Owned; NULL with error filled. */
json_t *live_request(const struct exchange *exchange, struct error *error);

#endif
