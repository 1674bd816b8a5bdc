/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* virtual_threads: see virtual_threads.h. */
#include "agent/events/virtual_threads.h"

#include <stdatomic.h>

#include "agent/events/thread_events.h"

static _Atomic uint64_t mounts;

static void JNICALL on_mount(jvmtiEnv *jvmti, ...)
{
	(void)jvmti;
	thread_events_hide();
	atomic_fetch_add_explicit(&mounts, 1, memory_order_relaxed);
}

static void JNICALL on_unmount(jvmtiEnv *jvmti, ...)
{
	(void)jvmti;
	thread_events_show();
}

void virtual_threads_watch(struct jvm *jvm, bool on)
{
	if (on)
		atomic_store(&mounts, 0);
	jvm_enable_extension(jvm, "com.sun.hotspot.events.VirtualThreadMount",
		on ? on_mount : NULL);
	jvm_enable_extension(jvm, "com.sun.hotspot.events.VirtualThreadUnmount",
		on ? on_unmount : NULL);
}

uint64_t virtual_threads_mounts(void)
{
	return atomic_load_explicit(&mounts, memory_order_relaxed);
}
