/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * threads_tracer: the trace `threads`.
 *
 *   Thread.start0, native --> stand-in --> accounts `start`: who starts threads, by call path
 *   /proc/self/task/TID/schedstat, status --> a row of the table `thread_state` for each thread of the process
 *
 * The kernel counts how long a thread ran and how long it could have run and had no processor, and how often it left one. These
 * are read as a Java thread begins and ends, as the trace is switched on and off, and with each flush: rows are sums of the
 * time in which it was on.
 *
 * Owns: rows, THREAD_STATES_MAX at most; later threads are counted.
 * Runs: readings on the thread that begins or ends, on the one that switches, and on the writer's.
 */
#ifndef JPROF_THREADS_TRACER_H
#define JPROF_THREADS_TRACER_H

#include "agent/tracers/tracers.h"

enum { THREAD_STATES_MAX = 50000 };

extern const struct tracer threads_tracer;

#endif
