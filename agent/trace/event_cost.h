/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * event_cost: what recording one entry or exit costs on this machine with these metrics: an
 * estimate, by timing some thousands of them in a trace made for it.
 */
#ifndef JPROF_EVENT_COST_H
#define JPROF_EVENT_COST_H

#include "metric/metric.h"

/* Nanoseconds an event, the call of the probe included; 0: it could not be measured. Takes about a
 * millisecond. precise: with fences. alloc: where the calling thread's allocation counters are. */
double event_cost(const struct metric_set *set, bool precise, struct alloc_source alloc);

#endif
