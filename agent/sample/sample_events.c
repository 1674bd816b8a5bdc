/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sample_events: see sample_events.h. */
#include "agent/sample/sample_events.h"

/* As long as the event is on, HotSpot's compilers describe their code at more places than those where it
 * may stop (DebugInformationRecorder::recording_non_safepoints): without it, a sample would be
 * charged to the next one of these. */
static void JNICALL on_compiled(jvmtiEnv *jvmti, jmethodID method, jint size,
	const void *address, jint pieces, const jvmtiAddrLocationMap *map, const void *more)
{
}

void sample_events_callbacks(jvmtiEventCallbacks *callbacks)
{
	callbacks->CompiledMethodLoad = on_compiled;
}
