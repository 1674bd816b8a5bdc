/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * classes_tracer: the trace `classes`.
 *
 *   ClassLoad, ClassPrepare, the JVM's events --> a row of the table `class`; accounts `load`
 *   ClassUnload, an event of HotSpot's --> the end in that row
 *   what was there before --> counts by loader (table `class_loader`)
 *   HotSpot's own counters of the time that this takes --> facts
 *
 * The JVM tells the name of a class that was unloaded, not which of several: it is of a loader that is gone.
 *
 * Owns: rows, CLASSES_MAX at most; behind those classes are counted by loader, and in accounts.
 * Runs: events on any thread; rows are put on the writer's.
 */
#ifndef JPROF_CLASSES_TRACER_H
#define JPROF_CLASSES_TRACER_H

#include "agent/tracers/tracers.h"

enum { CLASSES_MAX = 200000 };

extern const struct tracer classes_tracer;

#endif
