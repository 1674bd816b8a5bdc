/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * virtual_threads: keeps the calls of virtual threads apart from those of their carriers.
 *
 * A virtual thread raises entry and exit events on whichever platform thread carries it, and
 * may go on on another one: recorded there, stacks would mix. While one is mounted, the
 * carrier's events are turned away; what the virtual thread uses is charged to the carrier,
 * to the node it was in (its root, as a rule).
 *
 * In:   HotSpot's extension events VirtualThreadMount and VirtualThreadUnmount (JDK 21 and
 *       later). JVMs without them have no virtual threads.
 */
#ifndef JPROF_VIRTUAL_THREADS_H
#define JPROF_VIRTUAL_THREADS_H

#include <stdbool.h>

#include "agent/jvm/jvm.h"

/* A session begins: before other events are enabled; or ends. In the live phase. */
void virtual_threads_watch(struct jvm *jvm, bool on);

#endif
