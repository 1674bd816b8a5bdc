/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * thread_starts: see thread_starts.h.
 *
 * Runs: the stand-in on the thread that starts another; the list under its lock, which is short:
 *       it has the threads between start and their first instruction.
 */
#include "agent/threads/thread_starts.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "agent/jvm/hotspot.h"
#include "agent/jvm/boot_class.h"
#include "agent/lock/lock.h"
#include "agent/log/log.h"
#include "agent/threads/thread_events.h"

static struct noted {
	int64_t java_id;
	uint32_t recording;
	struct noted *next;
} * list; /* under the lock */
static struct lock list_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_STARTS};
static _Atomic bool watching;
static _Atomic(thread_starts_told) told;

/* The JVM's own; found once. */
static void(JNICALL *real_start)(JNIEnv *jni, jobject thread);

/* True if it was noted, in this recording. */
static bool forget(int64_t java_id)
{
	struct noted **at = &list, *found;
	bool now;

	lock_take(&list_lock);
	while (*at && (*at)->java_id != java_id)
		at = &(*at)->next;
	found = *at;
	if (found)
		*at = found->next;
	lock_give(&list_lock);
	now = found && found->recording == recording_now();
	free(found);
	return now;
}

static void JNICALL start(JNIEnv *jni, jobject thread)
{
	bool inside = atomic_load(&watching) && slot_in_scope();
	thread_starts_told tell = atomic_load(&told);
	int64_t java_id = inside ? jvm_thread_id(jni, thread) : 0;
	struct noted *fresh = inside ? malloc(sizeof(*fresh)) : NULL;

	if (fresh) {
		fresh->java_id = java_id;
		fresh->recording = recording_now();
		lock_take(&list_lock);
		fresh->next = list;
		list = fresh;
		lock_give(&list_lock);
	}
	real_start(jni, thread);
	if (tell && !(*jni)->ExceptionCheck(jni))
		tell();
	if (inside && (*jni)->ExceptionCheck(jni))
		forget(java_id);
}

static bool bind(JNIEnv *jni, void *function)
{
	JNINativeMethod native = {(char *)"start0", (char *)"()V", function};
	jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
	struct error error;
	bool bound = class && boot_class_register(jni, class, &native, 1, &error) == 0;

	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	(*jni)->DeleteLocalRef(jni, class);
	return bound;
}

void thread_starts_watch(JNIEnv *jni, bool on)
{
	if (!real_start)
		*(void **)&real_start = hotspot_function("JVM_StartThread");
	if (on && (!real_start || !bind(jni, (void *)start)))
		log_line(LOG_WARN, "scope_follow: this JVM does not let thread starts be seen: "
				   "threads started inside the scope are not followed");
	atomic_store(&watching, on);
	if (on || !real_start)
		return;
	if (!atomic_load(&told) && !bind(jni, *(void **)&real_start))
		log_line(LOG_INFO, "Thread.start0 keeps its stand-in");
	lock_take(&list_lock);
	while (list) {
		struct noted *next = list->next;

		free(list);
		list = next;
	}
	lock_give(&list_lock);
}

void thread_starts_tell(JNIEnv *jni, thread_starts_told tell)
{
	if (!real_start)
		*(void **)&real_start = hotspot_function("JVM_StartThread");
	atomic_store(&told, tell);
	if (!jni || !real_start || atomic_load(&watching))
		return;
	if (!bind(jni, tell ? (void *)start : *(void **)&real_start))
		log_line(LOG_WARN, "this JVM does not let thread starts be seen");
}

void thread_starts_begin(JNIEnv *jni, jthread thread)
{
	if (!atomic_load_explicit(&watching, memory_order_relaxed))
		return;
	if (forget(jvm_thread_id(jni, thread)))
		thread_events_inherit_scope(jni, thread);
}
