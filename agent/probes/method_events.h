/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* method_events: what happens at the JVM's entry, exit and allocation events. */
#ifndef JPROF_METHOD_EVENTS_H
#define JPROF_METHOD_EVENTS_H

#include <jvmti.h>
#include <stdbool.h>

#include "metric/metric.h"

/* Fills in the callbacks for entries, exits and the JVM's own allocations. shape: that of the
 * session's metric set; precise: its timing. */
void method_events_callbacks(
	enum metric_shape shape, bool precise, jvmtiEventCallbacks *callbacks);

#endif
