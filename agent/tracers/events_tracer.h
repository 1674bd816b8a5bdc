/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * events_tracer: the trace `events`: entries, exits and what else happens in the order of time.
 *
 *   agent/trace/event_ring, the threads' --> agent/session/event_pack --> blocks in the profile
 *
 * With events_keep blocks wait in memory for so long, and go, unless they are asked for (event_trace_request), or a call that
 * events_when names took longer than that says.
 *
 * Runs: as tracers.h says; event_trace_request on any thread.
 */
#ifndef JPROF_EVENTS_TRACER_H
#define JPROF_EVENTS_TRACER_H

#include "agent/tracers/tracers.h"

extern const struct tracer events_tracer;

/* What is kept is written with the next flush. 0, or -ERROR_USAGE: nothing is kept. */
int event_trace_request(struct error *error);

#endif
