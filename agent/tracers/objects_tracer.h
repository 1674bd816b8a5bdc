/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * objects_tracer: the trace of objects: how many were allocated, by class and call path, how many of those were freed, and so how many
 * live.
 *
 *   SampledObjectAlloc --> stack's number --> site (thread, path, class) --> counts
 *                      \-> entry: site, size <-- tag of the object --> ObjectFree --> the site's counts
 *   writer's thread, in a flush: what sites have counted since --> accounts `allocate` and `free`
 *
 * A site's path is told once, with a stack through the sampler's circle; from then on it is known by its number.
 *
 * Where there is no room for a site, a thread has one a class, whose path is cut at its root; where there is none for that, objects
 * are lost. Where there is none for an entry the object is taken as freed as it is allocated. Both are counted, and told as facts.
 *
 * Owns: sites and entries, of one recording, from its first switch on to its end.
 * Runs: as tracers.h says; the events in any number of threads, without locks.
 */
#ifndef JPROF_OBJECTS_TRACER_H
#define JPROF_OBJECTS_TRACER_H

#include "agent/tracers/tracers.h"

extern const struct tracer objects_tracer;

#endif
