/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * plan_owners: what a session wants to be in methods, as owners in the plan: for calls, as they are seen in general, and as
 * the user named some; for where its scope begins and ends; for values; and for the stacks at entries.
 *
 * Owns: the owners, by the session's bit.
 * Runs: by one thread at a time.
 */
#ifndef JPROF_PLAN_OWNERS_H
#define JPROF_PLAN_OWNERS_H

#include "agent/session/session.h"

/* What the session wants is in the plan. */
void plan_owners_begin(const struct session *session);

/* It wants nothing any more, but is still known to have reached what it did. */
void plan_owners_leave(const struct session *session);

/* It is gone. */
void plan_owners_end(const struct session *session);

#endif
