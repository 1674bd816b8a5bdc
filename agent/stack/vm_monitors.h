/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * vm_monitors: which thread holds a monitor of HotSpot's.
 *
 *   JavaThread::_current_pending_monitor --> ObjectMonitor::_owner   JDK 24 and later: Thread.threadId() of the holder, of
 *                                                                    a virtual thread, too; before: its JavaThread, or an
 *                                                                    address in its stack, where its lock is
 *
 * A monitor that was made while its object was locked without one has a holder that it does not know. That one has the object
 * among those that it has locked so, in its JavaThread. There references of objects are compared, unless the collector is ZGC,
 * which may leave older ones in a thread that sleeps.
 *
 * The monitor that a thread is about to wait for stays where it is until it has it: the thread counts as one that contends
 * (objectMonitor.cpp). So it is read as it is; no reference of Java's is followed. Threads may end meanwhile: what is
 * said of them is guarded.
 *
 * Runs: anywhere, without locks. The list of the JVM's threads is gone through: 5 ns each.
 */
#ifndef JPROF_VM_MONITORS_H
#define JPROF_VM_MONITORS_H

#include "agent/stack/vm_threads.h"

enum vm_owner_kind {
	VM_OWNER_UNKNOWN, /* this JVM does not tell */
	VM_OWNER_NONE,    /* it is free by now */
	VM_OWNER_HIDDEN, /* it is held since before there was an ObjectMonitor: by whom it does not say */
	VM_OWNER_THREAD
};

struct vm_owner {
	enum vm_owner_kind kind;
	int64_t id; /* Thread.threadId(); 0: not known by it */
	uintptr_t
		java; /* the JavaThread that it is, or is mounted on; 0: it is not mounted, or gone */
};

/* layout: for good. */
void vm_monitors_learn(const struct vm_layout *layout);

/* Who holds the monitor that the calling thread, a JavaThread, is about to wait for; of another one it may be wrong, as that
 * may go on meanwhile. object, NULL: not known: what the JVM's handle of
 * it shows, which a collection of garbage may change at any time. */
struct vm_owner vm_monitor_owner(uintptr_t java_thread, const uintptr_t *object);

/* The JavaThread that runs the thread with that Thread.threadId(), a virtual one, too; 0: none, or it is not told (before
 * JDK 24). */
uintptr_t vm_thread_of_id(int64_t id);

/* False: that JavaThread does not run the thread of that number now; where it is not told (before JDK 24): true. */
bool vm_thread_runs(uintptr_t java_thread, int64_t id);

#endif
