/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * gc_tracer: the trace `gc`: collections and safepoints, as the JVM's log tells of them.
 *
 * In:  agent/jvm/vm_log.h, gc_log.h.   Out: the tables collection and safepoint.
 * Runs: lines on the log's own thread.
 */
#ifndef JPROF_GC_TRACER_H
#define JPROF_GC_TRACER_H

#include "agent/tracers/tracers.h"

extern const struct tracer gc_tracer;

#endif
