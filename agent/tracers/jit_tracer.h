/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jit_tracer: the trace `jit`: compilations and deoptimizations, as the JVM's log tells of them.
 *
 * In:  agent/jvm/vm_log.h, jit_log.h.   Out: the tables compilation and deoptimization.
 * Runs: lines on the log's own thread.
 */
#ifndef JPROF_JIT_TRACER_H
#define JPROF_JIT_TRACER_H

#include "agent/tracers/tracers.h"

extern const struct tracer jit_tracer;

#endif
