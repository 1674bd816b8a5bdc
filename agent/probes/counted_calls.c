/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * counted_calls: see counted_calls.h.
 *
 * Runs: in the thread that counts, or begins or ends. A thread's entry in the register is written by itself, and by
 *       the end of a recording, when nothing looks at it.
 */
#include "agent/probes/counted_calls.h"

#include <stdatomic.h>

#include "agent/log/log.h"
#include "agent/threads/thread_events.h"
#include "agent/threads/threads.h"

/* As in JprofProbe: how many entries the register has, and the number of those that are free. */
enum { SIZE = 1 << 12, FREE = -1 };

static jlongArray reg; /* JprofProbe.REGISTER; NULL: this JVM is not one for it */
static _Atomic int64_t registered[SIZE]; /* the numbers in it; 0: the entry is free */
static __thread int64_t own_number; /* of the calling thread, if it is, or was, registered */

bool counted_calls_learn(JNIEnv *jni, jclass probe)
{
	jfieldID number = (*jni)->GetStaticFieldID(jni, probe, "NUMBER", "J");
	jfieldID array_field =
		number ? (*jni)->GetStaticFieldID(jni, probe, "REGISTER", "[J") : NULL;
	jobject array = NULL;

	if (array_field && (*jni)->GetStaticLongField(jni, probe, number) > 0)
		array = (*jni)->GetStaticObjectField(jni, probe, array_field);
	(*jni)->ExceptionClear(jni);
	if (array && !reg)
		reg = (*jni)->NewGlobalRef(jni, array);
	(*jni)->DeleteLocalRef(jni, array);
	return reg != NULL;
}

bool counted_calls_possible(void)
{
	return reg != NULL;
}

/* ---- the register ---- */

static void write_entry(JNIEnv *jni, int64_t thread, int64_t number, const uint64_t *block)
{
	jsize at = (jsize)(thread % SIZE);
	jlong address = (jlong)(uintptr_t)block;

	/* The thread itself reads them, behind this. */
	(*jni)->SetLongArrayRegion(jni, reg, SIZE + at, 1, &address);
	(*jni)->SetLongArrayRegion(jni, reg, at, 1, &(jlong){number});
}

/* The calling thread, of that number, counts in its own bytecode from now on, if its entry is free and memory is to be had.
 * Its slot is entered. Not a virtual thread, and none where calls are counted within a scope alone. */
static void register_thread(JNIEnv *jni, struct thread_slot *slot, int64_t thread)
{
	const struct session *session = session_joined();
	struct thread_context *context = slot_context(slot);
	int64_t none = 0;

	if (slot->carrier_slot || thread <= 0 || !session || session_has_scope(session) ||
		atomic_load(&registered[thread % SIZE]) == thread)
		return;
	if (!atomic_compare_exchange_strong(&registered[thread % SIZE], &none, thread))
		return;
	if (context_open_counts(context)) {
		own_number = thread;
		write_entry(jni, thread, thread, context->counts.block);
	} else {
		atomic_store(&registered[thread % SIZE], 0);
	}
}

static void unregister_thread(JNIEnv *jni)
{
	int64_t thread = own_number;

	own_number = 0;
	if (thread == 0 || atomic_load(&registered[thread % SIZE]) != thread)
		return;
	write_entry(jni, thread, FREE, NULL);
	atomic_store(&registered[thread % SIZE], 0);
}

/* ---- threads ---- */

void JNICALL counted_calls_probe(JNIEnv *jni, jclass probe, jint method, jlong thread)
{
	struct thread_slot *slot = thread_events_begin(SHAPE_ANY, jni, NULL, FOUND_NONE);

	if (!slot)
		return;
	context_count(slot_context(slot), method_ref_id((method_ref)method));
	register_thread(jni, slot, thread);
	slot_leave(slot);
}

void counted_calls_native(JNIEnv *jni, uint32_t method)
{
	struct thread_slot *slot = thread_events_begin(SHAPE_ANY, jni, NULL, FOUND_NONE);

	if (!slot)
		return;
	context_count(slot_context(slot), method);
	slot_leave(slot);
}

static void thread_begins(JNIEnv *jni, int64_t thread, const char *name)
{
	counted_calls_join(jni, thread);
}

void counted_calls_join(JNIEnv *jni, int64_t thread)
{
	struct thread_slot *slot = slot_current;

	if (!slot || !slot_enter(slot))
		return;
	if (slot_context(slot))
		register_thread(jni, slot, thread);
	slot_leave(slot);
}

static void thread_ends(JNIEnv *jni)
{
	unregister_thread(jni);
}

int counted_calls_begin(JNIEnv *jni, struct session *session, struct error *error)
{
	static const struct threads_told told = {thread_begins, thread_ends};

	threads_tell(TOLD_COUNTER, &told);
	return 0;
}

bool counted_calls_end(JNIEnv *jni, struct session *session)
{
	threads_tell(TOLD_COUNTER, NULL);
	for (int64_t i = 0; i < SIZE; i++)
		if (atomic_load(&registered[i])) {
			write_entry(jni, i, FREE, NULL);
			atomic_store(&registered[i], 0);
		}
	return true;
}
