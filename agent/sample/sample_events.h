/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sample_events: the JVM's events that samples are made of, or better by. */
#ifndef JPROF_SAMPLE_EVENTS_H
#define JPROF_SAMPLE_EVENTS_H

#include <jvmti.h>

/* Fills in the callbacks. */
void sample_events_callbacks(jvmtiEventCallbacks *callbacks);

#endif
