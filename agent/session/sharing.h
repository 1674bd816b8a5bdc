/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sharing: what sessions that share a recording may want each for itself, and what they must agree on.
 *
 * Which methods, threads, metrics, traces, values a session wants is its own: the recording has what any of them wants, and the
 * readers of each profile leave out the rest (profile/sessions.c). How all of it is counted is the recording's: a guest
 * that wants it otherwise is refused, by name.
 */
#ifndef JPROF_SHARING_H
#define JPROF_SHARING_H

#include "agent/session/session.h"

/* The guest, whose recording is known, wants nothing that others that record have otherwise. 0, or -ERROR_VALUE: what it is,
 * and whose. */
int sharing_check(const struct session *guest, struct error *error);

/* The same of a session that records, and of options that are the recording's alone: before traces are on for it, which are in
 * session->traces already. */
int sharing_agree(const struct session *session, struct error *error);

/* What it has of options that are the recording's is settled until the recording ends, unless another one has settled it. As it has
 * begun, and as traces are on for it. */
void sharing_settle(struct session *session);

#endif
