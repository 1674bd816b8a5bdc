/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * fake_threads: a JVM with threads, and a recording of them, as the tests of this room need it. Which sessions want a thread
 * is the test's; calls are events of the calling thread, as probes raise them.
 */
#ifndef JPROF_FAKE_THREADS_H
#define JPROF_FAKE_THREADS_H

#include "agent/threads/thread_events.h"
#include "agent/threads/threads.h"
#include "../trace/trace_test.h"

struct fake_thread {
	int64_t java_id;
	const char *name;
	bool is_virtual;
	uint64_t word; /* its local storage; of its carrier */
};

/* What the JVM says runs on the calling thread. */
extern __thread struct fake_thread *fake_current;

extern JNIEnv *fake_jni;

/* Bits of the sessions that want a thread of that name; of those that there are, and of those that want all. */
extern uint8_t (*fake_that_want)(const char *name);
extern _Atomic uint8_t fake_sessions, fake_sessions_of_all;

/* How often it was asked for a thread, and a method was looked up. */
extern _Atomic unsigned fake_asked, fake_looked_up;

/* A recording of two metrics, with a scope or without, in which threads are events' own; until fake_stop. The session is borrowed. */
struct session *fake_begin(bool scope);

/* The same of that set (borrowed), whose metrics may be real; fake_use does not go with those. */
struct session *fake_begin_with(const struct metric_set *set);

/* The recording's metrics are these from now on, as recording_widen does it; reshaped: functions are of their shape. */
void fake_widen(const struct metric_set *wider, bool reshaped);

/* As fake_enter and fake_leave, by functions of that shape, which hand over what is not for them any more. */
bool fake_enter_shaped(enum metric_shape shape, uint32_t method);
bool fake_leave_shaped(enum metric_shape shape, uint32_t method);

/* Shows what was recorded, and ends it; the picture is the caller's. */
void fake_stop(struct test_picture *picture);

/* The calling thread's events. False: they were not recorded. */
bool fake_enter(uint32_t method);
bool fake_leave(uint32_t method);
bool fake_enter_scope(uint32_t method);
bool fake_leave_scope(uint32_t method);

/* The calling thread, which is a platform thread, carries the virtual one from now on; and is itself again. */
void fake_mount(struct fake_thread *thread);
void fake_unmount(void);
/* The virtual thread, which is mounted, ends. */
void fake_end_virtual(void);

/* What the calling thread uses. It is recorded, or carries a thread that is. */
void fake_use(uint64_t objects);

#endif
