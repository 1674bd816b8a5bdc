/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * locks: the trace `locks`: who waited how long, for which lock, and who held it and where.
 *
 *   monitors              JVM's events: contended enter, wait, and their ends
 *   java.util.concurrent  jdk.internal.misc.Unsafe.park, whose function is a stand-in; virtual threads that park are
 *                         unmounted and mounted
 *
 * What is not contended is not seen, and costs nothing. Who holds a monitor is read in the JVM (vm_monitors.h), or the JVM
 * is asked; of java.util.concurrent the blocker of the thread tells, if it is an AbstractOwnableSynchronizer.
 */
#ifndef JPROF_LOCKS_H
#define JPROF_LOCKS_H

#include <jansson.h>

#include "agent/tracers/tracers.h"

extern const struct tracer locks_tracer;

#endif
