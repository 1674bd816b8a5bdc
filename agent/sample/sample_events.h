/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sample_events: the JVM's events that samples are made of, or better by. */
#ifndef JPROF_SAMPLE_EVENTS_H
#define JPROF_SAMPLE_EVENTS_H

#include <jvmti.h>

#include "agent/session/session.h"

/* Fills in the callbacks. */
void sample_events_callbacks(jvmtiEventCallbacks *callbacks);

/* True if the session samples allocations. */
bool sample_events_allocations(const struct session *session);

/* Behind sampler_begin: what the JVM has to know. 0, or a negative code. */
int sample_events_begin(JNIEnv *jni, struct error *error);

/* None of it from now on. */
void sample_events_stop(void);

/* How many collections of garbage have begun since the JVM tells of them. */
uint32_t sample_events_collections(void);

/* When the JVM stopped for the last collection, ns of clock_now; 0: it has not. */
uint64_t sample_events_collection_began(void);

#endif
