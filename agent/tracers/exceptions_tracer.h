/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * exceptions_tracer: the trace `exceptions`.
 *
 *   in a JVM that was started with it    Exception, the JVM's event --> accounts `throw`, with the class and the catcher
 *   in one that was not                  Throwable.fillInStackTrace, native --> stand-in --> accounts `throwable`
 *                                          by the number of the stack, if it has one: a site --> its count, in a flush
 *
 * HotSpot tells of exceptions if that was asked for before it began to compile; from then on an exception leaves compiled methods
 * by the interpreter, whether somebody listens or not (26 us in the place of 1 for nine methods). So it is asked for only where
 * the options of the start name the trace. The other way costs nothing but what it records; it sees objects that are
 * made with a stack, thrown or not.
 *
 * Methods that are timed have a handler of jprof's, which throws again what it has caught (agent/rewrite/rewrite.h). It is none
 * of the program's: what was thrown waits until it is known who catches it at last.
 *
 * Runs: events on the threads that throw; what they add, on the writer's.
 */
#ifndef JPROF_EXCEPTIONS_TRACER_H
#define JPROF_EXCEPTIONS_TRACER_H

#include "agent/tracers/tracers.h"

extern const struct tracer exceptions_tracer;

#endif
