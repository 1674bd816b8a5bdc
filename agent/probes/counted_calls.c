/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * counted_calls: see counted_calls.h.
 *
 * Runs: in the thread that counts, or begins or ends. A place is written by the thread that has it, and by the end of a
 *       recording, when nothing looks at it.
 */
#include "agent/probes/counted_calls.h"

#include <stdatomic.h>

#include "agent/log/log.h"
#include "agent/threads/thread_events.h"
#include "agent/threads/threads.h"

enum { PLACES = 1 << 12 }; /* as in JprofProbe */

static jlongArray places;             /* JprofProbe.PLACE; NULL: this JVM is not one for it */
static _Atomic int64_t owner[PLACES]; /* the number of the thread that has it; 0: it is free */
static __thread int64_t own_number;   /* of the calling thread, if it has, or had, a place */

bool counted_calls_learn(JNIEnv *jni, jclass probe)
{
	jfieldID number = (*jni)->GetStaticFieldID(jni, probe, "NUMBER", "J");
	jfieldID place = number ? (*jni)->GetStaticFieldID(jni, probe, "PLACE", "[J") : NULL;
	jobject array = NULL;

	if (place && (*jni)->GetStaticLongField(jni, probe, number) > 0)
		array = (*jni)->GetStaticObjectField(jni, probe, place);
	(*jni)->ExceptionClear(jni);
	if (array && !places)
		places = (*jni)->NewGlobalRef(jni, array);
	(*jni)->DeleteLocalRef(jni, array);
	return places != NULL;
}

bool counted_calls_possible(void)
{
	return places != NULL;
}

/* ---- places ---- */

static void write_place(JNIEnv *jni, int64_t thread, int64_t number, const uint64_t *block)
{
	jsize place = (jsize)(thread % PLACES);
	jlong address = (jlong)(uintptr_t)block;

	/* The thread itself reads them, behind this. */
	(*jni)->SetLongArrayRegion(jni, places, PLACES + place, 1, &address);
	(*jni)->SetLongArrayRegion(jni, places, place, 1, &(jlong){number});
}

/* The calling thread, of that number, counts in its own bytecode from now on, if a place and memory are to be had. Its slot
 * is entered; a virtual thread has no place, and none has one where calls are counted within a scope alone. */
static void take_place(JNIEnv *jni, struct thread_slot *slot, int64_t thread)
{
	const struct session *session = session_joined();
	struct thread_context *context = slot_context(slot);
	int64_t none = 0;

	if (slot->carrier_slot || thread <= 0 || !session || session_has_scope(session) ||
		atomic_load(&owner[thread % PLACES]) == thread)
		return;
	if (!atomic_compare_exchange_strong(&owner[thread % PLACES], &none, thread))
		return;
	if (context_open_counts(context)) {
		own_number = thread;
		write_place(jni, thread, thread, context->counts.block);
	} else {
		atomic_store(&owner[thread % PLACES], 0);
	}
}

static void leave_place(JNIEnv *jni)
{
	int64_t thread = own_number;

	own_number = 0;
	if (thread == 0 || atomic_load(&owner[thread % PLACES]) != thread)
		return;
	write_place(jni, thread, 0, NULL);
	atomic_store(&owner[thread % PLACES], 0);
}

/* ---- threads ---- */

void JNICALL counted_calls_probe(JNIEnv *jni, jclass probe, jint method, jlong thread)
{
	struct thread_slot *slot = thread_events_begin(SHAPE_ANY, jni, NULL, FOUND_NONE);

	if (!slot)
		return;
	context_count(slot_context(slot), method_ref_id((method_ref)method));
	take_place(jni, slot, thread);
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
		take_place(jni, slot, thread);
	slot_leave(slot);
}

static void thread_ends(JNIEnv *jni)
{
	leave_place(jni);
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
	for (int64_t i = 0; i < PLACES; i++)
		if (atomic_load(&owner[i])) {
			write_place(jni, i, 0, NULL);
			atomic_store(&owner[i], 0);
		}
	return true;
}
