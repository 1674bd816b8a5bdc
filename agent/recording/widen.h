/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * widen: a recording that runs takes on further metrics.
 *
 *   proven --> functions of the old shape turned away --> file, trace --> functions of the new shape --> an edition
 *
 * Each thread counts them from its next event on (agent/trace/trace_widen.c); until then, and of threads that have none
 * any more, they are 0. They are not given up again before the recording ends.
 */
#ifndef JPROF_WIDEN_H
#define JPROF_WIDEN_H

#include "agent/jvm/hotspot.h"
#include "agent/jvm/jvm.h"
#include "agent/session/session.h"

/* The session, which began the recording, counts these metrics, too: those that it counts already are left out, and the
 * others come behind them (session_metrics). alloc: how this JVM shows allocation. 0; or a negative code: error names the metric that this machine, JVM or
 * recording cannot count, or the file cannot be written now; the recording goes on, and it can be tried again. On a Java
 * thread; not while the recording begins or ends. */
int recording_widen(JNIEnv *jni, struct session *session, const struct pattern_list *metrics,
	enum hotspot_alloc alloc, struct error *error);

#endif
