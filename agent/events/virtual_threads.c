/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* virtual_threads: see virtual_threads.h. */
#include "agent/events/virtual_threads.h"

#include "agent/events/thread_events.h"

static void JNICALL on_mount(jvmtiEnv *jvmti, ...)
{
	(void)jvmti;
	thread_events_hide();
}

static void JNICALL on_unmount(jvmtiEnv *jvmti, ...)
{
	(void)jvmti;
	thread_events_show();
}

void virtual_threads_watch(struct jvm *jvm, bool on)
{
	jvm_enable_extension(jvm, "com.sun.hotspot.events.VirtualThreadMount",
		on ? on_mount : NULL);
	jvm_enable_extension(jvm, "com.sun.hotspot.events.VirtualThreadUnmount",
		on ? on_unmount : NULL);
}
